package campaign

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/claim"
)

// Captures reads a capture that a plan names, by its path relative to the plan.
type Captures func(name string) (*frame.Capture, error)

// Parse reads a plan and checks all of it, before any host is touched. What a
// plan leaves out has its default. The name is that of the file, for messages,
// and for the campaign when the plan has none. An error is of type Mistakes.
func Parse(name string, data []byte) (Plan, error) { return ParseWith(name, data, nil) }

// ParseWith is Parse for plans that may name captures, and reads these.
func ParseWith(name string, data []byte, captures Captures) (Plan, error) {
	text := bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with a byte order mark
	r := newReader(name, text)
	r.captures = captures
	p := Plan{
		Name:    strings.TrimSuffix(path.Base(name), path.Ext(name)),
		Testbed: Testbed{Kind: NetNS, Sim: defaultModel},
		DUT:     DUT{Platform: "linux"},
		Text:    string(data),
	}
	root, wrong := parseYAML(text)
	if wrong != nil {
		r.note(wrong)
		return Plan{}, r.mistakes
	}
	traffic, methods := node{kind: object}, node{kind: empty}
	traffic.line, traffic.column = 1, 1
	var modifiers, factors, combined, runs, profile node
	p.Waits = weir.Waits{Residual: defaultResidual}
	if profile, ok := root.find("profile"); ok && profile.text == RFC2544 { // its defaults hold wherever it stands
		p.Waits = weir.Waits{Learning: claim.LearningWait, Residual: claim.ResidualWait, Settle: claim.SettleWait}
	}
	r.family = familyOf(root)
	if t, ok := root.find("traffic"); ok {
		if r.both, ok = t.find("bidirectional"); !ok {
			r.both, _ = t.find("direction")
		}
	}
	if t, ok := root.find("testbed"); ok {
		kind, _ := t.find("kind")
		r.sim = kind.text == Sim
	}
	if root.kind != empty {
		r.object(root, "a plan",
			scalarField("name", &p.Name, parseText),
			field{"profile", func(r *reader, n node) {
				if n.text == RFC2544 {
					p.Profile = RFC2544
				} else if _, err := parseBool(n.text); n.kind == scalar && err == nil {
					profile = n
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
			field{"traffic", func(_ *reader, n node) { traffic = n }},
			field{"modifiers", func(_ *reader, n node) { modifiers = n }},
			field{"factors", func(_ *reader, n node) { factors = n }},
			field{"combinations", func(_ *reader, n node) { combined = n }},
			field{"runs", func(_ *reader, n node) { runs = n }},
			field{"methods", func(_ *reader, n node) { methods = n }},
			field{"waits", func(r *reader, n node) { r.waits(n, &p.Waits) }},
		)
	}
	s, sizes := r.traffic(traffic, p.Profile)
	sizes = r.suited(sizes, traffic, factors, methods)
	if factors.kind == empty && runs.kind == empty {
		p.Levels = r.levels(modifiers, s, p.DUT.Condition, sizes)
	} else {
		r.compared(&p, modifiers, factors, combined, runs, s, sizes)
	}
	p.Traffic = distinct(p.Levels)
	p.Steps = r.methods(methods, profile, p)
	if len(p.Levels) > 0 && p.DUT.Policer.Kind == "tbf" && (len(p.Levels[0].Traffic) > 1 || sizes[0].application) {
		dut, _ := root.find("dut")
		policer, _ := dut.find("policer")
		if sizes[len(sizes)-1].application {
			r.wrong(policer, "tbf limits octets, and packets of transfers have no one size: limit the link (testbed: {link: 100M}), or take nft")
			return Plan{}, r.mistakes.inOrder()
		}
		r.wrong(policer, "tbf limits octets, so that frames/s need a plan with a single size and not %d; nft limits frames of any", len(p.Levels[0].Traffic))
	}
	if len(r.mistakes) > 0 {
		return Plan{}, r.mistakes.inOrder()
	}
	return p, nil
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
		for _, f := range known {
			p.Experiment.Factors = append(p.Experiment.Factors, weir.Factor{Name: f.name, Levels: f.recorded(), Traffic: f.traffic})
		}
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
			if k := trafficKey(t); !slices.Contains(known, k) {
				known, out = append(known, k), append(out, t)
			}
		}
	}
	return out
}

func (r *reader) testbed(n node, t *Testbed) {
	common := []field{
		oneOf("kind", &t.Kind, NetNS, Sim),
		scalarField("link", &t.Link, ParseRate),
	}
	if k, ok := n.find("kind"); ok && k.text == Sim {
		r.object(n, "a testbed of kind sim", append(common,
			scalarField("capacity", &t.Sim.Capacity, ParseRate),
			scalarField("buffer", &t.Sim.Buffer, parseInt),
			scalarField("latency", &t.Sim.Latency, parseDuration),
			scalarField("jitter", &t.Sim.Jitter, parseDuration),
			scalarField("livelock", &t.Sim.Livelock, parseFraction),
			scalarField("noise", &t.Sim.Noise, within(parseFraction, 0, 0.5)),
			scalarField("seed", &t.Sim.Seed, parseUint64),
			scalarField("recovery", &t.Sim.Recovery, parseDuration),
			scalarField("reset", &t.Sim.Reset, parseDuration),
			scalarField("learning", &t.Sim.Learning, ParseRate),
			scalarField("route_cost", &t.Sim.RouteCost, within(parseFraction, 0, 0.9)),
			scalarField("filter_cost", &t.Sim.FilterCost, parseFraction),
			scalarField("firewall_cost", &t.Sim.FirewallCost, parseFraction),
			scalarField("xdp_gain", &t.Sim.XDPGain, within(parseFraction, 0.01, 100)),
			scalarField("run_noise", &t.Sim.RunNoise, within(parseFraction, 0, 0.5)),
			scalarField("wave", &t.Sim.Wave, within(parseFraction, 0, 0.9)),
			scalarField("drift", &t.Sim.Drift, within(parseSigned, -0.1, 0.1)),
		)...)
		return
	}
	r.object(n, "a testbed of kind netns", append(common,
		field{"cpus", func(r *reader, n node) {
			r.object(n, "cpus",
				cpuSet("generator", &t.CPUs.Generator),
				cpuSet("receiver", &t.CPUs.Receiver),
				cpuSet("dut", &t.CPUs.DUT))
		}},
		field{"ends", func(r *reader, n node) { t.Ends = r.ends(n) }},
	)...)
}

func cpuSet(name string, to *[]int) field {
	return field{name, func(r *reader, n node) {
		r.list(n, name, func(item node) {
			cpu := -1
			scalarField(name, &cpu, within(parseInt, 0, 4095)).read(r, item)
			*to = append(*to, cpu)
		})
	}}
}

func (r *reader) waits(n node, w *weir.Waits) {
	parse := within(parseDuration, 0, maxWait)
	r.object(n, "waits",
		scalarField("learning", &w.Learning, parse),
		scalarField("residual", &w.Residual, parse),
		scalarField("settle", &w.Settle, parse))
}

func parseText(s string) (string, error) { return strings.TrimSpace(s), nil }
