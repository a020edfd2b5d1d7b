package workload

import (
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

func TestLoad(t *testing.T) {
	for _, server := range []weir.Side{"", weir.Source} {
		t.Run("server at "+string(server), func(t *testing.T) {
			t.Parallel() // to the other one, each with a link of its own
			p := joined(t)
			hold(t, p.Ends[0], "50mbit")
			trial := streamed("load")
			trial.Duration, trial.Traffic.Server, trial.Transfer.Streams = 2*time.Second, server, 2
			until := testenv.Attend(t)
			got := ran(t, p, trial)
			kept := until()
			if got.IdleRTT <= 0 || got.IdleRTT > .01+kept.For.Seconds() {
				t.Errorf("the round trip without load is %v s, kept %+v", got.IdleRTT, kept)
			}
			const full = 42 // Mbit/s
			g := got.Goodput() / 1e6
			if g < kept.Least(t, full) || g > 47.5*kept.Most(got.Took) {
				t.Errorf("goodput is %.1f Mbit/s, kept %+v", g, kept)
			}
			// A link that was not full has no queue before it, and where a round trip
			// without load waits for CPUs it says nothing of queues.
			const quiet = 200e-6 // seconds
			judged := g >= full && got.IdleRTT <= quiet
			if !judged {
				t.Logf("the queue is not judged at %.1f Mbit/s, with %v s of a round trip without load", g, got.IdleRTT)
			}
			if m := got.RTT.Quantile(.5); judged && m < 4*got.IdleRTT || m <= 0 || m > .1+kept.For.Seconds() {
				t.Errorf("the round trip under load is %v s, without %v s, at %.1f Mbit/s, kept %+v", m, got.IdleRTT, g, kept)
			}
			if sent := figure(t, got, "echoes sent"); sent < kept.Least(t, 90) || sent > 100 || float64(got.RTT.N)+figure(t, got, "echoes lost") < kept.Least(t, 80) {
				t.Errorf("%v echoes sent, %d timed, kept %+v", sent, got.RTT.N, kept)
			}
		})
	}
}
