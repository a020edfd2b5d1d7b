package workload

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"testing"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(m, sandbox.Role(agent.Verb, func(role string) error {
		return agent.Run(context.Background(), endhost.Roles, role, os.Stdin, os.Stdout)
	}))
}

// joined are two end hosts with one link between them, and no DUT. Their files
// go with the test; what a transfer leaves there is a fault.
func joined(t *testing.T) Path {
	t.Helper()
	testenv.NeedRoot(t)
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{Control: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
	})
	p := Path{Ends: [2]End{
		{Host: bed.TesterHost(), Port: bed.Control.Tester, Address: map[weir.Family]netip.Addr{
			weir.IPv4: testbed.ControlTester.Addr(), weir.IPv6: netip.MustParseAddr("2001:db8::2")}},
		{Host: bed.DUT().Host, Port: bed.Control.DUT, Address: map[weir.Family]netip.Addr{
			weir.IPv4: testbed.ControlDUT.Addr(), weir.IPv6: netip.MustParseAddr("2001:db8::1")}},
	}}
	macs := [2]string{}
	for i, e := range p.Ends {
		at(t, e, "ip", "address", "add", e.Address[weir.IPv6].String()+"/64", "dev", e.Port, "nodad")
		macs[i] = at(t, e, "cat", "/sys/class/net/"+e.Port+"/address")
	}
	for i := range p.Ends {
		e := &p.Ends[i]
		for _, there := range p.Ends[1-i].Address { // nobody asks for it, and waits for an answer
			at(t, *e, "ip", "neighbor", "replace", there.String(), "lladdr", macs[1-i], "dev", e.Port)
		}
		memory, err := os.MkdirTemp("/dev/shm", "weir-test-")
		if err != nil {
			t.Fatal(err)
		}
		e.Folders = map[weir.Storage]string{weir.Memory: memory, weir.Disk: t.TempDir()}
		t.Cleanup(func() {
			for _, folder := range e.Folders {
				if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
					t.Errorf("left in %s: %v, %v", folder, left, err)
				}
			}
			os.RemoveAll(memory)
		})
	}
	return p
}

// transfer is one that goes on while a test does something to it.
type transfer struct {
	done chan struct{}
	got  weir.Transferred
	err  error
}

// begin begins a transfer.
func begin(move func() (weir.Transferred, error)) *transfer {
	r := &transfer{done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.got, r.err = move()
	}()
	return r
}

// end waits until a transfer ends.
func (r *transfer) end() (weir.Transferred, error) {
	<-r.done
	return r.got, r.err
}

// await waits until something holds while a transfer goes on.
func (r *transfer) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	testenv.Await(t, what, func() bool {
		select {
		case <-r.done:
			t.Fatalf("the transfer ended before %s: %v, %q", what, r.err, r.got.Failed)
		default:
		}
		return holds()
	})
}

// awaitOctets waits until some octets have come to an end.
func (r *transfer) awaitOctets(t *testing.T, e End, some uint64) {
	t.Helper()
	first := octetsAt(t, e)
	r.await(t, "octets arrive at "+e.Host.Name(), func() bool { return octetsAt(t, e) >= first+some })
}

// octetsAt is how many octets have come to the port of an end.
func octetsAt(t *testing.T, e End) uint64 {
	t.Helper()
	o, err := portOctets(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return o.in
}

// carried counts what comes to the ports of both ends from now on, in octets.
func carried(t *testing.T, p Path) func() uint64 {
	t.Helper()
	first := octetsAt(t, p.Ends[0]) + octetsAt(t, p.Ends[1])
	return func() uint64 { return octetsAt(t, p.Ends[0]) + octetsAt(t, p.Ends[1]) - first }
}

// at runs a command at an end.
func at(t *testing.T, e End, argv ...string) string {
	t.Helper()
	said, err := e.Host.Run(t.Context(), "", argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(said)
}
