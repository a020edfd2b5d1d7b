package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
)

// Role is what a machine does in a testbed.
type Role string

// The roles.
const (
	DUT    Role = "dut"    // it forwards
	Tester Role = "tester" // it sends and receives
)

// Config says what to audit.
type Config struct {
	Host    weir.Host
	Role    Role          // "": DUT
	Only    []string      // names of the checks to make; none: all
	Devices []string      // the ports of the measurement; none: they are chosen, see Report.Devices
	Watch   time.Duration // for how long the machine is watched for other load
	Self    int           // process ID of the auditor on that machine, which is no other load; 0: it does not run there
	// Flows is the least number of flows that a plan sends in one direction; 0:
	// there is no plan.
	Flows int
	// Entries is the greatest number of connections that its flows are to a
	// firewall that remembers them; 0: there is no plan.
	Entries int
}

// check is one thing that is looked at. What findings leave empty is filled in
// from it.
type check struct {
	name   string
	what   string // it looks at, for people
	reason string // one sentence
	source string
	dut    bool // it is of a machine that forwards
	byName bool // what it finds is mended only when it is named
	look   func(context.Context, *site) ([]Finding, error)
}

// Description is a check for people.
type Description struct {
	Name   string `json:"name"`
	What   string `json:"what"`
	Source string `json:"source"`
}

// Checks lists all checks, in their order.
func Checks() []Description {
	var all []Description
	for _, c := range checks {
		all = append(all, Description{Name: c.name, What: c.what, Source: c.source})
	}
	return all
}

// Look audits a machine. It changes nothing there. What cannot be read is in
// the report; an error is a device that is not there, or a machine whose devices
// cannot be listed.
func Look(ctx context.Context, c Config) (Report, error) {
	c.Role = cmp.Or(c.Role, DUT)
	s := &site{Config: c, known: make(map[string]reply)}
	if err := s.findDevices(ctx); err != nil {
		return Report{}, fmt.Errorf("audit %s: %w", c.Host.Name(), err)
	}
	r := Report{Host: c.Host.Name(), Role: c.Role, Devices: s.names(), Guarded: append([]string{}, s.guarded...),
		Findings: []Finding{}, Unread: []Unread{}, Passed: []string{}, Absent: []string{}, Fingerprints: make(map[string]string)}
	s.fingerprints = r.Fingerprints
	for _, c := range checks {
		if c.dut && r.Role != DUT || len(s.Only) > 0 && !slices.Contains(s.Only, c.name) {
			continue
		}
		found, err := c.look(ctx, s)
		if cause := context.Cause(ctx); cause != nil {
			return Report{}, cause
		}
		switch {
		case errors.Is(err, errNone):
			r.Absent = append(r.Absent, c.name)
		case err != nil:
			r.Unread = append(r.Unread, Unread{Check: c.name, Why: err.Error()})
		case len(found) == 0:
			r.Passed = append(r.Passed, c.name)
		}
		for _, f := range found {
			r.Findings = append(r.Findings, c.complete(f))
		}
	}
	order := []Severity{Spoils, Doubtful, Note}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return r, nil
}

// complete fills in what is the same for all findings of a check.
func (c check) complete(f Finding) Finding {
	f.Check, f.ByName = c.name, c.byName
	f.Where = cmp.Or(f.Where, machine)
	f.What, f.Reason, f.Source = cmp.Or(f.What, c.what), cmp.Or(f.Reason, c.reason), cmp.Or(f.Source, c.source)
	f.Mendable = len(f.mends) > 0
	if f.Remedy == nil {
		f.Remedy = []string{}
		for _, m := range f.mends {
			f.Remedy = append(f.Remedy, m.setting.Command(m.value))
		}
	}
	return f
}

// machine is where a finding is that is of no device.
const machine = "machine"

// errNone is what a check returns that has nothing to look at.
var errNone = errors.New("there is none")

// each looks at the devices one by one. What cannot be read of one does not keep
// the others from being looked at.
func each(look func(context.Context, *site, link) ([]Finding, error)) func(context.Context, *site) ([]Finding, error) {
	return func(ctx context.Context, s *site) ([]Finding, error) {
		if len(s.links) == 0 {
			return nil, errNone
		}
		var all []Finding
		var errs []error
		for _, l := range s.links {
			found, err := look(ctx, s, l)
			errs = append(errs, err)
			for _, f := range found {
				f.Where = cmp.Or(f.Where, l.Name)
				all = append(all, f)
			}
		}
		return all, errors.Join(errs...)
	}
}
