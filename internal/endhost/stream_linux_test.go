package endhost

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"weir"
)

// TestMain makes the test's program one that can be told to play a part, as
// weir is: the two ends of a test of streams share no process.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "end" {
		if err := Run(context.Background(), os.Args[2], []byte(os.Args[3]), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is the process of a part.
func process(t *testing.T, part string, settings any) *exec.Cmd {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "end", part, string(raw))
	cmd.Env, cmd.Stderr = append(os.Environ(), Env), os.Stderr
	return cmd
}

// served is where a part that listens does, until its input ends with the test.
func served(t *testing.T, part string, listen Listen) netip.AddrPort {
	t.Helper()
	cmd := process(t, part, listen)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var l Listening
	if err := json.NewDecoder(out).Decode(&l); err != nil || !l.Ready {
		t.Fatalf("%s is not ready: %v", part, err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return netip.AddrPortFrom(listen.Address, uint16(l.Port))
}

// asked is what a part says that has one line to say.
func asked(t *testing.T, part string, settings, into any) {
	t.Helper()
	said, err := process(t, part, settings).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(said, into); err != nil {
		t.Fatalf("%v: %q", err, said)
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
				asked(t, "stream-send", s, &r)
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
