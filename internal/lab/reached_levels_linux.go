package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/dut"
)

// cannot says what of a condition this DUT cannot be set to.
func (r *reached) cannot(ctx context.Context, c weir.Condition) error {
	_, routes := r.platform.(dut.Router)
	rest := slices.DeleteFunc(slices.Clone(c), func(s weir.DUTSetting) bool {
		switch s := s.(type) {
		case weir.Firewall, weir.Tuning, weir.Filters:
			return true
		case weir.RouteSet:
			return routes && s.Via != weir.ViaBGP
		}
		return false
	})
	var errs []error
	if !rest.IsZero() {
		errs = append(errs, weir.Wrong("a DUT at a host of its own cannot be set to %v", rest).Advise("that takes one in network namespaces of this machine (testbed: {kind: netns})"))
	}
	if _, ok := r.platform.(dut.Conditioner); c.Filters() > 0 && !ok {
		errs = append(errs, &weir.UnsupportedError{Feature: "filtering on the platform " + r.name, Remedy: "leave the filters out"})
	}
	if c.Firewall().Kind != "" || len(c.Tunings()) > 0 || c.Filters() > 0 {
		applier, ok := r.platform.(dut.Applier)
		if !ok {
			return errors.Join(append(errs, &weir.UnsupportedError{Feature: "filters, firewalls and tunings on the platform " + r.name, Remedy: "leave them out"})...)
		}
		errs = append(errs, applier.Cannot(ctx, r.dut, r.setup, c))
	}
	return errors.Join(errs...)
}

// apply sets the DUT to a condition, and returns what undoes it.
func (r *reached) apply(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	r.glance.Over() // what was read before is of another condition
	if err := r.stays(ctx); err != nil && err != r.lost {
		return nil, err
	}
	r.lost = nil
	if err := r.setTo(ctx, c); err != nil {
		return nil, err
	}
	r.set = &c
	return r.plain, nil
}

// setTo sets the DUT to a condition. What undoes that is in levels, but for what it could
// not be set to.
func (r *reached) setTo(ctx context.Context, c weir.Condition) error {
	fail := func(err error) error {
		return errors.Join(fmt.Errorf("set the DUT to %v: %w", c, err), r.levels.Run(context.WithoutCancel(ctx)))
	}
	if c.Filters() > 0 {
		platform, ok := r.platform.(dut.Conditioner)
		if !ok {
			return fail(&weir.UnsupportedError{Feature: "filtering on the platform " + r.name, Remedy: "leave the filters out"})
		}
		back, err := platform.Filter(ctx, r.dut, r.setup, c.Filters(), c.Routes().Count > 0)
		if err != nil {
			return fail(err)
		}
		r.setup.Filters = c.Filters()
		r.levels.Add(func(ctx context.Context) error { r.setup.Filters = 0; return back(ctx) })
	}
	if applier, ok := r.platform.(dut.Applier); ok {
		back, err := applier.Apply(ctx, r.dut, r.setup, c)
		if err != nil {
			return fail(err)
		}
		r.setup = r.setup.Under(c)
		r.levels.Add(func(ctx context.Context) error {
			r.setup = r.setup.Under(nil)
			return back(ctx)
		})
	}
	if c.Routes().Count > 0 {
		back, err := r.install(ctx, c.Routes())
		if err != nil {
			return fail(err)
		}
		r.levels.Add(back)
	}
	if len(c.Tunings()) > 0 {
		if err := r.linked(ctx); err != nil {
			return fail(err)
		}
	}
	return nil
}

// linkLimit is how long links of a DUT may take to be up again: copper negotiates.
const linkLimit = 10 * time.Second

// linked waits until the links of the DUT's ports are up: many settings of cards take them
// down for seconds.
func (r *reached) linked(ctx context.Context) error {
	if r.name != "linux" {
		return nil // the others have no such files
	}
	var names []string
	for _, port := range r.dut.Ports {
		names = append(names, port.DUT)
	}
	return awaitLinks(ctx, r.host, names)
}

// awaitLinks waits until ports of a host with Linux have a carrier. It gives up after as many
// looks as fit into the limit, so that time in which this process had no CPU is not counted.
func awaitLinks(ctx context.Context, host weir.Host, ports []string) error {
	const pause = 100 * time.Millisecond
	for left := linkLimit / pause; ; left-- {
		down := ""
		for _, port := range ports {
			if has, err := host.ReadFile(ctx, "/sys/class/net/"+port+"/carrier"); err != nil || strings.TrimSpace(has) != "1" {
				down = port
				break
			}
		}
		switch {
		case down == "":
			return nil
		case left <= 0:
			return fmt.Errorf("%s of %s has had no link for %v", down, host.Name(), linkLimit)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// install gives the DUT the routes of a condition.
func (r *reached) install(ctx context.Context, set weir.RouteSet) (func(context.Context) error, error) {
	platform, ok := r.platform.(dut.Router)
	if !ok {
		return nil, &weir.UnsupportedError{Feature: "routes by the thousand on the platform " + r.name, Remedy: "leave them out"}
	}
	parts, err := routeParts(r.plan, set, r.dut.Ports, func(port int) netip.Addr {
		tester, _ := of(r.plan.Testbed.Networks[port], set.Family)
		return tester.Addr()
	})
	if err != nil {
		return nil, err
	}
	return platform.Routes(ctx, r.dut, r.setup, parts)
}
