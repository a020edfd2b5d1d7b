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
// go with the test; what a transfer leaves there is a fault. A test that takes
// no rate or time for right or wrong is a parallel one: those run beside each
// other when the others, which measure, have ended.
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
	for i := range p.Ends {
		e := &p.Ends[i]
		at(t, *e, "ip", "address", "add", e.Address[weir.IPv6].String()+"/64", "dev", e.Port, "nodad")
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

// at runs a command at an end.
func at(t *testing.T, e End, argv ...string) string {
	t.Helper()
	said, err := e.Host.Run(t.Context(), "", argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(said)
}
