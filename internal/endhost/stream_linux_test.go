package endhost

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
)

// TestMain makes the test's program one that can be told to play a role, as weir
// is: the two ends of a test of streams share no process.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == agent.Verb {
		if err := agent.Run(context.Background(), Roles, os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// here is this machine as a host.
type here struct{ weir.Host }

func (here) Name() string { return "here" }

func (here) Start(ctx context.Context, p weir.Program) (*weir.Process, error) {
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), p.Env...), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, far, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	cmd.Stdout = far
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	wait := sync.OnceValue(cmd.Wait)
	return &weir.Process{PID: cmd.Process.Pid, Stdin: in, Stdout: out, Wait: wait, Stop: func(context.Context) error { return wait() }}, nil
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
			at, self := loopback[c.family], agent.Place{Host: here{}, Env: []string{Env}}
			var l Listening
			server, err := agent.Start(t.Context(), self, "stream-serve", Listen{Address: at}, &l)
			if err != nil {
				t.Fatal(err)
			}
			s := c.set
			s.Address, s.Port, s.Duration, s.WarmUp = at, int(l.Port), 400*time.Millisecond, 100*time.Millisecond
			for range 2 { // it takes one after the other
				var r StreamReport
				if err := agent.Play(t.Context(), self, "stream-send", s, &r); err != nil {
					t.Fatal(err)
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
			if err := server.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
