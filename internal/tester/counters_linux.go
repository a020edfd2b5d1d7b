package tester

import (
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

const (
	// counting is how long a driver may take to count what it has sent: veth
	// does it after a batch.
	counting = 200 * time.Millisecond
	// silence is how long a port must seem to have sent nothing: some drivers
	// read their counters once a second.
	silence = 1500 * time.Millisecond
)

// tally are the driver's counters of the sending ports, by side.
type tally [xdp.MaxSides]netif.Sent

// counters are read before the frames are sent.
func (t *XDP) counters(trial weir.Trial, b *backend) (c tally, err error) {
	for side := range sides(trial) {
		if c[side], err = t.left(trial, b, side); err != nil {
			return c, err
		}
	}
	return c, nil
}

// countersSince is what the drivers counted since then of the frames that were
// handed to them, without the broadcast frames.
func (t *XDP) countersSince(before tally, trial weir.Trial, b *backend, sent []xdp.Sent) (c tally, err error) {
	frames := handed(sent)
	for side := range sides(trial) {
		c[side], err = leftSince(before[side], func() (netif.Sent, error) { return t.left(trial, b, side) }, frames[side])
		if err != nil {
			return c, err
		}
		c[side] = withoutBroadcasts(c[side], sent, side)
	}
	return c, nil
}

// withoutBroadcasts is what a driver counted of the frames of the load. It does
// not say which frames it refused; broadcast frames have their share of those.
func withoutBroadcasts(c netif.Sent, sent []xdp.Sent, side int) netif.Sent {
	var n uint64
	for _, s := range sent {
		n += s.Broadcasts[side]
	}
	if n == 0 || c.Sent+c.Refused == 0 {
		return c
	}
	refused := uint64(float64(c.Refused) * float64(n) / float64(c.Sent+c.Refused))
	c.Refused -= refused
	c.Sent -= min(c.Sent, n-refused)
	return c
}

// left reads the counters of the port of a side.
func (t *XDP) left(trial weir.Trial, b *backend, side int) (s netif.Sent, err error) {
	err = t.config.Namespace.Do(func() error {
		s, err = b.left(t.sending(trial, side))
		return err
	})
	return s, err
}

// sending is the name of the port of a side.
func (t *XDP) sending(trial weir.Trial, side int) string {
	if trial.Bypass {
		return t.config.Self.Tester
	}
	return t.config.Ports[source(trial, side)].Tester
}

// handed are the frames that were handed to the drivers, by side, with the
// broadcast frames.
func handed(sent []xdp.Sent) (frames [xdp.MaxSides]uint64) {
	for _, s := range sent {
		for side, n := range s.Sides {
			frames[side] += n + s.Broadcasts[side]
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
		limit := counting + c.Late
		if c == before {
			limit = max(limit, silence)
		}
		c.Sent -= before.Sent
		c.Refused = min(c.Refused-before.Refused, handed)
		if c.Sent+c.Refused >= handed || time.Since(began) > limit {
			c.Sent = min(c.Sent, handed-c.Refused)
			return c, nil
		}
	}
}

// noneLeft is an error when a port's driver took none of the live frames that
// it was given: one that cannot transmit them does not say so.
func (t *XDP) noneLeft(before tally, trial weir.Trial, sent []xdp.Sent) error {
	frames := handed(sent)
	for end := time.Now().Add(silence); ; time.Sleep(time.Millisecond) {
		now, err := t.counters(trial, live)
		if err != nil {
			return err
		}
		silent := -1
		for side := range sides(trial) {
			if frames[side] == 0 || now[side] != before[side] {
				continue
			}
			if got, err := t.cameBack(trial, side, len(sent)); err != nil {
				return err
			} else if !got {
				silent = side
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

// cameBack reports whether any frame of a side has come back.
func (t *XDP) cameBack(trial weir.Trial, side, threads int) (bool, error) {
	seen, err := t.seen(trial)
	for thread := range threads {
		if seen[identity(trial, side, thread)].Received > 0 {
			return true, err
		}
	}
	return false, err
}
