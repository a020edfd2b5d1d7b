package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// ended is a connection that knows whether it was closed.
type ended struct {
	net.Conn
	closed bool
}

func (e *ended) Close() error { e.closed = true; return nil }

// Of too many connections the one goes that is waited for longest, or answered longest where few
// are waited for; never the one that has just come.
func TestConnections(t *testing.T) {
	for name, c := range map[string]struct {
		served []int // of four that came one after the other
		gone   int
	}{
		"none is answered":     {nil, 0},
		"the oldest is":        {[]int{0}, 1},
		"half of them are":     {[]int{1, 2}, 1},
		"all are":              {[]int{0, 1, 2, 3}, 0},
		"the last one is left": {[]int{2, 1, 0}, 2},
	} {
		o := connections{most: 4, open: map[net.Conn]*connection{}}
		var all []*ended
		come := func() {
			all = append(all, &ended{})
			o.note(all[len(all)-1], http.StateNew)
		}
		for range 4 {
			come()
		}
		for _, i := range c.served {
			ctx := o.context(t.Context(), all[i])
			o.answers(ctx.Value(connKey{}).(net.Conn), true)
		}
		come()
		gone := slices.IndexFunc(all, func(e *ended) bool { return e.closed })
		if gone != c.gone || len(o.open) != 4 {
			t.Errorf("%s: connection %d is closed, want %d, and %d are open", name, gone, c.gone, len(o.open))
		}
		o.note(all[4], http.StateClosed)
		come()
		if n := len(slices.DeleteFunc(all, func(e *ended) bool { return !e.closed })); n != 1 {
			t.Errorf("%s: %d are closed after one has ended", name, n)
		}
	}
}

// Connections that are kept open and ask for nothing more keep nobody else out.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- New(Options{Store: filepath.Join(t.TempDir(), "weir.db"), Log: slog.New(slog.DiscardHandler)}).Serve(ctx, on)
	}()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	get := func(conn net.Conn) {
		t.Helper()
		req := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+on.Addr().String()+"/static/none", nil)
		if err := req.Write(conn); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1"))); err != nil {
			t.Fatalf("no answer: %v", err)
		}
	}
	for range mostOpen + 1 {
		conn, err := net.Dial("tcp", on.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(idleTimeout - 10*time.Second)); err != nil { // before the server ends those that are idle
			t.Fatal(err)
		}
		get(conn)
	}
}
