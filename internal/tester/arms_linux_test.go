package tester

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/sweep"
)

// openArms is a lab of DUTs side by side with a tester.
func openArms(t *testing.T, n int) (*testbed.Netns, *XDP) {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "nft")
	lab, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{Arms: n})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lab.Close() })
	platform, err := dut.ByName("linux")
	if err != nil {
		t.Fatal(err)
	}
	for arm := range n {
		if _, err := platform.Forward(t.Context(), lab.Arm(arm), router(2)); err != nil {
			t.Fatal(err)
		}
	}
	x, err := OpenXDP(XDPConfig{
		Namespace: lab.Tester, Ports: lab.TestPorts(), Self: &lab.Self, CPUs: lab.CPUs(), Verify: true, Forwarding: lab.Forwarding,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return lab, x
}

// besides measures a trial of windows over arms.
func besides(t *testing.T, x *XDP, arms int, windows []weir.Window) []weir.WindowResult {
	t.Helper()
	r, err := x.Measure(t.Context(), weir.Trial{
		Traffic: traffic(func(t *weir.Traffic) { t.Arms = arms }), Windows: windows, Waits: weir.Waits{Residual: 50 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Windows
}

// Each arm gets the frames of its own windows, and what an arm does not forward
// is missing in its windows alone.
func TestArmsHaveTheirOwnWindows(t *testing.T) {
	lab, x := openArms(t, 3)
	if _, err := lab.Arm(1).Host.Run(t.Context(), "", "sysctl", "-qw", "net.ipv4.ip_forward=0"); err != nil {
		t.Fatal(err)
	}
	b := sweep.Beside{Arms: 3, Load: slowly, Window: 20 * time.Millisecond, Blocks: 4}
	windows := b.Windows(0)
	var sent [3]uint64
	for i, r := range besides(t, x, 3, windows) {
		arm, want := windows[i].Side-1, r.Sent
		if arm == 1 {
			want = 0
		}
		if r.Received != want {
			t.Errorf("window %d of arm %d: %+v", i, arm, r)
		}
		sent[arm] += r.Sent
	}
	if sent[0] == 0 || sent[1] == 0 || sent[2] == 0 {
		t.Errorf("the arms were sent %v frames", sent)
	}
}

// A rule set that costs something shows, and the same configuration twice does
// not differ by as much.
func TestArmsShowWhatDiffers(t *testing.T) {
	lab, x := openArms(t, 3)
	rules := "table ip costs {\nchain forward {\ntype filter hook forward priority 0\n" + strings.Repeat("ip saddr 203.0.113.1 drop\n", 60) + "}\n}\n"
	if _, err := lab.Arm(2).Host.Run(t.Context(), rules, "nft", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	b := sweep.Beside{Arms: 3, Ring: netif.VethRing, Seed: 1}
	probing := b.Probing(4e6)
	b.Load = b.Enough(probing, besides(t, x, 3, probing))
	b.Blocks = b.BlocksIn(1500 * time.Millisecond)
	var s sweep.Stood
	for range 3 { // a shared machine may be faster by now than when it was probed
		windows := b.Windows(0)
		var err error
		if s, err = b.Stood(windows, besides(t, x, 3, windows)); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Arms, func(a sweep.Arm) bool { return a.Unsaturated }) {
			break
		}
		b.Load *= sweep.Plenty
	}
	said := fmt.Sprintf("of %.0f frames/s: %+v", b.Load, s)
	t.Log(said)
	for arm, a := range s.Arms {
		if a.Unsaturated || a.Pairs < 5 { // of 71
			t.Errorf("arm %d: %s", arm, said)
		}
	}
	same, costs := s.Arms[1].Effect, s.Arms[2].Effect
	if math.Abs(same) > .2 || costs > -.15 || costs > same-.1 {
		t.Error(said)
	}
}
