package snmp

import (
	"context"
	"fmt"
	"time"

	"weir"
)

const (
	settleEach = time.Second // between two readings: many switches poll their counters no more often

	// SettleMost is for how long a witness waits until its counters stand still: Net-SNMP
	// reads those of Linux every 3 s.
	SettleMost = 4 * time.Second

	tick      = 10 * time.Millisecond // of the uptime
	tickSlack = 10 * time.Second      // by how much an uptime may be ahead of the clock here
)

// Where values of an interface stand.
const (
	atUpTime = iota
	atLosses
	inLosses = 2 // how many of the losses came in
)

// Counts are what all interfaces have counted since whenever the switch began, and
// when that was.
type Counts struct {
	read   time.Time
	values [][]Value // of each interface, as its objects
	owed   *owed     // nil: nothing from before
}

// owed are frames that a switch has not counted since a reading, although it was waited
// for.
type owed struct {
	since  *Counts
	frames Frames
}

// Frames are those whose counts are awaited.
type Frames struct {
	Offered  uint64 // sent into all paths
	Received uint64 // come back
	Paths    int    // ways through the switch that have no interface in common
}

// Read reads all counters.
func (w *Witness) Read(ctx context.Context) (*Counts, error) {
	out := &Counts{}
	for _, p := range w.ports {
		values, err := w.agent.Get(ctx, p.objects)
		if err != nil {
			return nil, fmt.Errorf("the witness %v: %w", w.at, err)
		}
		out.values = append(out.values, values)
	}
	out.read = time.Now()
	return out, nil
}

// Begin reads all counters before frames are sent, and finds out whether they still lack
// some of those before.
func (w *Witness) Begin(ctx context.Context) (*Counts, error) {
	c, err := w.Read(ctx)
	if err != nil {
		return nil, err
	}
	if w.owed != nil && c.short(w.owed.since, w.owed.frames) {
		c.owed = w.owed
	}
	w.owed = c.owed
	return c, nil
}

// Settled reads all counters until they stand still and have counted all frames, or
// SettleMost is over: a switch may show what it counted seconds later, and until then what
// it had counted in the middle. Where frames are lost outside of the interfaces, their counts do not tell
// whether they are all, and it waits for as long. Those that cannot be all are an error
// beside what they say.
func (w *Witness) Settled(ctx context.Context, before *Counts, frames Frames) (*Counts, error) {
	since := before
	if o := before.owed; o != nil {
		since = o.since
		frames.Offered += o.frames.Offered
		frames.Received += o.frames.Received
		frames.Paths = max(frames.Paths, o.frames.Paths)
	}
	end := time.Now().Add(SettleMost)
	last, err := w.Read(ctx)
	for err == nil && time.Now().Before(end) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(settleEach):
		}
		var next *Counts
		if next, err = w.Read(ctx); err != nil {
			return nil, err
		}
		still := next.equal(last)
		if last = next; still && last.all(since, frames) {
			return last, nil
		}
	}
	if err == nil && last.short(since, frames) {
		w.owed = &owed{since, frames}
		in, out := last.passed(since)
		err = fmt.Errorf("the witness %v counted %d frames in and %d out, %v after %d had been sent and %d come through: its counters are older than that, or these are not the interfaces",
			w.at, in, out, SettleMost, frames.Offered, frames.Received)
	}
	return last, err
}

// all reports whether the counters prove that they are of the end: each frame that was
// sent came in somewhere or was lost there, and each that came back went out. A single
// interface has the frames on their way in or on their way out. Where a path has more
// than two, frames are counted again and again, and so each has to have had those that
// came back.
func (c *Counts) all(before *Counts, frames Frames) bool {
	in, out := c.passed(before)
	if len(c.values) == 1 {
		return in+out >= frames.Offered || out >= frames.Received && out > 0
	}
	if len(c.values) > 2*frames.Paths {
		for i := range c.values {
			if in, out := c.at(i, before); in+out < frames.Received/uint64(max(frames.Paths, 1)) {
				return false
			}
		}
	}
	return in >= frames.Offered && out >= frames.Received
}

// short reports whether the counters lack frames wherever the interfaces are: those
// before the box have all that were sent, those behind it all that came back.
func (c *Counts) short(before *Counts, frames Frames) bool {
	in, out := c.passed(before)
	if len(c.values) == 1 {
		return in+out < frames.Received
	}
	return in < frames.Offered && out < frames.Received
}

// passed is how many frames came in since then, with those that were lost there, and
// how many went out, over all interfaces.
func (c *Counts) passed(before *Counts) (in, out uint64) {
	for i := range c.values {
		came, went := c.at(i, before)
		in, out = in+came, out+went
	}
	return in, out
}

// at is passed of one interface.
func (c *Counts) at(i int, before *Counts) (in, out uint64) {
	since := func(k int) uint64 { return rise(before.values[i][k], c.values[i][k]) }
	for k := range inLosses {
		in += since(atLosses + k)
	}
	passed := atLosses + len(losses)
	return in + since(passed), since(passed + 1)
}

// equal reports whether nothing was counted between two readings.
func (c *Counts) equal(o *Counts) bool {
	for i, values := range c.values {
		for k := atLosses; k < len(values); k++ {
			if values[k] != o.values[i][k] {
				return false
			}
		}
	}
	return true
}

// Since are the drops between two readings. The error says that the switch began anew
// between them, or when the first was read lacked frames from before, whose drops nobody
// can tell from those since.
func (w *Witness) Since(before, after *Counts) (out []weir.Drop, err error) {
	if before.owed != nil {
		return nil, fmt.Errorf("the witness %v had not counted the frames of an earlier trial when this one began, and their drops cannot be told apart", w.at)
	}
	for i, p := range w.ports {
		then, now := before.values[i], after.values[i]
		if anew(then[atUpTime], now[atUpTime], after.read.Sub(before.read)) {
			return nil, fmt.Errorf("the witness %v began anew during the trial, and its counters with it", w.at)
		}
		for k, l := range losses {
			if n := rise(then[atLosses+k], now[atLosses+k]); n > 0 {
				out = append(out, weir.Drop{Place: fmt.Sprintf("witness %v port %s %s", w.at, p.name, l.does), Count: n})
			}
		}
	}
	return out, nil
}

// anew reports whether an uptime began anew otherwise than each does after 497 days: it
// is less than before, and not because it went on through 0 for the time that passed.
func anew(before, after Value, passed time.Duration) bool {
	went := time.Duration(uint32(after.Number)-uint32(before.Number)) * tick
	return after.Number < before.Number && went > passed+tickSlack
}

// rise is by how much a counter rose, which may have begun anew at 0 once.
func rise(before, after Value) uint64 {
	switch {
	case before.Bits != after.Bits:
		return 0 // it is there no more, or only now
	case after.Bits == 32:
		return uint64(uint32(after.Number) - uint32(before.Number))
	}
	return after.Number - before.Number
}
