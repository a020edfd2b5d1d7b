package tester

import (
	"math/bits"
	"time"

	"weir"
	"weir/internal/xdp"
)

// room is for how many loads senders and receivers are loaded, so that they take
// n: a few sizes, because to load them anew takes longer than a short trial.
func room(n int) int {
	const many = 1024
	if n <= 2 {
		return n
	}
	return max(many, 1<<bits.Len(uint(n-1)))
}

// sawWindows adds what came of each window of a trial, whose loads began then.
func sawWindows(r *weir.TrialResult, begins []time.Duration, sent []xdp.Sent, came Arrival) {
	if len(begins) == 0 {
		return
	}
	arrived := came.Windows
	departed := leftOfEach(sent, len(begins))
	i := 0
	for _, w := range r.Trial.Windows {
		var out weir.WindowResult
		if w.Prime != nil {
			out.PrimeSent, out.PrimeReceived = departed[i].Frames, arrived[i].Received
			i++
		}
		if w.Hold != nil {
			i++
		}
		d, a := departed[i], arrived[i]
		out.Begin, out.Sent, out.GeneratorGap = begins[i]-begins[0], d.Frames, d.Gap
		out.Received, out.Delay, out.ReceiverGap = a.Received, a.Delay, a.Gap
		streams := len(sent)
		if w.Side == 0 {
			streams *= sides(r.Trial)
		}
		out.LostRun = longestRun(out, a, uint64(streams))
		out.Preempted = came.waits.during(begins[i], w.Duration)
		r.Windows = append(r.Windows, out)
		i++
	}
}

// longestRun is the longest run of lost frames of a window: of those between frames
// that arrived, or of the rest, which was lost at its beginning and at its end,
// as far as streams share that evenly.
func longestRun(w weir.WindowResult, a xdp.Arrived, streams uint64) uint64 {
	lost := w.Lost()
	ends := lost - min(lost, a.Missing)
	return min(lost, max(a.Run, (ends+streams-1)/streams))
}

// leftOfEach is what left of each of n loads, all threads together.
func leftOfEach(sent []xdp.Sent, n int) []xdp.Departed {
	all := make([]xdp.Departed, n)
	for _, s := range sent {
		for i, d := range s.Loads {
			all[i].Frames += d.Frames
			all[i].Longest, all[i].Gap = max(all[i].Longest, d.Longest), max(all[i].Gap, d.Gap)
		}
	}
	return all
}
