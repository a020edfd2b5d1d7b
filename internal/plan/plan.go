// Package plan reads plan files, and says what follows from them before anything
// is measured: levels and traffic, the order of runs, the time that they take at
// most, and what cannot be done or earned. Whatever is wrong with a file is reported
// with its place.
//
// It measures nothing: package campaign runs a Plan.
package plan

import (
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/sim"
)

// Plan says what a campaign measures, where, and in which order. Parse makes
// one; every value in it has been checked.
type Plan struct {
	Name     string
	Defaults string // "" or RFC2544: where those come from
	Testbed  Testbed
	DUT      DUT
	Levels   []Level        // in the order of measuring; one where the plan has no modifiers
	Traffic  []weir.Traffic // all that is sent at any level, each once, in the order of measuring
	Steps    []Step         // in the order of measuring, for each Traffic of each level
	// Experiment is how the levels are measured again and again, to compare them;
	// nil: once, in their order.
	Experiment *Experiment
	Rounds     int         // how often methods that can are performed, in turn over all levels and traffics; 0: there are no rounds
	Then       *Plan       // what is compared after that, in the same campaign and on the same testbed; nil: nothing. Its text is this plan's.
	Waits      weir.Waits  // of every trial
	Notes      []weir.Note // of the author
	Text       string      // as it was written, for the manifest
	Quick      bool        // whether it was cut down (Quickly)
	Folder     string      // that the names of files in it are relative to; "": not known
}

// Level is how the DUT and the traffic are while all sizes are measured: the
// plain one, or a modifier of RFC 2544 section 11, each of which is a run of
// its own.
type Level struct {
	Name      string         // "plain", "filters 25"
	Traffic   []weir.Traffic // one for each frame size or mix, in the order of measuring
	Condition weir.Condition // of the DUT

	// Of an experiment: the levels of its factors, as results have them, and the
	// names of those that are compared and of those that these are compared at.
	Set          weir.Factors
	Arm, Stratum string
	Of           []weir.ArmLevel // that Arm names
	Testbed      *Testbed        // it is set up for each run at this level; nil: that of the plan
}

// RFC2544 are the defaults with which all that a plan leaves open is as RFC 2544
// has it.
const RFC2544 = "rfc2544"

// Step is one method with its parameters.
type Step struct {
	Method method.Method
	Params method.Params
	Within time.Duration // no trial begins that would end after this; 0 is no limit
	Claim  string        // the name that its results have to earn; "": none
	At     weir.Place    // where it is in the plan
}

// Parts are what is measured in one campaign, one after the other: the plan
// itself, and what it compares then.
func (p Plan) Parts() []Plan {
	if p.Then == nil {
		return []Plan{p}
	}
	return append([]Plan{p}, p.Then.Parts()...)
}

// Captures are those whose frames are sent, each file once.
func (p Plan) Captures() []*weir.Replay {
	var all []*weir.Replay
	for _, part := range p.Parts() {
		for _, l := range part.Levels {
			for _, t := range l.Traffic {
				if t.Replay != nil && !slices.ContainsFunc(all, func(c *weir.Replay) bool { return c.SHA256 == t.Replay.SHA256 }) {
					all = append(all, t.Replay)
				}
			}
		}
	}
	return all
}

// WithTestbed is p on another testbed, with the media rate that it has. The text
// says so, as it is what a reader of the manifest will go by. A simulated DUT has
// none of the settings of an operating system: its levels of these are the same.
func (p Plan) WithTestbed(t Testbed) Plan {
	t.Link = p.Testbed.Link
	p.Testbed = t
	if t.Kind == Sim {
		p.Levels = slices.Clone(p.Levels)
		for i := range p.Levels {
			p.Levels[i].Testbed = nil
			p.Levels[i].Condition = slices.DeleteFunc(slices.Clone(p.Levels[i].Condition), func(s weir.DUTSetting) bool { return unsimulated(s) != "" })
			p.Levels[i].Traffic = sessionless(p.Levels[i].Traffic)
		}
		p.Traffic = sessionless(p.Traffic)
	}
	if p.Then != nil {
		then := p.Then.WithTestbed(t)
		p.Then = &then
	}
	p.Text = "# the testbed below was replaced by one of kind " + t.Kind + "\n" + p.Text
	return p
}

// WithoutEffect are the settings of levels that a simulated DUT does not have, and
// that WithTestbed leaves out: levels that differ in nothing else are alike there.
func (p Plan) WithoutEffect() (out []string) {
	for _, part := range p.Parts() {
		for _, l := range part.Levels {
			for _, s := range l.Condition {
				if name := unsimulated(s); name != "" && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// The pauses of a quick run, which has no time for those of an RFC.
const (
	quickLearning = 10 * time.Millisecond
	quickResidual = 20 * time.Millisecond
)

// Quickly is p cut down to what a quick run may spend: trials that are short
// and few, and no pauses to speak of. Its results claim less, and no name is
// asked of them. The text says so.
func (p Plan) Quickly() Plan {
	p.Quick = true
	p.Steps = slices.Clone(p.Steps)
	for i, s := range p.Steps {
		s.Params, s.Claim = s.Method.Quickly(s.Params), ""
		if awaited(s) != "" {
			s.Params.Phases.Settled = min(s.Params.Phases.Settled, s.Params.Trial/2) // there is less to wait in
		}
		p.Steps[i] = s
	}
	if p.Experiment != nil {
		few := *p.Experiment
		few.Runs, few.Pilot, few.Most = fewestRuns, 0, 0
		if few.Schedule == weir.ABBA {
			few.Runs = Even(few.Runs)
		}
		p.Experiment = &few
	}
	p.Waits = weir.Waits{Learning: min(p.Waits.Learning, quickLearning), Residual: min(p.Waits.Residual, quickResidual)}
	if p.Then != nil {
		then := p.Then.Quickly()
		p.Then = &then
	}
	p.Text = "# the plan below was cut down to a quick run\n" + p.Text
	return p
}

// SimulatedTestbed is the model in place of a testbed when a plan is to
// be tried without one.
func SimulatedTestbed() Testbed { return Testbed{Kind: Sim, Sim: sim.Default} }

// BareTestbed is a testbed of a kind with all that a plan for it leaves open.
func BareTestbed(kind string) Testbed {
	switch kind {
	case Sim:
		return SimulatedTestbed()
	case VM:
		return MachineTestbed()
	}
	return Testbed{Kind: kind}
}

// Like reports whether two testbeds are the same.
func (t Testbed) Like(o Testbed) bool {
	return t.Kind == o.Kind && t.Link == o.Link && t.Sim == o.Sim && t.Machine == o.Machine && t.Arms == o.Arms && slices.Equal(t.Ends, o.Ends) &&
		slices.Equal(t.Ports, o.Ports) && t.Hosts == o.Hosts && slices.Equal(t.Networks, o.Networks) && t.Isolate == o.Isolate &&
		t.Witness.SNMP == o.Witness.SNMP && t.Witness.Community == o.Witness.Community && slices.Equal(t.Witness.Interfaces, o.Witness.Interfaces) &&
		slices.Equal(t.CPUs.Generator, o.CPUs.Generator) && slices.Equal(t.CPUs.Receiver, o.CPUs.Receiver) && slices.Equal(t.CPUs.DUT, o.CPUs.DUT)
}

// Testers are levels, bare but for their testbeds, of which each has a tester of
// its own: one where the plan has one testbed.
func (p Plan) Testers() []Level {
	out := []Level{{}}
	for _, l := range p.Levels {
		if l.Testbed != nil && !slices.ContainsFunc(out, func(o Level) bool { return o.Testbed != nil && o.Testbed.Like(*l.Testbed) }) {
			out = append(out, Level{Name: fmt.Sprintf("testbed %d", len(out)), Testbed: l.Testbed})
		}
	}
	if len(out) > 1 {
		return out[1:] // none has that of the plan
	}
	return out
}

// Label names a traffic among all of a plan: by its size, and by its level
// where another one has sent the same size before.
func (p Plan) Label(t weir.Traffic) string {
	key := TrafficKey(t)
	used := false
	for _, l := range p.Levels {
		for _, o := range l.Traffic {
			switch {
			case TrafficKey(o) == key && used:
				return t.Name + ", " + l.Name
			case TrafficKey(o) == key:
				return t.Name
			}
			used = used || o.Name == t.Name
		}
	}
	return t.Name
}
