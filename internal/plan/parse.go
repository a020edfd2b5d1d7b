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
// and for the campaign when the plan has none. An error is of type Mistakes.
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
	r.foresee(root)
	p.Waits = waitsOf(root)
	r.bed = &p.Testbed
	n := r.plan(root, &p)
	r.behind(root, &p)
	s, sizes := r.traffic(n.traffic, p.Profile)
	sizes = r.suited(sizes, n.traffic, n.factors, n.methods)
	if n.factors.kind == empty && n.runs.kind == empty {
		p.Levels = r.levels(n.modifiers, s, p.DUT.Condition, sizes)
	} else {
		r.compared(&p, n.modifiers, n.factors, n.combined, n.runs, s, sizes)
	}
	if rounds, _ := root.find("rounds"); p.Rounds > 0 && p.Experiment != nil {
		r.wrong(rounds, "runs repeat all methods, and rounds do so with sweeps: leave one of the two out")
	}
	p.Traffic = distinct(p.Levels)
	r.served(n.factors, p.Levels)
	r.inTestNetworks(n.traffic, p)
	r.answeredFor(n.traffic, p)
	p.Steps = r.methods(n.methods, n.profile, p)
	r.sendsFrames(p)
	r.entered(p)
	r.schedule(n.runs, &p)
	r.restartable(n.runs, &p)
	if len(p.Levels) > 0 && p.DUT.Policer.Kind == "tbf" && (len(p.Levels[0].Traffic) > 1 || sizes[0].application) {
		dut, _ := root.find("dut")
		policer, _ := dut.find("policer")
		if sizes[len(sizes)-1].application {
			r.wrong(policer, "tbf limits octets, and packets of transfers have no one size: limit the link (testbed: {link: 100M}), or take nft")
			return Plan{}, r.mistakes.inOrder()
		}
		r.wrong(policer, "tbf limits octets, so that frames/s need a plan with a single size and not %d; nft limits frames of any", len(p.Levels[0].Traffic))
	}
	if n.then.kind != empty {
		r.then(n.then, &p)
	}
	r.notes(n.notes, &p)
	if len(r.mistakes) > 0 {
		return Plan{}, r.mistakes.inOrder()
	}
	return p, nil
}

// foresee notes what other fields of a plan depend on, wherever it stands.
func (r *reader) foresee(root node) {
	r.family = familyOf(root)
	if t, ok := root.find("traffic"); ok {
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
	platform, _ := d.find("platform")
	r.cable = d.kind == scalar && d.text == NoDUT || platform.text == NoDUT
}

// waitsOf are those that a plan has unless it says others: a profile's hold
// wherever it stands.
func waitsOf(root node) weir.Waits {
	if profile, ok := root.find("profile"); ok && profile.text == RFC2544 {
		return weir.Waits{Learning: claim.LearningWait, Residual: claim.ResidualWait, Settle: claim.SettleWait}
	}
	return weir.Waits{Residual: defaultResidual}
}

// dependent are the parts of a plan that are read when all of it was seen,
// because they depend on each other.
type dependent struct{ traffic, methods, modifiers, factors, combined, runs, profile, then, notes node }

// plan reads the fields of a plan that stand for themselves, and returns the
// others.
func (r *reader) plan(root node, p *Plan) dependent {
	d := dependent{traffic: node{kind: object}, methods: node{kind: empty}}
	d.traffic.line, d.traffic.column = 1, 1
	if root.kind == empty {
		return d
	}
	later := func(name string, to *node) field { return field{name, func(_ *reader, n node) { *to = n }} }
	r.object(root, "a plan",
		scalarField("name", &p.Name, parseText),
		field{"profile", func(r *reader, n node) {
			if n.text == RFC2544 {
				p.Profile = RFC2544
			} else if _, err := schema.Bool(n.text); n.kind == scalar && err == nil {
				d.profile = n
			} else {
				r.wrong(n, "unknown profile %q: %s, for all that the plan leaves open; or yes, to see where the DUT's CPUs spend their time", n.text, RFC2544)
			}
		}},
		field{"testbed", func(r *reader, n node) { r.testbed(n, &p.Testbed) }},
		field{"dut", func(r *reader, n node) {
			before := len(r.mistakes)
			if r.dut(n, &p.DUT); len(r.mistakes) > before {
				p.DUT.Condition = weir.Condition{} // what would follow from it is no other mistake
			}
		}},
		later("traffic", &d.traffic),
		later("modifiers", &d.modifiers),
		later("factors", &d.factors),
		later("combinations", &d.combined),
		later("runs", &d.runs),
		scalarField("rounds", &p.Rounds, schema.Within(schema.Int, 1, mostRounds)),
		later("methods", &d.methods),
		later("then", &d.then),
		later("notes", &d.notes),
		field{"waits", func(r *reader, n node) { r.waits(n, &p.Waits) }},
	)
	return d
}

// then reads what is compared after all else of a plan was measured.
func (r *reader) then(n node, p *Plan) {
	if p.Experiment != nil {
		r.wrong(n, "what is compared then follows on a plan that measures once: this one has factors or runs itself")
		return
	}
	next := Plan{Name: p.Name, Testbed: p.Testbed, DUT: p.DUT, Waits: p.Waits, Folder: p.Folder}
	traffic, methods := node{kind: object, line: n.line, column: n.column}, node{kind: empty}
	var factors, combined, runs node
	r.object(n, "what is compared then",
		field{"traffic", func(_ *reader, n node) { traffic = n }},
		field{"factors", func(_ *reader, n node) { factors = n }},
		field{"combinations", func(_ *reader, n node) { combined = n }},
		field{"runs", func(_ *reader, n node) { runs = n }},
		field{"methods", func(_ *reader, n node) { methods = n }},
		field{"waits", func(r *reader, n node) { r.waits(n, &next.Waits) }},
	)
	if n.kind != object {
		return
	}
	if factors.kind == empty {
		r.wrong(n, "which factors? {factors: {firewall: [none, stateful]}}, say")
		return
	}
	r.inside = node{}
	s, sizes := r.traffic(traffic, "")
	sizes = r.suited(sizes, traffic, factors, methods)
	r.compared(&next, node{}, factors, combined, runs, s, sizes)
	next.Traffic = distinct(next.Levels)
	r.inTestNetworks(traffic, next)
	r.answeredFor(traffic, next)
	next.Steps = r.methods(methods, node{}, next)
	r.sendsFrames(next)
	r.entered(next)
	r.schedule(runs, &next)
	p.Then = &next
	p.Traffic = distinct(append(slices.Clone(p.Levels), next.Levels...)) // the tester is measured with all of it
}

// compared reads the levels of an experiment, and its runs.
func (r *reader) compared(p *Plan, modifiers, factors, combined, runs node, s sending, sizes []size) {
	if modifiers.kind != empty {
		r.wrong(modifiers, "modifiers are measured once, and factors again and again: put each of these among the factors, or into a plan of its own")
	}
	p.Experiment = r.runs(runs)
	if factors.kind == empty { // the noise of the DUT as it is
		if combined.kind != empty {
			r.wrong(combined, "there are no factors to combine")
		}
		p.Levels = r.levels(node{}, s, p.DUT.Condition, sizes)
		p.Levels[0].Arm = plainLevel
		p.Experiment.Same = true
	} else {
		var known []factor
		p.Levels, known = r.experiment(factors, combined, s, *p, sizes)
		p.firstMachine()
		for _, f := range known {
			p.Experiment.Factors = append(p.Experiment.Factors, weir.Factor{Name: f.name, Levels: f.recorded(), Traffic: f.traffic})
		}
	}
	if p.Experiment.refers {
		p.refer()
	}
	for _, l := range p.Levels {
		if !slices.Contains(p.Experiment.Arms, l.Arm) {
			p.Experiment.Arms = append(p.Experiment.Arms, l.Arm)
		}
	}
}

// familyOf is the family of a plan's traffic, on which other fields depend
// wherever they stand.
func familyOf(root node) weir.Family {
	traffic, _ := root.find("traffic")
	if f, ok := traffic.find("family"); ok && f.text == string(weir.IPv6) {
		return weir.IPv6
	}
	return weir.IPv4
}

// distinct are the traffics of all levels, each once.
func distinct(levels []Level) []weir.Traffic {
	var out []weir.Traffic
	var known []string
	for _, l := range levels {
		for _, t := range l.Traffic {
			if k := TrafficKey(t); !slices.Contains(known, k) {
				known, out = append(known, k), append(out, t)
			}
		}
	}
	return out
}

func (r *reader) testbed(n node, t *Testbed) {
	common := []field{
		oneOf("kind", &t.Kind, NetNS, Ports, Sim, VM),
		scalarField("name", &t.Name, parseText),
		scalarField("link", &t.Link, parseLink),
	}
	switch kind, _ := n.find("kind"); kind.text {
	case Sim:
		r.object(n, "a testbed of kind sim", append(common, simFields(&t.Sim)...)...)
	case Ports:
		r.object(n, "a testbed of kind ports", append(common, r.portFields(t)...)...)
		r.atPorts(n, t)
	case VM:
		r.object(n, "a testbed of kind vm", append(common, r.machineFields(t)...)...)
		r.atMachine(t)
	default:
		r.object(n, "a testbed of kind netns", append(common,
			cpusField(t),
			endsField(t),
		)...)
	}
}

// parseLink reads a media rate; "auto" is what the ports say.
func parseLink(s string) (float64, error) {
	if s == "auto" {
		return 0, nil
	}
	return schema.Rate(s)
}

// cpusField says who runs where on this machine.
func cpusField(t *Testbed) field {
	return field{"cpus", func(r *reader, n node) {
		r.object(n, "cpus",
			cpuSet("generator", &t.CPUs.Generator),
			cpuSet("receiver", &t.CPUs.Receiver),
			cpuSet("dut", &t.CPUs.DUT))
	}}
}

func cpuSet(name string, to *[]int) field {
	return field{name, func(r *reader, n node) {
		r.list(n, name, func(item node) {
			cpu := -1
			scalarField(name, &cpu, schema.Within(schema.Int, 0, 4095)).read(r, item)
			*to = append(*to, cpu)
		})
	}}
}

func (r *reader) waits(n node, w *weir.Waits) {
	parse := schema.Within(schema.Duration, 0, maxWait)
	r.object(n, "waits",
		scalarField("learning", &w.Learning, parse),
		scalarField("residual", &w.Residual, parse),
		scalarField("settle", &w.Settle, parse))
}

func parseText(s string) (string, error) { return strings.TrimSpace(s), nil }
