package xdp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// fastest is a rate in frames/s that one thread hardly exceeds.
const fastest = 40e6

// spare is how long after its end a run that ends by itself ends: more than the
// kernel takes to begin one, and little beside a trial.
const spare = 300 * time.Microsecond

// Now is the packet path's clock: CLOCK_MONOTONIC as BPF programs read it, which no time
// namespace shifts.
func Now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // the clock is always there
	}
	return time.Duration(ts.Nano()) - shifted()
}

// GeneratorOptions say what a sender is opened for.
type GeneratorOptions struct {
	Paced bool // it keeps a rate; otherwise it sends as fast as it can
	Steps int  // of the timeline that it keeps (Grid.Steps); 0: none
	Loads int  // of an order that it takes at most; 0 means 1
}

// engine runs a program that decides by itself when its frames leave: one that
// includes pace.h, whatever it builds.
type engine struct {
	program               *ebpf.Program
	order, progress, grid *ebpf.Variable // generatorOrder, generatorProgress and generatorGrid, in every such program
	steps                 *ebpf.Map
	schedule, departures  *ebpf.Map
	sides                 int    // that it sends through
	initial               []byte // the frame that the kernel hands in
	options               GeneratorOptions
	anchor                link.Link // nil without
}

// apply sets the constants of such a program before it is loaded.
func (o GeneratorOptions) apply(spec *ebpf.CollectionSpec) error {
	spec.Maps["schedule"].MaxEntries = uint32(max(o.Loads, 1))
	spec.Maps["departures"].MaxEntries = uint32(max(o.Loads, 1))
	return errors.Join(spec.Variables["paced"].Set(flag(o.Paced)), setSteps(spec, o.Steps))
}

// Anchor attaches the program to a port of the calling thread's network
// namespace as well, where it lets everything pass. The kernel then begins and
// ends a run a thousand times faster.
func (e *engine) Anchor(port int) error {
	l, err := attach(e.program, port)
	if err != nil {
		return err
	}
	e.anchor = l
	return nil
}

// run sends what the order asks, as Generator.Run does.
func (e *engine) run(ctx context.Context, o Order) (Sent, error) {
	if err := e.prepare(o); err != nil {
		return Sent{}, err
	}
	r := run{program: e.program, frame: e.initial, cpu: o.CPU, early: o.Start + o.length(), done: e.done(ctx, o)}
	for _, l := range o.loads() {
		r.batch = max(r.batch, l.pace().Batch)
	}
	if o.Duration == 0 {
		r.early = Now() + time.Duration(float64(o.frames())/fastest*float64(time.Second))
	} else if e.anchor != nil {
		r.early = o.End() + 10*spare // it ends by itself, and nobody has to ask
		r.over = func() time.Duration {
			var p generatorProgress
			if e.progress.Get(&p) != nil {
				return 0
			}
			return o.over(p, Now())
		}
	}
	if err := live(ctx, r); err != nil {
		return Sent{}, err
	}
	runtime.KeepAlive(e)
	return e.sent(o)
}

// prepare writes the order into the program's variables.
func (e *engine) prepare(o Order) error {
	if err := o.Check(); err != nil {
		return err
	}
	if o.Grid.Steps != e.options.Steps {
		return errors.New("the generator was loaded for another timeline")
	}
	if e.options.Paced != (o.Rate > 0) {
		return errors.New("the generator was loaded for the other kind of pacing")
	}
	if err := clearSteps(e.steps, e.options.Steps); err != nil {
		return err
	}
	return errors.Join(e.put(o.Start, o.Trial, o.schedules(e.sides)),
		e.grid.Set(generatorGrid{Start: uint64(o.Grid.Start), Shift: uint32(o.Grid.Shift)}))
}

// put makes the program begin with the first of these windows when it is run.
func (e *engine) put(start time.Duration, trial uint8, windows []schedule) error {
	if most := int(e.schedule.MaxEntries()); len(windows) > most {
		return fmt.Errorf("%d loads are more than the %d that the generator was loaded for", len(windows), most)
	}
	entries := make([]generatorWindow, len(windows))
	for i, s := range windows {
		entries[i] = generatorWindow{
			First: s.first, End: s.end, Count: s.count, Burst: s.burst,
			Period: s.period, PeriodFraction: s.fraction, Quick: s.quick, Ahead: s.ahead,
			Side: s.side, Until: s.until,
		}
	}
	return errors.Join(writeArray(e.schedule, entries),
		e.order.Set(generatorOrder{Start: uint64(start), Windows: uint32(len(windows)), Trial: trial}),
		e.progress.Set(generatorProgress{}))
}

// done tells when a run is over: the program says so, or ctx has ended, or it is in vain to
// wait any longer. The kernel may begin a single load seconds late, on a machine that many
// use: the load has its whole time then.
func (e *engine) done(ctx context.Context, o Order) func() bool {
	var lock sync.Mutex // the thread that sends asks, and the one that waits for it
	var frames uint64
	var moved time.Duration // when these were found first
	return func() bool {
		var p generatorProgress
		if ctx.Err() != nil || e.progress.Get(&p) != nil || p.Done != 0 {
			return true
		}
		now := Now()
		switch {
		case p.Begun == 0 && len(o.Then) == 0:
			return now > o.Start+o.patience()
		case o.Duration > 0:
			return now > o.Start+o.length()+time.Duration(p.Delay)+overdue
		}
		lock.Lock()
		defer lock.Unlock()
		if p.Frames != frames || moved == 0 {
			frames, moved = p.Frames, now
		}
		return now > moved+patience
	}
}

// patience is how late a single load may begin: later frames would have no place in the
// timeline, where one is kept.
func (o Order) patience() time.Duration {
	if o.Grid.Steps > 0 {
		return overdue
	}
	return patience
}

// From is an order as it is begun at a time: a single load that begins late has its whole
// time from then on, as in the kernel.
func (o Order) From(now time.Duration) Order {
	if late := now - o.Start; late > 0 && len(o.Then) == 0 {
		o.Start += min(late, o.patience())
	}
	return o
}

// over tells when a run that has come so far by now ends for sure: when the
// last frames may leave at the latest, with some time to spare; 0 when that is
// past. It is known once the program has begun, and nearly so before; that of
// several loads always.
func (o Order) over(p generatorProgress, now time.Duration) time.Duration {
	delay := max(0, now-o.Start)
	if len(o.Then) > 0 {
		delay = 0
	} else if p.Begun != 0 {
		delay = time.Duration(p.Delay)
	}
	if end := o.End() + delay + spare; end > now {
		return end
	}
	return 0
}

// sent reads how far the program came.
func (e *engine) sent(o Order) (Sent, error) {
	var p generatorProgress
	if err := e.progress.Get(&p); err != nil {
		return Sent{}, fmt.Errorf("read the generator's progress: %w", err)
	}
	last := p.Last
	if !e.options.Paced {
		last = p.Now
	}
	steps, err := readSteps(e.steps, e.options.Steps)
	if err != nil {
		return Sent{}, err
	}
	loads, longest, err := e.departed(p, 1+len(o.Then))
	return Sent{
		Frames: p.Frames, Sides: p.Sequence,
		First: o.Start + o.Phase + time.Duration(p.Delay), Last: time.Duration(last),
		Stalls: p.Stalls, Longest: longest, Burst: o.BackToBack(), Loads: loads, Steps: steps,
	}, err
}

// departed is what left of each of n loads, and how late the latest frame was.
func (e *engine) departed(p generatorProgress, n int) (all []Departed, longest time.Duration, err error) {
	kept := make([]generatorDeparted, n)
	if err := readInto(e.departures, kept[:min(int(p.At), n)]); err != nil {
		return nil, 0, err
	}
	if p.Begun != 0 && int(p.At) < n { // the last one that began, which nobody has closed
		kept[p.At] = generatorDeparted{Frames: p.Frames - p.Before, Longest: p.Longest, Gap: p.Gap, Paused: p.Paused}
	}
	for _, d := range kept {
		if !e.options.Paced { // a frame is due at any time
			d.Longest = d.Gap
		}
		all = append(all, Departed{Frames: d.Frames, Longest: time.Duration(d.Longest), Gap: time.Duration(d.Gap), Paused: time.Duration(d.Paused)})
		longest = max(longest, time.Duration(d.Longest))
	}
	return all, longest, nil
}

// close detaches the program.
func (e *engine) close() {
	if e.anchor != nil {
		e.anchor.Close()
	}
}
