package tester

import (
	"context"
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

// listening are the receivers of the trial's directions, by direction.
func (t *XDP) listening(trial weir.Trial) []*xdp.Receiver {
	switch {
	case trial.Bypass:
		return []*xdp.Receiver{t.self}
	case trial.Traffic.Bidirectional:
		return []*xdp.Receiver{t.receivers[1], t.receivers[0]}
	}
	return []*xdp.Receiver{t.receivers[1]}
}

// result adds to a trial's result what was sent and what came back.
func (t *XDP) result(r *weir.TrialResult, b *backend, sent []xdp.Sent, left tally) error {
	var drops []weir.Drop
	for dir, receiver := range t.listening(r.Trial) {
		// What was refused found the ring at the other end full: it was offered.
		r.Offered += left[dir].Sent + left[dir].Refused
		if place := b.full(dir, r.Trial.Bypass); place != "" {
			drops = append(drops, weir.Drop{Place: place, Count: left[dir].Refused})
		}
		streams, err := receiver.Seen()
		if err != nil {
			return err
		}
		r.Streams = append(r.Streams, streamResults(dir, sent, streams)...)
		h, err := receiver.Latency()
		if err != nil {
			return err
		}
		r.Latency.Merge(h)
	}
	var corrupt uint64
	for _, s := range r.Streams {
		r.Received += s.Received
		corrupt += s.Corrupt
	}
	drops = append(drops, weir.Drop{Place: "wrong checksum on receipt", Count: corrupt})
	r.Ledger = weir.Balance(r.Offered, r.Received, drops)
	return nil
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
	}
	if first == 0 {
		return
	}
	r.Start = time.Now().Add(first - xdp.Now())
	r.Sending = last - first
}

// streamResults sets what was sent against what was seen, for one direction.
func streamResults(dir int, sent []xdp.Sent, seen []xdp.Stream) []weir.StreamResult {
	byID := make(map[int]xdp.Stream)
	for _, s := range seen {
		byID[s.ID] = s
	}
	out := make([]weir.StreamResult, len(sent))
	for i, s := range sent {
		id := dir*perDirection + i
		saw := byID[id]
		out[i] = weir.StreamResult{
			Stream: id, Direction: [2]string{"forward", "reverse"}[dir], Sent: s.Sides[dir], Received: saw.Received,
			Duplicate: saw.Duplicate, Late: saw.Late, Corrupt: saw.Corrupt,
		}
		if out[i].Sent > saw.Received {
			out[i].Lost = out[i].Sent - saw.Received
		}
	}
	return out
}
