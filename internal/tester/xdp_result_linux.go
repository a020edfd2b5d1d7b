package tester

import (
	"context"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

const (
	// hurry is how long frames under way are waited for when the context has
	// ended.
	hurry = 50 * time.Millisecond
	// counting is how long a driver may take to count what it has sent: veth
	// does it after a batch.
	counting = 200 * time.Millisecond
	// silence is how long a port must seem to have sent nothing: some drivers
	// read their counters once a second.
	silence = 1500 * time.Millisecond
)

// noneLeft is an error when a port's driver took none of the live frames that
// it was given: one that cannot transmit them does not say so.
func (t *XDP) noneLeft(before tally, trial weir.Trial, sent []xdp.Sent) error {
	handed := handed(sent)
	for end := time.Now().Add(silence); ; time.Sleep(time.Millisecond) {
		now, err := t.counters(trial, live)
		if err != nil {
			return err
		}
		silent := -1
		for dir, receiver := range t.listening(trial) {
			if handed[dir] == 0 || now[dir] != before[dir] {
				continue
			}
			if got, err := receiver.Count(); err != nil {
				return err
			} else if got == 0 {
				silent = dir
			}
		}
		if silent < 0 {
			return nil
		}
		if !time.Now().Before(end) {
			return noneLeft(t.sending(trial, silent))
		}
	}
}

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

// tally are the driver's counters of the sending ports, by direction.
type tally [2]netif.Sent

// counters are read before the frames are sent.
func (t *XDP) counters(trial weir.Trial, b *backend) (c tally, err error) {
	for dir := range directions(trial) {
		if c[dir], err = t.left(trial, b, dir); err != nil {
			return c, err
		}
	}
	return c, nil
}

// countersSince is what the drivers counted since then of the frames that were
// handed to them.
func (t *XDP) countersSince(before tally, trial weir.Trial, b *backend, sent []xdp.Sent) (c tally, err error) {
	handed := handed(sent)
	for dir := range directions(trial) {
		c[dir], err = leftSince(before[dir], func() (netif.Sent, error) { return t.left(trial, b, dir) }, handed[dir])
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// left reads the counters of the port that sends in a direction.
func (t *XDP) left(trial weir.Trial, b *backend, dir int) (s netif.Sent, err error) {
	err = t.config.Namespace.Do(func() error {
		s, err = b.left(t.sending(trial, dir))
		return err
	})
	return s, err
}

// sending is the name of the port that sends in a direction.
func (t *XDP) sending(trial weir.Trial, dir int) string {
	if trial.Bypass {
		return t.config.Self.Tester
	}
	return t.config.Ports[dir].Tester
}

// handed are the frames that were handed to the drivers, by direction.
func handed(sent []xdp.Sent) (frames [2]uint64) {
	for _, s := range sent {
		for dir, n := range s.Sides {
			frames[dir] += n
		}
	}
	return frames
}

// leftSince is what a driver counted since then of the frames that were handed
// to it, when it has counted all of them or has had the time to. The stack
// sends a frame now and then (neighbour discovery, say), which some drivers
// count too: no more of ours can have left than there were.
func leftSince(before netif.Sent, read func() (netif.Sent, error), handed uint64) (netif.Sent, error) {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		c, err := read()
		if err != nil {
			return c, err
		}
		limit := counting
		if c == before {
			limit = silence
		}
		c.Sent -= before.Sent
		c.Refused = min(c.Refused-before.Refused, handed)
		if c.Sent+c.Refused >= handed || time.Since(began) > limit {
			c.Sent = min(c.Sent, handed-c.Refused)
			return c, nil
		}
	}
}

// result puts a trial's result together.
func (t *XDP) result(trial weir.Trial, b *backend, sent []xdp.Sent, left tally) (weir.TrialResult, error) {
	r := weir.TrialResult{Trial: trial, Backend: b.name}
	when(&r, sent)
	var drops []weir.Drop
	for dir, receiver := range t.listening(trial) {
		// What was refused found the ring at the other end full: it was offered.
		r.Offered += left[dir].Sent + left[dir].Refused
		if place := b.full(dir, trial.Bypass); place != "" {
			drops = append(drops, weir.Drop{Place: place, Count: left[dir].Refused})
		}
		streams, err := receiver.Seen()
		if err != nil {
			return r, err
		}
		r.Streams = append(r.Streams, streamResults(dir, sent, streams)...)
		h, err := receiver.Latency()
		if err != nil {
			return r, err
		}
		r.Latency.Merge(h)
	}
	var corrupt uint64
	for _, s := range r.Streams {
		r.Received += s.Received
		corrupt += s.Corrupt
	}
	drops = append(drops, weir.Drop{Place: "tester receiver: wrong checksum", Count: corrupt})
	r.Ledger = weir.Balance(r.Offered, r.Received, drops)
	return r, nil
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
