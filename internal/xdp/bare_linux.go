package xdp

import (
	"context"
	"time"
)

// Bare sends one frame again and again as fast as the kernel goes, without
// looking at it: the limit of any generator that sends the same way, as it does
// all that they do but writing frames.
type Bare struct{ objects plainObjects }

// NewBare loads one that sends through the port with the given index in the
// calling thread's network namespace.
func NewBare(port int) (*Bare, error) {
	b := &Bare{}
	if err := loadPlainObjects(&b.objects, nil); err != nil {
		return nil, explain("load the plain programs", err)
	}
	if err := b.objects.Out.Put(uint32(0), uint32(port)); err != nil {
		b.objects.Close()
		return nil, explain("send through the port", err)
	}
	return b, nil
}

// Run sends the frame, whose octets are without FCS, from the given CPU until
// ctx ends.
func (b *Bare) Run(ctx context.Context, frame []byte, cpu int) error {
	const never = 1<<63 - 1
	return live(ctx, run{
		program: b.objects.Bare, frame: frame, batch: Pacing(0).Batch, cpu: cpu,
		early: time.Duration(never), done: func() bool { return ctx.Err() != nil },
	})
}

// Close unloads it.
func (b *Bare) Close() error { return b.objects.Close() }
