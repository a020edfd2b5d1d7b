package vm

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// listening has something listen at both streams of a slot, until the function is called
// that it returns.
func listening(t *testing.T, folder, slot string) (end func()) {
	t.Helper()
	var open []net.Listener
	for _, name := range []string{slot, slot + ".err"} {
		l, err := net.Listen("unix", filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, l)
	}
	return func() {
		for _, l := range open {
			l.Close()
		}
	}
}

// A shell that cannot be connected anew for a while is there again afterwards, and who
// waits for one meanwhile does so no longer than it wants to.
func TestRenew(t *testing.T) {
	folder, err := os.MkdirTemp("", "vm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	synctest.Test(t, func(t *testing.T) {
		m := &Machine{config: Config{Name: "x", Folder: folder}, ended: make(chan struct{}), news: make(chan struct{}), beat: time.Now()} // it is up
		s := &slot{machine: m, name: "0"}
		m.slots = []*slot{s}
		end := listening(t, folder, "0")
		if err := s.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		shell, err := m.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		end()
		if err := shell.Close(); err != nil {
			t.Fatal(err)
		}
		limited, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := m.Dial(limited); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute+time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		defer listening(t, folder, "0")()
		later, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		shell, err = m.Dial(later)
		if err != nil {
			t.Fatal(err)
		}
		close(m.ended)
		if err := shell.Close(); err != nil {
			t.Error(err)
		}
	})
}
