package workload

import (
	"testing"
	"time"

	"weir"
)

func TestLoad(t *testing.T) {
	p := joined(t)
	hold(t, p.Ends[0], "50mbit")
	for _, server := range []weir.Side{"", weir.Source} {
		trial := streamed("load")
		trial.Duration, trial.Traffic.Server, trial.Transfer.Streams = 2*time.Second, server, 2
		got := ran(t, p, trial)
		if got.IdleRTT <= 0 || got.IdleRTT > .01 {
			t.Errorf("the round trip without load is %v s", got.IdleRTT)
		}
		if m := got.RTT.Quantile(.5); m < 4*got.IdleRTT || m > .1 {
			t.Errorf("the round trip under load is %v s", m)
		}
		if sent := figure(t, got, "echoes sent"); sent < 90 || sent > 100 || got.RTT.N+uint64(figure(t, got, "echoes lost")) < 80 {
			t.Errorf("%v echoes sent, %d timed", sent, got.RTT.N)
		}
		if g := got.Goodput() / 1e6; g < 42 || g > 47.5 {
			t.Errorf("goodput is %.1f Mbit/s", g)
		}
	}
}
