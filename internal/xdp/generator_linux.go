package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"weir/frame"
)

// MaxFrame is the largest frame, in octets with FCS, that live frames carry: a
// page less the kernel's headroom and tail.
const MaxFrame = 3400

// Order is what one trial asks of one sending thread.
type Order struct {
	Streams  [2]uint8      // identify the thread's frames, by side
	Trial    uint8         // identifies the trial's frames, 1-255
	Rate     float64       // frames/s of all sides together; 0: as many as possible
	Start    time.Duration // when to begin, on the clock of Now; later, with all that follows, when the kernel takes longer
	Duration time.Duration
	Frames   uint64        // how many to send at most; 0: no limit
	Phase    time.Duration // when the first frame is due after Start
	CPU      int
}

// Sent is what a sending thread did.
type Sent struct {
	Frames      uint64        // built and handed to the driver, which may have refused some
	Sides       [2]uint64     // of which through each side
	First, Last time.Duration // when, on the clock of Now
	Stalls      uint64        // frames that left late by more than the burst
	Longest     time.Duration // how late the latest of them was
	Burst       int           // frames that may have left back to back
}

// Now is the packet path's clock, CLOCK_MONOTONIC.
func Now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // the clock is always there
	}
	return time.Duration(ts.Nano())
}

// Side is one port that a generator sends through, with the frames for it.
type Side struct {
	Frames *frame.Builder
	Port   int // interface index in the calling thread's network namespace
}

// Generator sends frames from one thread, through one port or through two in
// turn.
type Generator struct {
	objects generatorObjects
	initial []byte
	headers [2][96]uint8
	paced   bool
	anchor  link.Link // nil without
}

// NewGenerator loads a generator for one side, or for two whose frames differ
// in addresses and ports only. A paced generator keeps a rate, another one
// sends as fast as it can.
func NewGenerator(sides []Side, paced bool) (*Generator, error) {
	spec, err := loadGenerator()
	if err != nil {
		return nil, fmt.Errorf("read the generator's object: %w", err)
	}
	b := sides[0].Frames
	g := &Generator{initial: b.Initial(), paced: paced}
	if len(g.initial)+frame.FCS > MaxFrame {
		return nil, fmt.Errorf("frames of %d octets: live frames carry at most %d", len(g.initial)+frame.FCS, MaxFrame)
	}
	spec.Maps["sizes"].MaxEntries = uint32(len(b.SizeEntries()))
	spec.Maps["flows"].MaxEntries = uint32(len(sides) * len(b.FlowEntries()))
	for name, value := range g.constants(b, len(sides)) {
		if err := spec.Variables[name].Set(value); err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
	}
	if err := spec.LoadAndAssign(&g.objects, nil); err != nil {
		return nil, explain("load the generator", err)
	}
	if err := g.fill(sides); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// constants tell the program what its frames look like.
func (g *Generator) constants(b *frame.Builder, sides int) map[string]any {
	layout := b.Template().Layout
	return map[string]any{
		"tags":    uint8((layout.L3 - 14) / 4),
		"ipv6":    flag(layout.L4-layout.L3 == 40),
		"tcp":     flag(layout.Payload-layout.L4 == 20),
		"brief":   flag(layout.Short),
		"mixed":   flag(len(b.SizeEntries()) > 1),
		"paced":   flag(g.paced),
		"sides":   uint8(sides),
		"sizes_n": uint32(len(b.SizeEntries())),
		"flows_n": uint32(len(b.FlowEntries())),
		"largest": uint16(len(g.initial)),
	}
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// fill writes what the frames hold into the program's maps.
func (g *Generator) fill(sides []Side) error {
	for i, s := range sides[0].Frames.SizeEntries() {
		e := generatorSizeEntry{Frame: s.Frame, IpLength: s.IPLength, L4Length: s.L4Length, IpSum: s.IPSum, L4Sum: s.L4Sum}
		if err := g.objects.Sizes.Put(uint32(i), e); err != nil {
			return fmt.Errorf("fill the table of sizes: %w", err)
		}
	}
	var keys []uint32
	var entries []generatorFlowEntry
	for i, side := range sides {
		headers := side.Frames.Template().Headers
		if copy(g.headers[i][:], headers) < len(headers) {
			return fmt.Errorf("headers of %d octets are too long", len(headers))
		}
		for _, f := range side.Frames.FlowEntries() {
			keys = append(keys, uint32(len(keys)))
			entries = append(entries, generatorFlowEntry{
				Source: words(f.Source), Destination: words(f.Destination),
				Ports: network16(f.SourcePort) | network16(f.DestinationPort)<<16,
				IpSum: f.IPSum, L4Sum: f.L4Sum,
			})
		}
		if err := g.objects.Ports.Put(uint32(i), uint32(side.Port)); err != nil {
			return explain("send through the port", err)
		}
	}
	if _, err := g.objects.Flows.BatchUpdate(keys, entries, nil); err != nil {
		return fmt.Errorf("fill the table of flows: %w", err)
	}
	return nil
}

// words are the octets of an address as the program's machine words.
func words(a [16]byte) [2]uint64 {
	return [2]uint64{binary.NativeEndian.Uint64(a[:8]), binary.NativeEndian.Uint64(a[8:])}
}

// network16 is v as a machine word whose octets are in network order.
func network16(v uint16) uint32 {
	return uint32(binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v)))
}

// Anchor attaches the program to a port of the calling thread's network
// namespace as well, where it lets everything pass. The kernel then begins and
// ends a run a thousand times faster.
func (g *Generator) Anchor(port int) error {
	l, err := attach(g.objects.Generate, port)
	if err != nil {
		return err
	}
	g.anchor = l
	return nil
}

// Run sends what the order asks and returns when that is done, when its time
// is over, or when ctx ends, whichever is first. A run that ctx ended is no
// error: Sent says how far it came.
func (g *Generator) Run(ctx context.Context, o Order) (Sent, error) {
	pace := Pacing(o.Rate)
	if g.paced != (o.Rate > 0) {
		return Sent{}, errors.New("the generator was loaded for the other kind of pacing")
	}
	order := generatorOrder{
		Start: uint64(o.Start), End: uint64(o.Start + o.Duration + pace.grace()),
		Count: o.Frames, Trial: o.Trial,
		Period: pace.period, PeriodFraction: pace.fraction, Quick: pace.quick,
		Burst: pace.quick * uint64(pace.Burst-1),
	}
	for i := range order.Side {
		order.Side[i].Headers, order.Side[i].Stream = g.headers[i], o.Streams[i]
	}
	if order.Count == 0 {
		order.Count = math.MaxUint64
	}
	if err := g.objects.Order.Set(order); err != nil {
		return Sent{}, err
	}
	if err := g.objects.Progress.Set(generatorProgress{Due: uint64(o.Start + o.Phase)}); err != nil {
		return Sent{}, err
	}
	done := func() bool {
		if ctx.Err() != nil || Now() > o.Start+o.Duration+overdue {
			return true
		}
		var p generatorProgress
		return g.objects.Progress.Get(&p) != nil || p.Done != 0
	}
	if err := live(ctx, g.objects.Generate, g.initial, pace.Batch, o.CPU, o.Start+o.Duration, done); err != nil {
		return Sent{}, err
	}
	runtime.KeepAlive(g)
	var p generatorProgress
	if err := g.objects.Progress.Get(&p); err != nil {
		return Sent{}, fmt.Errorf("read the generator's progress: %w", err)
	}
	last := p.Last
	if !g.paced {
		last = p.Now
	}
	return Sent{
		Frames: p.Sequence[0] + p.Sequence[1], Sides: p.Sequence,
		First: o.Start + o.Phase + time.Duration(p.Delay), Last: time.Duration(last),
		Stalls: p.Stalls, Longest: time.Duration(p.Longest), Burst: pace.Burst,
	}, nil
}

// Close unloads the generator.
func (g *Generator) Close() error {
	if g.anchor != nil {
		g.anchor.Close()
	}
	return g.objects.Close()
}
