package tester

import (
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// tally are the driver's counters of the sending ports, by direction.
type tally [2]netif.Sent

func (a tally) minus(b tally) tally {
	for i := range a {
		a[i].Sent -= b[i].Sent
		a[i].Refused -= b[i].Refused
	}
	return a
}

func (t *XDP) counters(bypass bool) (c tally, err error) {
	err = t.config.Namespace.Do(func() error {
		if bypass {
			c[0], err = netif.ReadSent(t.config.Self.Tester)
			return err
		}
		for i, p := range t.config.Ports {
			if c[i], err = netif.ReadSent(p.Tester); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// result puts a trial's result together.
func (t *XDP) result(trial weir.Trial, sent []xdp.Sent, c tally) (weir.TrialResult, error) {
	r := weir.TrialResult{Trial: trial, Backend: "xdp"}
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
	receivers := t.listening(trial)
	var drops []weir.Drop
	for dir, receiver := range receivers {
		// What the driver refused found the ring at the other end full: it was
		// offered, and the DUT's counters account for it.
		r.Offered += c[dir].Sent + c[dir].Refused
		if trial.Bypass {
			drops = append(drops, weir.Drop{Place: "tester receive ring full (veth xdp_xmit_errors)", Count: c[dir].Refused})
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
