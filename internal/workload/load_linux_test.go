package workload

import (
	"testing"
	"time"

	"weir"
)

func TestLoad(t *testing.T) {
	for _, server := range []weir.Side{"", weir.Source} {
		t.Run("server at "+string(server), func(t *testing.T) {
			t.Parallel()
			p := joined(t)
			hold(t, p.Ends[0], "50mbit")
			trial := streamed("load")
			trial.Duration, trial.Traffic.Server, trial.Transfer.Streams = 2*time.Second, server, 2
			came := carried(t, p)
			var most float64 // echoes
			got := ran(t, p, trial, func(trial weir.Trial) { most = float64(trial.Duration / echoEvery) })
			if all := came(); got.Octets > all {
				t.Errorf("%d octets, and the ports had %d", got.Octets, all)
			}
			if got.IdleRTT <= 0 || got.RTT.Quantile(.5) <= 0 {
				t.Errorf("the round trip is %v s without load and %v s under it", got.IdleRTT, got.RTT.Quantile(.5))
			}
			// Each echo is lost, timed, or one of the warm-up.
			back := figure(t, got, "echoes sent") - figure(t, got, "echoes lost")
			if timed := float64(got.RTT.N); back > most || timed > back || timed < back-10 {
				t.Errorf("of at most %v echoes %v came back and %v were timed: %+v", most, back, timed, got.Figures)
			}
		})
	}
}
