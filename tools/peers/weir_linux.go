package main

import (
	"context"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// weir sends 64-octet frames as fast as it can, every header octet rewritten,
// with signature and checksums.
func (l *lab) weir(context.Context) (source, error) {
	frames, err := l.frames()
	if err != nil {
		return nil, err
	}
	var g *xdp.Generator
	err = l.ns.Do(func() error {
		port, err := netif.Index(l.port)
		if err != nil {
			return err
		}
		g, err = xdp.NewGenerator([]xdp.Side{{Frames: frames, Port: port}}, xdp.GeneratorOptions{})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &own{Closer: g, run: func(ctx context.Context) error {
		_, err := g.Run(ctx, xdp.Order{Load: xdp.Load{Duration: time.Hour}, Trial: 1, Start: xdp.Now(), CPU: sendingCPU})
		return err
	}}, nil
}

// bare sends one of weir's frames without touching it, in the same way.
func (l *lab) bare(context.Context) (source, error) {
	frames, err := l.frames()
	if err != nil {
		return nil, err
	}
	var b *xdp.Bare
	err = l.ns.Do(func() error {
		port, err := netif.Index(l.port)
		if err != nil {
			return err
		}
		b, err = xdp.NewBare(port)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &own{Closer: b, run: func(ctx context.Context) error { return b.Run(ctx, frames.Initial(), sendingCPU) }}, nil
}

// frames are those that weir sends to the sink.
func (l *lab) frames() (*frame.Builder, error) {
	traffic := weir.Traffic{Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	return frame.NewBuilder(traffic, traffic.Forward, l.mac, l.far)
}
