package lab

import (
	"context"
	"errors"

	"weir"
	"weir/internal/dut"
	"weir/internal/xdp"
)

// setLevels sets the firewall and the tunings of a condition.
func (l *netnsLab) setLevels(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	if c.Firewall().Kind == "" && len(c.Tunings()) == 0 {
		return nil, nil
	}
	platform, err := l.applier()
	if err != nil {
		return nil, err
	}
	back, err := platform.Apply(ctx, l.bed.DUT(), l.surroundings(), c)
	if err != nil {
		return nil, err
	}
	if err := l.provenMTU(ctx, c); err != nil {
		return back, err
	}
	l.setup = l.setup.Under(c)
	return func(ctx context.Context) error {
		l.setup = l.setup.Under(nil)
		return back(ctx)
	}, nil
}

// cannot says what of a condition this lab cannot set its DUT to, all of it,
// and what to do. It changes nothing.
func (l *netnsLab) cannot(ctx context.Context, c weir.Condition) error {
	errs := []error{c.Conflict(dut.Info).Err(), l.cannotPath(c), l.cannotAccess(c)}
	if rest := c; l.platform == nil {
		rest.Put(weir.NAPI(""))
		rest.Put(weir.Access{})
		if !rest.IsZero() {
			errs = append(errs, weir.Wrong("there is no DUT that weir could set to %v", rest).Advise("leave it out; on a cable there are napi and access"))
		}
		return errors.Join(errs...)
	}
	errs = append(errs,
		weir.When(len(l.bed.TestPorts()) == 0 && (c.Management() || c.Updates() || c.Routes().Via == weir.ViaBGP),
			"management queries and routing updates come from the tester, which takes no part where all methods are transfers").Advise("leave them out, or measure frames, too").Err())
	if c.Firewall().Kind != "" || len(c.Tunings()) > 0 {
		platform, err := l.applier()
		if err == nil {
			err = platform.Cannot(ctx, l.bed.DUT(), l.surroundings(), c)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// provenMTU proves the MTU of a condition, where it has one and there is a path
// on which to: packets of that size get from each end host to the other whole,
// and in both families.
func (l *netnsLab) provenMTU(ctx context.Context, c weir.Condition) error {
	if c.MTU() == 0 || len(l.bed.Ends()) == 0 {
		return nil
	}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		if err := l.ends.path.ProveMTU(ctx, family, c.MTU()); err != nil {
			return err
		}
	}
	return nil
}

func (l *netnsLab) applier() (dut.Applier, error) {
	platform, ok := l.platform.(dut.Applier)
	if !ok {
		return nil, &weir.UnsupportedError{Feature: "firewalls and tunings on the platform " + l.plan.DUT.Platform, Remedy: "leave them out"}
	}
	return platform, nil
}

// keepNAPI has a port of the DUT keep its NAPI while GRO is off: with an XDP program, as
// a veth has NAPI with either of the two. It lets everything pass.
func (l *netnsLab) keepNAPI(port string) (undo func() error, err error) {
	err = l.bed.InDUT(func() error {
		pass, err := xdp.NewPassOn(port)
		if err == nil {
			undo = pass.Close
		}
		return err
	})
	return undo, err
}

// surroundings are the setup with what the lab can do for tunings.
func (l *netnsLab) surroundings() dut.Setup {
	s := l.setup
	s.Shared, s.Spread, s.KeepNAPI = true, l.bed.Spread, l.keepNAPI
	for i := range l.bed.DUT().Ports {
		s.Behind[i] = l.bed.Behind(i)
	}
	return s
}
