package xdp

import (
	"context"
	"errors"
	"fmt"

	"weir/frame"
)

// Assorted sends frames of several kinds from one thread, through one port or
// through several in turn. It does what a Generator does and is slower, because
// it writes more of each frame.
type Assorted struct {
	engine
	objects assortedObjects
	own     [MaxSides]assortedSide
}

// The forms of a signature, as the program numbers them.
const (
	formUnsigned = iota
	formBrief
	formFull
)

// NewAssorted loads a generator of assorted frames for one side or more, whose
// frames differ in addresses and ports only.
func NewAssorted(sides []Side, o GeneratorOptions) (*Assorted, error) {
	if len(sides) > MaxSides {
		return nil, fmt.Errorf("%d ports are more than %d, which one thread can send through", len(sides), MaxSides)
	}
	spec, err := loadAssorted()
	if err != nil {
		return nil, fmt.Errorf("read the generator's object: %w", err)
	}
	b := sides[0].Frames
	g := &Assorted{engine: engine{initial: b.Initial(), options: o, sides: len(sides)}}
	if len(g.initial)+frame.FCS > MaxFrame {
		return nil, fmt.Errorf("frames of %d octets: live frames carry at most %d", len(g.initial)+frame.FCS, MaxFrame)
	}
	t := newTables(sides)
	for name, n := range map[string]int{"kinds": len(t.kinds), "turns": len(t.turns), "sizes": len(t.sizes), "flows": len(t.flows)} {
		spec.Maps[name].MaxEntries = uint32(n)
	}
	if err := o.apply(spec); err != nil {
		return nil, err
	}
	for name, value := range map[string]any{
		"turns_n":         uint32(len(t.turns)),
		"flows_n":         uint32(len(t.flows) / len(sides)),
		"broadcast":       uint32(len(b.Kinds())),
		"broadcast_ratio": b.BroadcastRatio(),
		"largest":         uint16(len(g.initial)),
	} {
		if err := spec.Variables[name].Set(value); err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
	}
	if err := spec.LoadAndAssign(&g.objects, nil); err != nil {
		return nil, explain("load the generator of assorted frames", err)
	}
	g.program, g.order, g.progress = g.objects.Assort, g.objects.Order, g.objects.Progress
	g.grid, g.steps = g.objects.Grid, g.objects.Steps
	g.schedule, g.departures = g.objects.Schedule, g.objects.Departures
	if err := errors.Join(t.put(&g.objects.assortedMaps), g.address(sides)); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// address sets what is each side's own: its port and its Ethernet addresses.
func (g *Assorted) address(sides []Side) error {
	for i, s := range sides {
		ethernet := s.Frames.Kinds()[0].Octets
		copy(g.own[i].Destination[:], ethernet)
		copy(g.own[i].Source[:], ethernet[len(g.own[i].Destination):])
		if err := g.objects.Ports.Put(uint32(i), uint32(s.Port)); err != nil {
			return explain("send through the port", err)
		}
	}
	return nil
}

// Run sends as Generator.Run does. What the order asks for are frames of the
// load: broadcast frames leave besides, and Sent counts them apart.
func (g *Assorted) Run(ctx context.Context, o Order) (Sent, error) {
	if err := g.begin(o); err != nil {
		return Sent{}, err
	}
	sent, err := g.run(ctx, o)
	if err != nil {
		return sent, err
	}
	var next assortedNext
	if err := g.objects.Next.Get(&next); err != nil {
		return sent, fmt.Errorf("read the generator's progress: %w", err)
	}
	sent.Broadcasts = next.Broadcasts
	return sent, nil
}

// begin writes what the program needs besides the order.
func (g *Assorted) begin(o Order) error {
	own := g.own
	for i, stream := range o.Streams {
		own[i].Stream = stream
	}
	return errors.Join(g.objects.Own.Set(own), g.objects.Next.Set(assortedNext{}))
}

// Close unloads the generator.
func (g *Assorted) Close() error {
	g.close()
	return g.objects.Close()
}
