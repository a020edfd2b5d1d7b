package endhost

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(m, sandbox.Role(agent.Verb, func(role string) error {
		all := Roles
		if os.Getenv(kernelEnv) == "plain" {
			all = Portable()
		}
		return agent.Run(context.Background(), all, role, os.Stdin, os.Stdout)
	}))
}

// kernelEnv says what a role is to have of this system: all, or what every system has.
const kernelEnv = "WEIR_TEST_KERNEL"

// here is this machine as a host.
type here struct{ weir.Host }

func (here) Name() string { return "here" }

func (here) Start(_ context.Context, p weir.Program) (*weir.Process, error) {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	var said bytes.Buffer // an agent that ends may have no time left to answer why
	cmd.Env, cmd.Stderr, cmd.WaitDelay = append(os.Environ(), p.Env...), io.MultiWriter(os.Stderr, &said), time.Second
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
	wait := sync.OnceValue(func() error {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, said.String())
		}
		return nil
	})
	return &weir.Process{PID: cmd.Process.Pid, Stdin: in, Stdout: out, Wait: wait, Stop: func(context.Context) error { return wait() }}, nil
}

func TestStreams(t *testing.T) {
	for name, c := range map[string]struct {
		family weir.Family
		set    Streams // of the client
	}{
		"TCP":           {weir.IPv4, Streams{Protocol: weir.TCP, Streams: 1, Send: true}},
		"TCP, backward": {weir.IPv6, Streams{Protocol: weir.TCP, Streams: 3}},
		"UDP":           {weir.IPv4, Streams{Protocol: weir.UDP, Streams: 1, Rate: 2e6, Send: true}},
		"UDP, backward": {weir.IPv6, Streams{Protocol: weir.UDP, Streams: 2, Rate: 1e6, Payload: 1000}},
	} {
		for _, kernel := range []string{"linux", "plain"} {
			t.Run(name+", "+kernel, func(t *testing.T) {
				const shortest, longest = 600 * time.Millisecond, time.Minute
				set := c.set
				for set.Duration = shortest; !testStreams(t, c.family, set, kernel); set.Duration *= 2 {
					if set.Duration > longest {
						t.Fatal("nothing arrives, however long it takes")
					}
				}
			})
		}
	}
}

// testStreams does a test of streams, and reports whether its programs had a CPU in it.
func testStreams(t *testing.T, family weir.Family, set Streams, kernel string) bool {
	self := agent.Place{Host: here{}, Env: []string{Env, kernelEnv + "=" + kernel}}
	start := func(role string, s Streams, value any) *agent.Agent {
		a, err := agent.Start(t.Context(), self, role, s, value)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return a
	}
	ask := func(a *agent.Agent, do string, with, value any) {
		if err := a.Ask(t.Context(), do, with, value); err != nil {
			t.Fatal(err)
		}
	}
	s, l, ports := set, Listening{}, []int{}
	s.Test, s.Address, s.WarmUp = 1, loopback[family], 100*time.Millisecond
	s.Send = !s.Send
	server := start("stream-serve", s, &l)
	stranger, err := net.Dial("tcp", netip.AddrPortFrom(s.Address, l.Port).String())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	if _, err := stranger.Write([]byte("GET / HTTP/1.1")); err != nil {
		t.Fatal(err)
	}
	s.Port, s.Send = int(l.Port), !s.Send
	sender := start("stream-connect", s, &ports)
	ask(server, "join", ports, nil)
	receiver := server
	if !s.Send {
		sender, receiver = receiver, sender
	}
	var out Sent
	var in Received
	begun := time.Now()
	ask(receiver, "receive", nil, nil)
	ask(sender, "send", nil, &out)
	ask(receiver, "received", out, &in)
	if all := time.Since(begun); in.Took <= 0 || in.Took > all {
		t.Errorf("of %v: %+v", all, in)
	}
	if in.Octets == 0 || s.Protocol == weir.TCP && kernel == "linux" && out.RTT.N == 0 {
		return false
	}
	if s.Protocol == weir.TCP {
		if told := out.Segment > 500 && out.RTT.N > 0; told != (kernel == "linux") || out.CPU <= 0 || in.CPU <= 0 {
			t.Errorf("%+v, %+v", out, in)
		}
		return true
	}
	if out.Datagrams == 0 || s.Payload != 0 && out.Payload != s.Payload {
		t.Errorf("%+v", out)
	}
	if in.Untold != (kernel == "plain") {
		t.Errorf("%+v", in)
	}
	if lost := out.Datagrams - in.Datagrams; lost > in.Dropped && !in.Untold {
		t.Errorf("%d datagrams were lost without a path, %d at the socket", lost, in.Dropped)
	}
	return true
}
