package tester

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
)

// packets is what the DUT counted at one of its ports: those that it received
// ("rx") or sent ("tx").
func (p *place) packets(t *testing.T, port int, which string) uint64 {
	t.Helper()
	text, err := p.lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+p.lab.DUT().Ports[port].DUT+"/statistics/"+which+"_packets")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Frames enter the DUT at the port of their direction, as learning frames do,
// and leave at the other.
func goesItsWay(t *testing.T, p *place, backend string) {
	for _, backward := range []bool{false, true} {
		trial := slowTrial(traffic(func(t *weir.Traffic) { t.Backward = backward }))
		trial.Waits.Learning = time.Millisecond
		in := trial.Traffic.Direction()
		count := func() (n [4]uint64) {
			for i, port := range []int{in, 1 - in} {
				n[i], n[2+i] = p.packets(t, port, "rx"), p.packets(t, port, "tx")
			}
			return n
		}
		before := count()
		r := p.measure(t, trial)
		sane(t, r, backend)
		p.awaitAll(t, r)
		after := count()
		const stray = 20 // frames of the stack itself, both ways
		entered, left := after[0]-before[0], after[3]-before[3]
		if entered+p.refused(t) < r.Offered || left < r.Received {
			t.Errorf("backward %v: of %d frames %d entered at port %d, and of %d that came back %d left at port %d",
				backward, r.Offered, entered, in, r.Received, left, 1-in)
		}
		if wrong := after[1] - before[1] + after[2] - before[2]; wrong > stray {
			t.Errorf("backward %v: %d frames went the other way", backward, wrong)
		}
	}
}

// What a ring had no room for is counted at the DUT's port that the frames
// enter at.
func TestPlaceOfRefusedFrames(t *testing.T) {
	for backward, port := range map[bool]int{false: 0, true: 1} {
		trial := slowTrial(traffic(func(t *weir.Traffic) { t.Backward = backward }))
		if got, want := packet.full(source(trial, 0), false).Place, fmt.Sprintf("dut port %d receive ring full (%s)", port, packet.refused); got != want {
			t.Errorf("backward %v: %q, want %q", backward, got, want)
		}
	}
}
