package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"weir/frame"
)

// MaxFrame is the largest frame, in octets with FCS, that live frames carry: a
// page less the kernel's headroom and tail.
const MaxFrame = 3400

// Side is one port that a generator sends through, with the frames for it.
type Side struct {
	Frames *frame.Builder
	Port   int // interface index in the calling thread's network namespace
}

// Generator sends frames from one thread, through one port or through several
// in turn.
type Generator struct {
	engine
	objects generating
	sides   [MaxSides]generatorSide
}

// generating are the generator's objects with one of its programs, as Generate.
type generating struct {
	generatorMaps
	generatorVariables
	Generate *ebpf.Program `ebpf:"generate"`
}

// NewGenerator loads a generator for one side or more, MaxSides at most, whose
// frames differ in addresses and ports only.
func NewGenerator(sides []Side, o GeneratorOptions) (*Generator, error) {
	if len(sides) > MaxSides {
		return nil, fmt.Errorf("%d ports are more than %d, which one thread can send through", len(sides), MaxSides)
	}
	spec, err := loadGenerator()
	if err != nil {
		return nil, fmt.Errorf("read the generator's object: %w", err)
	}
	b := sides[0].Frames
	g := &Generator{engine: engine{initial: b.Initial(), options: o, sides: len(sides)}}
	if len(g.initial)+frame.FCS > MaxFrame {
		return nil, fmt.Errorf("frames of %d octets: live frames carry at most %d", len(g.initial)+frame.FCS, MaxFrame)
	}
	tables := 1 // of sizes
	if b.Template().Layout.Session {
		tables = len(sides)
		spec.Maps["sessions"].MaxEntries = uint32(len(b.FlowEntries()))
		spec.Programs["generate"] = spec.Programs["generate_inside"]
	}
	spec.Maps["sizes"].MaxEntries = uint32(tables * len(b.SizeEntries()))
	spec.Maps["flows"].MaxEntries = uint32(len(sides) * len(b.FlowEntries()))
	if err := o.apply(spec); err != nil {
		return nil, err
	}
	for name, value := range g.constants(b, len(sides)) {
		if err := spec.Variables[name].Set(value); err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
	}
	if err := spec.LoadAndAssign(&g.objects, nil); err != nil {
		return nil, explain("load the generator", err)
	}
	g.program, g.order, g.progress = g.objects.Generate, g.objects.Order, g.objects.Progress
	g.grid, g.steps = g.objects.Grid, g.objects.Steps
	g.schedule, g.departures = g.objects.Schedule, g.objects.Departures
	if err := errors.Join(g.fillSizes(sides[:tables]), g.fillSessions(b), g.fill(sides)); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// constants tell the program what its frames look like.
func (g *Generator) constants(b *frame.Builder, sides int) map[string]any {
	layout := b.Template().Layout
	return map[string]any{
		"tags":    uint8((layout.L3 - 14) / 4), // no meaning inside sessions
		"ipv6":    flag(layout.L4-layout.L3 == 40),
		"tcp":     flag(layout.Payload-layout.L4 == 20),
		"brief":   flag(layout.Short),
		"mixed":   flag(len(b.SizeEntries()) > 1),
		"uniform": flag(len(b.SizeEntries()) == 1 && len(b.FlowEntries()) == 1),
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

// fillSizes writes what frames of each size hold into the program's map, of these sides.
func (g *Generator) fillSizes(sides []Side) error {
	at := uint32(0)
	for _, side := range sides {
		for _, s := range side.Frames.SizeEntries() {
			e := generatorSizeEntry{Frame: s.Frame, IpLength: s.IPLength, L4Length: s.L4Length, IpSum: s.IPSum, L4Sum: s.L4Sum}
			if err := g.objects.Sizes.Put(at, e); err != nil {
				return fmt.Errorf("fill the table of sizes: %w", err)
			}
			at++
		}
	}
	return nil
}

// fill writes what the frames of each side and flow hold into the program's maps.
func (g *Generator) fill(sides []Side) error {
	var keys []uint32
	var entries []generatorFlowEntry
	for i, side := range sides {
		b := side.Frames
		// Complete but for the L4 checksum, as uniform frames need them.
		whole := b.Frame(nil, 0, frame.Signature{})
		headers := whole[:b.Template().Layout.Payload]
		if copy(g.sides[i].Headers[:], headers) < len(headers) {
			return fmt.Errorf("headers of %d octets are too long", len(headers))
		}
		if end := b.Kinds()[0].SignatureEnd(); sides[0].Frames.Template().Layout.Session && i > 0 {
			g.sides[i].Filler = binary.NativeEndian.Uint64(whole[end:])
		}
		g.sides[i].Sum = uint64(b.SizeEntries()[0].L4Sum) + uint64(b.FlowEntries()[0].L4Sum)
		for _, f := range b.FlowEntries() {
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

// Run sends what the order asks and returns when that is done, when its time
// is over, or when ctx ends, whichever is first. A run that ctx ended is no
// error: Sent says how far it came.
func (g *Generator) Run(ctx context.Context, o Order) (Sent, error) {
	for i := range g.sides {
		g.sides[i].Stream = o.Streams[i]
	}
	if err := g.objects.Templates.Set(g.sides); err != nil {
		return Sent{}, err
	}
	if err := g.objects.Next.Set(generatorNext{}); err != nil {
		return Sent{}, err
	}
	return g.run(ctx, o)
}

// Close unloads the generator.
func (g *Generator) Close() error {
	g.close()
	return errors.Join(g.objects.Generate.Close(), g.objects.generatorMaps.Close())
}
