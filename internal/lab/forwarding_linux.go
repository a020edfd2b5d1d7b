package lab

import (
	"context"
	"errors"
	"fmt"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/xdp"
)

// cannotPath says why frames cannot go through this DUT the way that a
// condition asks for. It changes nothing.
func (l *netnsLab) cannotPath(c weir.Condition) error {
	switch c.Path() {
	case "", weir.PathStack:
		return nil
	case weir.PathXDP:
	default:
		return fmt.Errorf("no way of forwarding %q; there are: %s, %s", c.Path(), weir.PathStack, weir.PathXDP)
	}
	return l.cannotInDriver(c)
}

// cannotInDriver says why frames cannot be taken in the drivers of the ports, as a
// condition has it.
func (l *netnsLab) cannotInDriver(c weir.Condition) error {
	way := c.InDriver()
	if l.plan.DUT.Policer.Kind != "" {
		return weir.Wrong("%s takes a frame at the driver, before the policer sees it", way).Advise("leave one of the two out")
	}
	if c.NAPI() == weir.Softirq && agent.CanPoll() != nil {
		return &weir.UnsupportedError{
			Feature: way + " in softirq without the CPU that sends doing it", Since: "Linux 6.13",
			Remedy: "take NAPI threads, or a newer kernel and allow io_uring (sysctl kernel.io_uring_disabled=0)",
		}
	}
	return nil
}

// setPath sets which way frames go through the DUT.
func (l *netnsLab) setPath(_ context.Context, c weir.Condition) (func(context.Context) error, error) {
	if err := l.cannotPath(c); err != nil || c.Path() != weir.PathXDP {
		return nil, err
	}
	s, err := forwardByXDP(l.bed)
	if err != nil {
		return nil, err
	}
	l.shortcut = s
	return func(context.Context) error {
		l.shortcut = nil
		return s.close()
	}, nil
}

// shortcut is the way of frames through a DUT that forwards in the drivers of
// its ports. What is lost on it has its counters where the kernel's own losses
// have theirs: a frame that cannot be redirected was dropped on receipt, and
// one that the driver of the other port did not take, on transmission.
type shortcut struct {
	forwarder *xdp.Forwarder
	undo      settings.Undo
}

func forwardByXDP(bed enteredBed) (*shortcut, error) {
	s := &shortcut{}
	fail := func(err error) (*shortcut, error) { return nil, errors.Join(err, s.close()) }
	var names []string
	for i, p := range bed.DUT().Ports {
		names = append(names, p.DUT)
		behind := func(f func() error) error { return bed.DoBehind(i, f) }
		if err := fillChecksums(&s.undo, behind, p.Tester); err != nil {
			return fail(err)
		}
	}
	err := bed.InDUT(func() (err error) {
		s.forwarder, err = xdp.Forward(names)
		return err
	})
	if err != nil {
		return fail(err)
	}
	return s, nil
}

// checksums is the offload by which sockets leave checksums to a port.
const checksums = "tx-checksum-ip-generic"

// fillChecksums has the sockets of a host, where do runs something, write the checksums of
// what they send through a port. A virtual link carries such frames with the promise that
// somebody will, which a program at the driver does not see and cannot pass on.
func fillChecksums(undo *settings.Undo, do func(func() error) error, port string) error {
	set := func(on bool) error {
		return do(func() error { return netif.SetFeature(port, checksums, on) })
	}
	var features map[string]bool
	err := do(func() (err error) {
		features, err = netif.Features(port)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the offloads of %s: %w", port, err)
	}
	if !features[checksums] {
		return nil
	}
	undo.AddClose(func() error { return set(true) })
	return set(false)
}

// close makes the kernel forward again.
func (s *shortcut) close() error {
	var err error
	if s.forwarder != nil {
		err = s.forwarder.Close()
	}
	return errors.Join(err, s.undo.Close())
}

// wayCounts is what has become so far of the frames that came to the DUT's
// ports; nil where they all go the kernel's way.
func (l *netnsLab) wayCounts() ([]xdp.Forwarded, error) {
	if l.shortcut == nil {
		return nil, nil
	}
	return l.shortcut.forwarder.Counts()
}

// tellWay adds to a trial's result which way its frames went, since the given
// counts. A result must not bear the name of a way that no frame took.
func (l *netnsLab) tellWay(r *weir.TrialResult, before []xdp.Forwarded) error {
	after, err := l.wayCounts()
	if err != nil {
		return err
	}
	var short uint64
	for i := range after {
		short += after[i].Frames - before[i].Frames
		r.Readings = append(r.Readings, wayReadings(i, before[i], after[i])...)
	}
	if after != nil && short == 0 && r.Received > 0 {
		return fmt.Errorf("the kernel forwarded all %d frames that came back, and XDP none: it leaves to the kernel what is not plain IP (VLANs, options); send other frames, or forward by %s",
			r.Received, weir.PathStack)
	}
	return nil
}

// wayReadings are what became of the frames that came to a port.
func wayReadings(port int, before, after xdp.Forwarded) (out []weir.Reading) {
	was, is := before.Passed, after.Passed
	for _, c := range []struct {
		what string
		n    uint64
	}{
		{"forwarded", after.Frames - before.Frames},
		{"left to the kernel: no IP packet to this port", is.Link - was.Link},
		{"left to the kernel: header", is.Header - was.Header},
		{"left to the kernel: address", is.Address - was.Address},
		{"left to the kernel: no route, or its own", is.Route - was.Route},
		{"left to the kernel: out of another port", is.Port - was.Port},
	} {
		if c.n > 0 {
			out = append(out, weir.Reading{Source: "xdp", Name: fmt.Sprintf("port %d %s", port, c.what), Value: float64(c.n), Unit: "count"})
		}
	}
	return out
}
