package tester

import (
	"slices"
	"testing"
	"time"

	"weir"
	"weir/internal/dut"
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

// Each arm gets the frames of its own windows, and what an arm does not forward
// is missing in its windows alone.
func TestArmsHaveTheirOwnWindows(t *testing.T) {
	lab, x := openArms(t, 3)
	if _, err := lab.Arm(1).Host.Run(t.Context(), "", "sysctl", "-qw", "net.ipv4.ip_forward=0"); err != nil {
		t.Fatal(err)
	}
	trial := weir.Trial{Traffic: traffic(func(t *weir.Traffic) { t.Arms = 3 }), Waits: weir.Waits{Residual: 50 * time.Millisecond}}
	var r weir.TrialResult
	var before uint64
	var sent, received [3]uint64
	for times := range testenv.Longer {
		trial.Windows = sweep.SideBySide{Arms: 3, Load: slowly, Window: 20 * time.Millisecond, Blocks: 4 * int(times)}.Windows(0)
		before = refusedBeside(t, lab, 3)
		var err error
		if r, err = x.Measure(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
		sent, received = [3]uint64{}, [3]uint64{}
		for i, w := range r.Windows {
			arm := trial.Windows[i].Side - 1
			if w.Received > w.Sent || arm == 1 && w.Received+w.PrimeReceived > 0 {
				t.Errorf("window %d of arm %d: %+v", i, arm, w)
			}
			sent[arm] += w.Sent + w.PrimeSent
			received[arm] += w.Received + w.PrimeReceived
		}
		if slices.Min(sent[:]) > 0 {
			break
		}
	}
	if slices.Min(sent[:]) == 0 || sent[0]+sent[1]+sent[2] != r.Offered || received[0]+received[2] != r.Received {
		t.Errorf("the arms were sent %v frames and forwarded %v, of %d and %d", sent, received, r.Offered, r.Received)
	}
	testenv.Await(t, "two arms have forwarded all of theirs, but for what found a ring full", func() bool {
		var came uint64
		for _, receiver := range x.listening(r.Trial) {
			n, err := receiver.Count()
			if err != nil {
				t.Fatal(err)
			}
			came += n
		}
		return came+refusedBeside(t, lab, 3)-before >= sent[0]+sent[2]
	})
}

// refusedBeside is how many frames found the rings of DUTs side by side full.
func refusedBeside(t *testing.T, lab *testbed.Netns, arms int) (n uint64) {
	t.Helper()
	for arm := range arms {
		p := &place{lab: lab, setup: router(2)}
		var err error
		if p.dut, err = dut.ByName("linux"); err != nil {
			t.Fatal(err)
		}
		n += inFullRings(p.countersAt(t, lab.Arm(arm)))
	}
	return n
}
