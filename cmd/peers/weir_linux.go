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
func (l *lab) weir(ctx context.Context) (flow, error) {
	traffic := weir.Traffic{Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	frames, err := frame.NewBuilder(traffic, traffic.Forward, l.mac, l.far)
	if err != nil {
		return flow{}, err
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
		return flow{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		_, err := g.Run(ctx, xdp.Order{Load: xdp.Load{Duration: time.Hour}, Trial: 1, Start: xdp.Now(), CPU: sendingCPU})
		ended <- err
		g.Close()
	}()
	return flow{ended: ended, stop: func() { cancel(); <-gone }}, nil
}
