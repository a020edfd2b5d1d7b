package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"weir/internal/xdp"
)

// sender is one of the generators that are compared.
type sender struct {
	name    string
	program string                                      // that it takes; none when weir does it itself
	version []string                                    // the arguments that make it say its version
	open    func(*lab, context.Context) (source, error) // nil: it needs no lab

	says   string // of its version
	lab    *lab
	source source // nil before it is open, and after it failed
}

// source is a sender that is open, in a lab of its own.
type source interface {
	// start makes it send, or go on with it. The channel gets what a sender says
	// that ends by itself.
	start() (ended <-chan error, err error)
	hold()  // makes it send no more
	close() // leaves nothing of it
}

func senders() []*sender {
	return []*sender{
		{name: weirName, open: (*lab).weir},
		// Not a peer, and it sends nothing: how often the kernel could run a
		// generator's program, and so a ceiling for weir.
		{name: loopName},
		// No peer either: the limit of whatever redirects its frames to this sink.
		{name: bareName, open: (*lab).bare},
		{name: "xdp_trafficgen", program: xdpTrafficgen, version: []string{"udp", "--version"}, open: (*lab).xdpTrafficgen},
		{name: "testpmd_af_xdp", program: testpmd, version: testpmdVersion, open: (*lab).testpmdXDP},
		{name: "testpmd_af_packet", program: testpmd, version: testpmdVersion, open: (*lab).testpmdPacket},
		{name: "sendmmsg_af_packet", open: (*lab).sendmmsg},
		{name: "trafgen", program: "trafgen", version: []string{"--version"}, open: (*lab).trafgen},
		{name: "iperf3", program: "iperf3", version: []string{"--version"}, open: (*lab).iperf3},
	}
}

// prepare opens a sender, has it send until frames arrive, and holds it.
func (s *sender) prepare(ctx context.Context) (err error) {
	if s.open == nil {
		return nil
	}
	if s.program != "" {
		if _, err := exec.LookPath(s.program); err != nil {
			return errors.New("missing here (scripts/setup peers installs it)")
		}
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.lab, err = openLab(); err != nil {
		return err
	}
	if s.version != nil && s.says == "" {
		s.says, _ = command(s.lab.ns, append([]string{s.program}, s.version...)...) // testpmd says it and fails
	}
	if s.source, err = s.open(s.lab, ctx); err != nil {
		return err
	}
	_, err = s.lab.turn(ctx, s.source, 0)
	return err
}

// turn is how many frames a second arrive, or turns of the empty loop. A sender
// that fails is closed, and opened anew for its next turn.
func (s *sender) turn(ctx context.Context, length time.Duration) (rate float64, err error) {
	if s.open == nil {
		rate, err = xdp.DropLoop(sendingCPU, length)
	} else {
		if s.source == nil {
			err = s.prepare(ctx)
		}
		if err == nil {
			rate, err = s.lab.turn(ctx, s.source, length)
		}
	}
	if err == nil && rate == 0 {
		err = fmt.Errorf("%w during the turn", errNothing)
	}
	if err != nil && !errors.Is(err, errNothing) {
		s.close()
	}
	return rate, err
}

func (s *sender) close() {
	if s.source != nil {
		s.source.close()
	}
	if s.lab != nil {
		s.lab.close()
	}
	s.source, s.lab = nil, nil
}

// own is a sender of this process, which runs while it is started.
type own struct {
	io.Closer
	run  func(context.Context) error
	stop func()
}

func (o *own) start() (<-chan error, error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended, gone := make(chan error, 1), make(chan struct{})
	o.stop = func() { cancel(); <-gone }
	go func() {
		defer close(gone)
		ended <- o.run(ctx)
	}()
	return ended, nil
}

func (o *own) hold() {
	if o.stop != nil {
		o.stop()
	}
}

func (o *own) close() {
	o.hold()
	o.Close()
}
