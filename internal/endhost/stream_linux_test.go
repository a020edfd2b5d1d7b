package endhost

import (
	"context"
	"encoding/json"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weir"
)

// served is where a part that listens does, until the test ends.
func served(t *testing.T, part string, listen Listen) netip.AddrPort {
	t.Helper()
	at, end := serve(t, part, listen)
	t.Cleanup(end)
	return at
}

// serve starts a part that listens; end ends it.
func serve(t *testing.T, part string, listen Listen) (at netip.AddrPort, end func()) {
	t.Helper()
	settings, err := json.Marshal(listen)
	if err != nil {
		t.Fatal(err)
	}
	in, hold := io.Pipe()
	told, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(context.Background(), part, settings, in, out)
		out.CloseWithError(err)
		ended <- err
	}()
	var l Listening
	if err := json.NewDecoder(told).Decode(&l); err != nil || !l.Ready {
		t.Fatalf("%s is not ready: %v", part, err)
	}
	return netip.AddrPortFrom(listen.Address, uint16(l.Port)), func() {
		hold.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// asked is what a part says that has one line to say.
func asked(t *testing.T, ctx context.Context, part string, settings, into any) {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Run(ctx, part, raw, strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out.String()), into); err != nil {
		t.Fatal(err)
	}
}

func TestStreams(t *testing.T) {
	for name, c := range map[string]struct {
		family weir.Family
		set    StreamSend
	}{
		"TCP":           {weir.IPv4, StreamSend{Protocol: weir.TCP, Streams: 1}},
		"TCP, backward": {weir.IPv6, StreamSend{Protocol: weir.TCP, Streams: 3, Receive: true}},
		"UDP":           {weir.IPv4, StreamSend{Protocol: weir.UDP, Streams: 1, Rate: 20e6}},
		"UDP, backward": {weir.IPv6, StreamSend{Protocol: weir.UDP, Streams: 2, Rate: 10e6, Payload: 1000, Receive: true}},
	} {
		t.Run(name, func(t *testing.T) {
			at := served(t, "stream-serve", Listen{Address: loopback[c.family]})
			s := c.set
			s.Address, s.Port, s.Duration, s.WarmUp = at.Addr(), int(at.Port()), 400*time.Millisecond, 100*time.Millisecond
			for range 2 { // it takes one after the other
				var r StreamReport
				asked(t, t.Context(), "stream-send", s, &r)
				if r.Failed != "" {
					t.Fatal(r.Failed)
				}
				if r.Took < 290*time.Millisecond || r.Octets == 0 || len(r.Streams) != s.Streams {
					t.Errorf("%+v", r)
				}
				if s.Protocol == weir.TCP {
					if r.Segment < 500 || r.RTT.N == 0 || r.SenderCPU <= 0 || r.ReceiverCPU <= 0 {
						t.Errorf("%+v", r)
					}
					continue
				}
				d := r.Datagrams
				if d == nil || d.Sent == 0 || d.Lost != d.Sent-d.Received || s.Payload != 0 && d.Payload != s.Payload {
					t.Fatalf("%+v", d)
				}
				if d.Lost > d.Dropped {
					t.Errorf("%d datagrams were lost without a path, %d at the socket", d.Lost, d.Dropped)
				}
			}
		})
	}
}
