package service_test

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/service"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(m, sandbox.Role(agent.Verb, func(role string) error {
		return agent.Run(context.Background(), agent.Roles(), role, os.Stdin, os.Stdout)
	}))
}

// The ends of the links of a lab: the DUT's, then the tester's.
var (
	near = [2]netip.Addr{netip.MustParseAddr("198.18.0.1"), netip.MustParseAddr("198.18.0.2")}
	far  = [2]netip.Addr{netip.MustParseAddr("198.19.0.1"), netip.MustParseAddr("198.19.0.2")}
	far6 = [2]netip.Addr{netip.MustParseAddr("2001:2:0:2::1"), netip.MustParseAddr("2001:2:0:2::2")}
)

// lab is a lab of two namespaces with addresses. Whatever a daemon leaves in
// the folder of temporary files fails the test.
func lab(t *testing.T, tools ...string) *testbed.Netns {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, tools...)
	t.Setenv("WEIR_RUN", t.TempDir())
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := filepath.Glob(bed.Folder() + "/*"); len(left) > 0 {
			t.Errorf("these files are left: %q", left)
		}
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(temporary + "/*"); len(left) > 0 {
			t.Errorf("these files are left: %q", left)
		}
	})
	for i, ends := range [][2]netip.Addr{near, far} {
		address(t, bed, i, ends, 30)
	}
	address(t, bed, 1, far6, 126)
	return bed
}

// address gives both ends of a link their addresses.
func address(t *testing.T, bed *testbed.Netns, port int, ends [2]netip.Addr, bits int) {
	t.Helper()
	p := bed.DUT().Ports[port]
	for side, end := range map[string]struct {
		do   func(func() error) error
		addr netip.Addr
	}{p.DUT: {bed.InDUT, ends[0]}, p.Tester: {bed.Tester.Do, ends[1]}} {
		err := end.do(func() error { return netif.AddAddress(side, netip.PrefixFrom(end.addr, bits).String()) })
		if err != nil {
			t.Fatal(err)
		}
	}
}

func atDUT(bed *testbed.Netns) service.Place {
	return service.Place{Host: bed.DUT().Host, CPUs: bed.CPUs().DUT, Folder: bed.Folder()}
}

func atTester(bed *testbed.Netns) agent.Place {
	return agent.Place{Host: bed.TesterHost(), CPUs: bed.CPUs().Receiver}
}
