package plan

import (
	"slices"
	"strings"
	"testing"

	"weir"
)

// Arms that can stand side by side do, unless the plan says otherwise.
func TestWhichStandSideBySide(t *testing.T) {
	for text, why := range map[string]string{
		"":                                       "",
		"runs: {order: blocks}\n":                "",
		"traffic: {direction: reverse}":          "",
		"methods: frmol\n":                       "frmol measures one DUT at a time",
		"traffic: {direction: both}\n":           "in one direction",
		"traffic: {pairs: 2}\n":                  "one pair of ports",
		"factors: {napi: [softirq, threaded]}\n": "the CPUs that they share",
		"factors: {cpus: [1, 2]}\n":              "cpus is the whole machine's",
		"factors: {sysctl net.core.netdev_budget: [1, 600]}\n":                       "is the whole machine's",
		"factors: {flows: [1, 100]}\n":                                               "they differ in what is sent",
		"factors: {routes: [1, 100]}\n":                                              "",
		"factors: {routes: [1, 100], flows: [7, 70]}\ncombinations: one-at-a-time\n": "they differ in what is sent",
		"factors: {filters: [0, 1, 2, 3, 4, 5, 6, 7]}\n":                             "there are 9 of them",
		"factors: {testbed: [{cpus: {dut: [1]}}, {cpus: {dut: [2]}}]}\n":             "a testbed of its own",
		"factors: {sysctl net.ipv4.ip_early_demux: [1, 0], mtu: [1500, 1400]}\n":     "",
		"runs: {same: no}\n": "",
		"factors: {command: [none, {name: b, do: x, undo: y}]}\ntestbed: {kind: ports, ports: [a, b]}\n": "one box behind the ports",
	} {
		full := text
		for _, usual := range []string{"traffic: {sizes: 64}\n", "factors: {firewall: [none, stateful]}\n", "methods: saturated\n"} {
			if key, _, _ := strings.Cut(usual, ":"); !strings.HasPrefix(text, key) {
				full += "\n" + usual
			}
		}
		p := parsed(t, full)
		if got := p.Apart(); why == "" && got != "" || !strings.Contains(got, why) {
			t.Errorf("%q: %q, want %q", text, got, why)
		}
		want := weir.Abreast
		if why != "" || strings.Contains(text, "blocks") {
			want = weir.Blocks
		}
		if e := p.Experiment; e.Schedule != want || (e.Reset == weir.Rebuild) != (want == weir.Abreast) {
			t.Errorf("%q: order %s, reset %s", text, e.Schedule, e.Reset)
		}
	}
}

// Plain forwarding is an arm of its own where it is asked for and the baseline is
// not that already.
func TestReference(t *testing.T) {
	for text, want := range map[string][]string{
		"factors: {firewall: [none, stateful]}":                                     {"firewall none", "firewall stateful"},
		"factors: {forwarding: [kernel, xdp]}":                                      {"forwarding kernel", "forwarding xdp"},
		"factors: {firewall: [stateless, stateful]}":                                {"firewall stateless", "firewall stateful", "reference"},
		"factors: {firewall: [stateless, stateful], direction: [forward, reverse]}": {"firewall stateless", "firewall stateful", "reference"},
		"dut: {platform: linux}\nfactors: {routes: [10, 1000]}":                     {"routes 10", "routes 1000", "reference"},
		"factors: {firewall: [none, stateful]}\nruns: {reference: no}":              {"firewall none", "firewall stateful"},
	} {
		if !strings.Contains(text, "runs:") {
			text += "\nruns: {reference: yes}"
		}
		p := parsed(t, text+"\nmethods: saturated\n")
		reference := want[0]
		if len(want) == 3 {
			reference = want[2]
		}
		if strings.Contains(text, "reference: no") {
			reference = ""
		}
		if e := p.Experiment; !slices.Equal(e.Arms, want) || e.Reference != reference {
			t.Errorf("%q: arms %q, reference %q", text, e.Arms, e.Reference)
		}
		for _, l := range p.Levels {
			if l.Arm == weir.ReferenceArm && (!l.Condition.IsZero() || l.Traffic[0].Routes.Count > 0) {
				t.Errorf("%q: the reference is %+v", text, l)
			}
		}
		for _, b := range p.blocks() {
			if len(b.cells) != len(want)+1 {
				t.Errorf("%q: a block has %d arms", text, len(b.cells))
			}
		}
	}
	if _, err := Parse("", []byte("factors: {firewall: [none, stateful]}\nruns: {reference: yes, order: blocks}\nmethods: saturated\n")); err == nil || !strings.Contains(err.Error(), "leave reference out") {
		t.Error(err)
	}
}
