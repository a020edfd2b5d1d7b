package workload

import (
	"strings"
	"testing"

	"weir"
)

// probed is a trial of the path.
func probed(family weir.Family) weir.Trial {
	t := streamed("path")
	t.Traffic.Family = family
	return t
}

func TestPath(t *testing.T) {
	t.Parallel()
	p := joined(t)
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		got := ran(t, p, probed(family))
		if got.PathMTU != 1500 || got.IdleRTT <= 0 {
			t.Errorf("%s: path MTU %d, round trip %v s", family, got.PathMTU, got.IdleRTT)
		}
		if least := figure(t, got, weir.LeastRTT); least <= 0 || least > got.IdleRTT {
			t.Errorf("%s: the least round trip is %v s, the median %v s", family, least, got.IdleRTT)
		}
	}
	t.Run("ports", func(t *testing.T) {
		at(t, p.Ends[0], "ip", "link", "set", p.Ends[0].Port, "mtu", "9000")
		at(t, p.Ends[1], "ip", "link", "set", p.Ends[1].Port, "mtu", "9000")
		for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
			if err := p.ProveMTU(t.Context(), family, 9000); err != nil {
				t.Errorf("%s: %v", family, err)
			}
			err := p.ProveMTU(t.Context(), family, 9001)
			if err == nil || !strings.Contains(err.Error(), "from tester to dut: the port "+p.Ends[0].Port+" takes at most 9000; the largest that do have 9000") ||
				!strings.Contains(err.Error(), "from dut to tester") {
				t.Errorf("%s: %v", family, err)
			}
		}
	})
}

// What is smaller than the ports is found by answers that do not come, whatever
// the time that those take which do.
func TestSmallerPath(t *testing.T) {
	t.Parallel()
	p := joined(t)
	// What arrives in packets that are larger is dropped, and nobody says so.
	script := "table inet small {\n chain input {\n type filter hook input priority 0;\n meta length > 1400 drop\n }\n}\n"
	if _, err := p.Ends[1].Host.Run(t.Context(), script, "nft", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		if got := ran(t, p, probed(family)); got.PathMTU != 1400 {
			t.Errorf("%s: path MTU %d", family, got.PathMTU)
		}
		if family == weir.IPv6 {
			continue
		}
		backward := probed(family)
		backward.Traffic.Backward = true
		if got := ran(t, p, backward); got.PathMTU != 1500 {
			t.Errorf("%s, backward: path MTU %d", family, got.PathMTU)
		}
		exact := probed(family)
		exact.Transfer.Payload = 1450
		got, err := p.Run(t.Context(), exact)
		if err != nil || !strings.Contains(got.Failed, "packets of 1450 octets do not pass from tester to dut; the largest that do have 1400") {
			t.Errorf("%s: %q, %v", family, got.Failed, err)
		}
		err = p.ProveMTU(t.Context(), family, 1500)
		if err == nil || !strings.Contains(err.Error(), "packets of 1500 octets do not pass from tester to dut; the largest that do have 1400") || strings.Contains(err.Error(), "from dut") {
			t.Errorf("%s: %v", family, err)
		}
		if err := p.ProveMTU(t.Context(), family, 1400); err != nil {
			t.Errorf("%s: %v", family, err)
		}
	}
	at(t, p.Ends[1], "nft", "delete", "table", "inet", "small")
}

func TestNobodyAtThePath(t *testing.T) {
	t.Parallel()
	p := joined(t)
	at(t, p.Ends[1], "ip", "link", "set", p.Ends[1].Port, "down")
	if got, err := p.Run(t.Context(), probed(weir.IPv4)); err != nil || !strings.Contains(got.Failed, "no answer") {
		t.Errorf("%q, %v", got.Failed, err)
	}
}
