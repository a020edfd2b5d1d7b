package plan

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/claim"
	"weir/internal/schema"
	"weir/internal/sim"
)

// Captures reads a capture that a plan names, by its path relative to the plan.
type Captures func(name string) (*frame.Capture, error)

// Parse reads a plan and checks all of it, before any host is touched. What a
// plan leaves out has its default. The name is that of the file, for messages,
// and for the campaign when the plan has none. An error is of type weir.Problems.
func Parse(name string, data []byte) (Plan, error) { return ParseWith(name, data, nil) }

// Documents are the plans of a file, which lines of --- part (YAML 1.2.2 section 9.1.1).
// Each has its lines where the file has them, for messages: those before are empty.
func Documents(data []byte) (out [][]byte) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	begin := 0
	add := func(end int) {
		own := lines[begin:end]
		if len(out) > 0 || end < len(lines) {
			if len(bytes.TrimSpace(uncommented(own))) == 0 {
				return // what is before the first line of ---, or nothing at all
			}
		}
		out = append(out, append(bytes.Repeat([]byte("\n"), begin), bytes.Join(own, nil)...))
	}
	for i, line := range lines {
		if bytes.Equal(bytes.TrimRight(line, " \t\r\n"), []byte("---")) {
			add(i)
			begin = i + 1
		}
	}
	add(len(lines))
	if len(out) == 0 {
		return [][]byte{data}
	}
	return out
}

// uncommented are lines without those that are comments.
func uncommented(lines [][]byte) (out []byte) {
	for _, l := range lines {
		if !bytes.HasPrefix(bytes.TrimSpace(l), []byte("#")) {
			out = append(out, l...)
		}
	}
	return out
}

// ParseWith is Parse for plans that may name captures, and reads these.
func ParseWith(name string, data []byte, captures Captures) (Plan, error) {
	text := bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with a byte order mark
	r := newReader(name, text)
	r.captures = captures
	p := Plan{
		Name:    strings.TrimSuffix(path.Base(name), path.Ext(name)),
		Testbed: Testbed{Kind: NetNS, Sim: sim.Default},
		DUT:     DUT{Platform: "linux"},
		Text:    string(data),
	}
	root, wrong := parseYAML(text)
	if wrong != nil {
		r.note(wrong)
		return Plan{}, r.mistakes
	}
	r.prescan(root)
	p.Waits = waitsOf(root)
	r.bed = &p.Testbed
	d := &draft{plan: &p, root: root, dependent: r.plan(root, &p)}
	r.settleDUT(d)
	r.readMeasured(d)
	if d.then.kind != empty {
		r.then(d)
	}
	r.notes(d.notes, &p)
	if len(r.mistakes) > 0 {
		return Plan{}, r.mistakes.InOrder()
	}
	return p, nil
}

// readMeasured reads what a plan measures, or what it compares then: all that depends on each other.
func (r *reader) readMeasured(d *draft) {
	p := d.plan
	r.inside = node{}
	s, sizes := r.traffic(d.traffic, p.Defaults)
	d.sizes = sizesFor(sizes, d.methods)
	r.checkRules(afterTraffic, d)
	if d.factors.kind == empty && d.runs.kind == empty {
		p.Levels = r.levels(d.modifiers, s, p.DUT.Condition, d.sizes)
	} else {
		r.compared(d, s)
	}
	p.Traffic = distinct(p.Levels)
	r.checkRules(afterLevels, d)
	r.methods(d)
	r.checkRules(afterSteps, d)
	if len(r.mistakes) == 0 {
		r.checkRules(afterSound, d)
	}
	if len(r.mistakes) == 0 && p.Experiment != nil {
		r.schedule(d)
	}
	r.checkRules(afterPlan, d)
}

// prescan notes what other fields of a plan depend on, wherever it is.
func (r *reader) prescan(root node) {
	r.family = familyOf(root)
	if t, ok := root.find("traffic"); ok {
		r.sends = t
		if r.both, ok = t.find("bidirectional"); !ok {
			r.both, _ = t.find("direction")
		}
	}
	if t, ok := root.find("testbed"); ok {
		kind, _ := t.find("kind")
		r.sim, r.ports, r.spaces = kind.text == Sim, kind.text == Ports, kind.text == "" || kind.text == NetNS
	} else {
		r.spaces = true
	}
	d, _ := root.find("dut")
	r.dutAt = d
	platform, _ := d.find("platform")
	r.cable = d.kind == scalar && d.text == NoDUT || platform.text == NoDUT
}

// standardWaits are those of RFC 2544 section 23.
var standardWaits = weir.Waits{Learning: claim.LearningWait, Residual: claim.ResidualWait, Settle: claim.SettleWait}

// waitsOf are those that a plan has unless it says others: the defaults that it
// names hold wherever it names them.
func waitsOf(root node) weir.Waits {
	if defaults, ok := root.find("defaults"); ok && defaults.text == RFC2544 {
		return standardWaits
	}
	return weir.Waits{Residual: defaultResidual}
}

// dependent are the parts of a plan that are read when all of it was seen,
// because they depend on each other.
type dependent struct{ traffic, methods, modifiers, factors, combined, runs, profile, then, notes node }

// plan reads the fields of a plan that depend on no others, and returns the
// others.
func (r *reader) plan(root node, p *Plan) dependent {
	d := dependent{traffic: node{kind: object}, methods: node{kind: empty}}
	d.traffic.line, d.traffic.column = 1, 1
	if root.kind != empty {
		r.object(root, "a plan", r.planFields(p, &d)...)
	}
	return d
}

// later describes a field that is read when all of a plan was seen.
func later(name string, to *node, shape func() schema.Shape) field {
	return custom(name, shape, func(_ *reader, n node) { *to = n })
}

// planFields are the fields of a plan.
func (r *reader) planFields(p *Plan, d *dependent) []field {
	return []field{
		scalarField("name", &p.Name, schema.Line).means("of the campaign", "the file's name"),
		oneOf("defaults", &p.Defaults, RFC2544).means("where all that the plan leaves open comes from: `rfc2544` for what RFC 2544 has; see [defaults](plans.md#defaults)", "weir's own"),
		custom("profile", func() schema.Shape { return schema.Bool.Shape }, func(r *reader, n node) {
			if d.profile = n; n.text == RFC2544 {
				d.profile = node{}
				r.wrong(n, "a profile shows where the DUT's CPUs spend their time, yes or no: for what RFC 2544 has, say defaults: %s", RFC2544)
			}
		}).means("see where the DUT's CPUs spend their time, in a trial of its own (the method `profile`, after all others)", "`no`"),
		custom("testbed", r.testbedShape, func(r *reader, n node) { r.testbed(n, &p.Testbed) }).means("where is measured", "`{kind: netns}`"),
		custom("dut", r.dutShape, func(r *reader, n node) {
			before := len(r.mistakes)
			if r.dut(n, &p.DUT); len(r.mistakes) > before {
				p.DUT.Condition = weir.Condition{} // what would follow from it is no other mistake
			}
		}).means("how the device under test is set up; `none`: there is none, and two end hosts are on [one cable](labs.md#two-end-hosts-on-one-cable)", "`{platform: linux}`"),
		later("traffic", &d.traffic, r.trafficShape).means("what is sent", "64, 512 and 1518 octets and `imix`, IPv4, UDP"),
		later("modifiers", &d.modifiers, r.modifiersShape).means("conditions under which all of it is measured, each as a run of its own; see [modifiers](plans.md#modifiers)", "one run, as the rest of the plan has it"),
		later("factors", &d.factors, r.factorsShape).means("what is varied, to compare it: see [experiments](experiments.md)", "everything is measured once"),
		later("combinations", &d.combined, combinationsShape).means("how the levels of the factors are combined: see [experiments](experiments.md)", "`full`"),
		later("runs", &d.runs, runsShape).means("how often all of it is measured: see [experiments](experiments.md)", "once; 6 with `factors`"),
		scalarField("rounds", &p.Rounds, schema.Within(schema.Int, 1, mostRounds)).means("how often sweeps are performed, each time over all sizes and levels in turn; what else there is comes once, in the last round", "each sweep has its rounds by itself"),
		later("methods", &d.methods, methodsShape).means("what is measured for each size, in this order; [transfers](transfers.md) have no size", "`[frmol, throughput, latency]`"),
		later("then", &d.then, r.thenShape).means("an [experiment](experiments.md) that is made when all else is done; see [then](plans.md#then)", "none"),
		later("notes", &d.notes, notesShape).means("remarks of yours that every report prints: see [notes](plans.md#notes)", "none"),
		waitsField(&p.Waits).means("the pauses of each trial (RFC 2544 section 23)", "`{residual: 50ms}`"),
	}
}

// then reads what is compared after all else of a plan was measured.
func (r *reader) then(d *draft) {
	n, p := d.then, d.plan
	if p.Experiment != nil {
		r.wrong(n, "what is compared then follows on a plan that measures once: this one has factors or runs itself")
		return
	}
	next := Plan{Name: p.Name, Testbed: p.Testbed, DUT: p.DUT, Waits: p.Waits, Folder: p.Folder}
	then := &draft{plan: &next, root: d.root, dependent: dependent{traffic: node{kind: object, line: n.line, column: n.column}}}
	r.object(n, "what is compared then", r.thenFields(&next, &then.dependent)...)
	if n.kind != object {
		return
	}
	if then.factors.kind == empty {
		r.wrong(n, "which factors? {factors: {firewall: [none, stateful]}}, say")
		return
	}
	r.readMeasured(then)
	p.Then = &next
	p.Traffic = distinct(append(slices.Clone(p.Levels), next.Levels...)) // the tester is measured with all of it
}

// ofThen are the fields of a plan that what is compared then has, too.
var ofThen = []string{"traffic", "factors", "combinations", "runs", "methods", "waits"}

// thenFields are the fields of what is compared then.
func (r *reader) thenFields(p *Plan, d *dependent) []field {
	out := slices.DeleteFunc(r.planFields(p, d), func(f field) bool { return !slices.Contains(ofThen, f.name) })
	for i := range out {
		switch doc := &out[i].doc; out[i].name {
		case "factors":
			doc.Needed, doc.Default = true, ""
		case "runs":
			doc.Default = "6, or by `detect`"
		case "waits":
			doc.Default = "those of the plan"
		}
	}
	return out
}

func (r *reader) thenShape() schema.Shape {
	return objectOf("what is compared then", r.thenFields(&Plan{}, &dependent{})...)
}

// compared reads the levels of an experiment, and its runs.
func (r *reader) compared(d *draft, s sending) {
	p := d.plan
	p.Experiment = r.runs(d.runs)
	if d.factors.kind == empty { // the noise of the DUT as it is
		p.Levels = r.levels(node{}, s, p.DUT.Condition, d.sizes)
		p.Levels[0].Arm = plainLevel
		p.Experiment.Same = true
	} else {
		var known []factor
		p.Levels, known = r.experiment(d.factors, d.combined, s, *p, d.sizes)
		p.firstMachine()
		for _, f := range known {
			p.Experiment.Factors = append(p.Experiment.Factors, weir.Factor{Name: f.name, Levels: f.recorded(), Traffic: f.traffic})
		}
	}
	if p.Experiment.refers && len(p.Levels) > 0 {
		p.refer()
	}
	for _, l := range p.Levels {
		if !slices.Contains(p.Experiment.Arms, l.Arm) {
			p.Experiment.Arms = append(p.Experiment.Arms, l.Arm)
			if len(l.Of) > 0 {
				p.Experiment.Levels[l.Arm] = l.Of
			}
		}
	}
}

// familyOf is the family of a plan's traffic, on which other fields depend
// wherever they are.
func familyOf(root node) weir.Family {
	traffic, _ := root.find("traffic")
	if f, ok := traffic.find("family"); ok && f.text == string(weir.IPv6) {
		return weir.IPv6
	}
	return weir.IPv4
}

// distinct are the traffics of all levels, each once.
func distinct(levels []Level) (out []weir.Traffic) {
	for _, l := range levels {
		out = append(out, l.Traffic...)
	}
	return unique(out)
}

// unique returns traffics, each once.
func unique(all []weir.Traffic) (out []weir.Traffic) {
	var known []string
	for _, t := range all {
		if k := TrafficKey(t); !slices.Contains(known, k) {
			known, out = append(known, k), append(out, t)
		}
	}
	return out
}

// Schema returns the JSON Schema of plans, with which editors complete and check them. It knows
// of each field what may be written for it, and nothing of what fields mean together: a plan that
// it takes can be refused by Parse.
func Schema() ([]byte, error) {
	var r reader
	return schema.JSONSchema("a plan of weir", objectOf("a plan", r.planFields(&Plan{}, &dependent{})...))
}
