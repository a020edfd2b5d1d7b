package tester

import (
	"context"
	"math"
	"time"

	"weir"
	"weir/internal/xdp"
)

// hurry is how long frames under way are waited for when the context has ended.
const hurry = 50 * time.Millisecond

// awaitResidual waits for frames that are still under way, until all are back
// or the wait is over (RFC 2544 section 23 d).
func (t *XDP) awaitResidual(ctx context.Context, trial weir.Trial, sent []xdp.Sent) error {
	var want uint64
	for _, s := range sent {
		want += s.Frames
	}
	end := time.Now().Add(trial.Waits.Residual)
	for ended := false; ; time.Sleep(time.Millisecond) {
		var got uint64
		for _, r := range t.listening(trial) {
			n, err := r.Count()
			if err != nil {
				return err
			}
			got += n
		}
		if !ended && ctx.Err() != nil {
			ended = true
			if soon := time.Now().Add(hurry); soon.Before(end) {
				end = soon
			}
		}
		if got >= want || !time.Now().Before(end) {
			return nil
		}
	}
}

// result adds to a trial's result what was sent and what came back.
func result(r *weir.TrialResult, b *backend, sent []xdp.Sent, left tally, a Arrival) {
	var drops []weir.Drop
	for side := range sides(r.Trial) {
		r.Offered += left[side].Offered()
		if d := b.full(source(r.Trial, side), r.Trial.Bypass); d.Place != "" {
			d.Count = left[side].Refused
			drops = append(drops, d)
		}
		r.Streams = append(r.Streams, streamResults(r.Trial, side, sent, a.Streams)...)
	}
	r.Latency.Merge(a.Latency)
	var corrupt, wrong uint64
	for _, s := range r.Streams {
		r.Received += s.Received
		corrupt, wrong = corrupt+s.Corrupt, wrong+s.WrongSession
	}
	drops = append(drops, weir.Drop{Place: "wrong checksum on receipt", Count: corrupt, Kind: weir.DropDamaged},
		weir.Drop{Place: "wrong PPPoE session on receipt", Count: wrong, Kind: weir.DropDamaged})
	r.Ledger = weir.Balance(r.Offered, r.Received, drops)
}

// when says when the frames were sent, and how evenly.
func when(r *weir.TrialResult, sent []xdp.Sent) {
	var first, last time.Duration
	for _, s := range sent {
		if s.Frames > 0 && (first == 0 || s.First < first) {
			first = s.First
		}
		last = max(last, s.Last)
		r.Pacing.Batch = max(r.Pacing.Batch, s.Burst)
		r.Pacing.Stalls += s.Stalls
		r.Pacing.LongestStall = max(r.Pacing.LongestStall, s.Longest)
		r.Pacing.Paused = max(r.Pacing.Paused, s.Paused())
	}
	if first == 0 {
		return
	}
	r.Start = clockTime(first)
	r.Sending = last - first
}

// clockTime is the time of day of a time on the clock of Now. The two clocks are read one
// after the other, again where this process was kept from its CPU meanwhile.
func clockTime(at time.Duration) (then time.Time) {
	const closely, often = 20 * time.Microsecond, 1000
	nearest := time.Duration(math.MaxInt64)
	for range often {
		before := xdp.Now()
		now := time.Now()
		apart := xdp.Now() - before
		if apart < nearest {
			nearest, then = apart, now.Add(at-before-apart/2)
		}
		if apart < closely {
			break
		}
	}
	return then
}

// streamResults sets what was sent against what was seen, for one side.
func streamResults(trial weir.Trial, side int, sent []xdp.Sent, seen map[int]xdp.Stream) []weir.StreamResult {
	out := make([]weir.StreamResult, len(sent))
	for i, s := range sent {
		id := identity(trial, side, i)
		saw := seen[id]
		out[i] = weir.StreamResult{
			Stream: id, Direction: weir.Directions[source(trial, side)%2], Sent: s.Sides[side], Received: saw.Received,
			Duplicate: saw.Duplicate, Late: saw.Late, Corrupt: saw.Corrupt, WrongSession: saw.WrongSession,
		}
		if out[i].Sent > saw.Received {
			out[i].Lost = out[i].Sent - saw.Received
		}
	}
	return out
}
