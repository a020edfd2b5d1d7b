package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		if got := p.WhyNotSideBySide(); why == "" && got != "" || !strings.Contains(got, why) {
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

// A person is asked for as few changes as there can be where each block has each
// level, unless the plan wants an order that is drawn.
func TestOrderOfWhatIsSetByHand(t *testing.T) {
	const two, one = "command: [{name: old}, {name: new}]", "traffic: {sizes: 64}\n"
	for _, c := range []struct {
		text      string
		order     weir.Schedule
		runs      int // replicates
		questions int
	}{
		{"factors: {" + two + "}\n" + one, weir.ABBA, 6, 7},
		{"factors: {" + two + "}\n" + one + "runs: {count: 3, seed: 9}\n", weir.ABBA, 4, 5},
		{"factors: {" + two + "}\n" + one + "runs: {count: 4, same: no}\n", weir.ABBA, 4, 5},
		{"factors: {" + two + "}\n" + one + "runs: {detect: 1%, pilot: 3, most: 5}\n", weir.ABBA, 0, 7},
		{"factors: {" + two + "}\ntraffic: {sizes: [64, 512, 1518]}\nruns: {count: 4, order: abba}\n", weir.ABBA, 4, 13},
		{"factors: {" + two + ", flows: [1, 9]}\n" + one + "runs: 4\n", weir.ABBA, 4, 9},
		{"factors: {command: [{name: a}, {name: b}, {name: c}]}\n" + one + "runs: 4\n", weir.ABBA, 4, 9},
		{"factors: {" + two + ", flows: [1, 9]}\ncombinations: one-at-a-time\n" + one + "runs: 4\n", weir.ABBA, 4, 5},
		{"factors: {command: [none, {name: x, do: y, undo: z}]}\n" + one, weir.Blocks, 6, 0},
		{"dut: {command: {name: new}}\nfactors: {flows: [1, 9]}\n" + one, weir.Blocks, 6, 1},
		{"modifiers: [plain, {command: {name: new}}]\nrounds: 3\n" + one, "", 0, 6},
		{"modifiers: [{command: {name: new}}, plain]\n" + one, "", 0, 2},
		{"factors: {command: [none, {name: new}]}\n" + one + "runs: {count: 4, seed: 1}\n", weir.ABBA, 4, 5},
		{"factors: {command: [none, {name: new}]}\n" + one + "runs: {count: 4, seed: 2}\n", weir.ABBA, 4, 5},
	} {
		p := parsed(t, "testbed: {kind: ports, ports: [a, b]}\nmethods: frmol\n"+c.text)
		var e weir.Experiment
		if p.Experiment != nil {
			e = p.Experiment.Experiment
		}
		if e.Schedule != c.order || e.Runs != c.runs || p.Questions() != c.questions {
			t.Errorf("%s: order %q, %d runs, %d questions; want %+v", c.text, e.Schedule, e.Runs, p.Questions(), c)
		}
	}
}

// The first block is drawn with the seed, each other one is that before it backwards,
// and what needs nobody is in one place of it.
func TestThereAndBack(t *testing.T) {
	const text = `
testbed: {kind: ports, ports: [a, b]}
traffic: {sizes: [64, 512]}
factors: {command: [none, {name: old}, {name: x, do: y, undo: z}, {name: new}]}
methods: frmol
runs: {count: 4, seed: SEED}
`
	first := make(map[string]bool)
	for _, seed := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12") {
		p := parsed(t, strings.ReplaceAll(text, "SEED", seed))
		var before []string
		for c := range p.all() {
			if n := len(before); n == 0 || before[n-1] != c.byHand() {
				before = append(before, c.byHand())
			}
		}
		// Of eight blocks with three levels each, those at the turns are one.
		if len(before) != 8*2+1 {
			t.Fatalf("seed %s: %q", seed, before)
		}
		first[strings.Join(before[:3], "|")] = true
		back := slices.Clone(before[:3])
		slices.Reverse(back)
		if diff := cmp.Diff(slices.Concat(before[:3], back[1:]), before[:5]); diff != "" {
			t.Errorf("seed %s (-there and back +got):\n%s", seed, diff)
		}
		blocks, runs := p.Schedule()
		if len(blocks) != 8 || runs != 8*5 {
			t.Errorf("seed %s: %d blocks, %d runs", seed, len(blocks), runs)
		}
	}
	if len(first) < 3 {
		t.Errorf("whatever the seed, it begins with one of %v", first)
	}
}

// A level that is set by hand is in results by its name, and a command beside it is a
// command.
func TestLevelsSetByHand(t *testing.T) {
	p := parsed(t, "testbed: {kind: ports, ports: [a, b]}\nmethods: frmol\nfactors: {command: [none, {name: new}, {name: x, do: y, undo: z}]}\n")
	var got []string
	for _, l := range p.Levels {
		got = append(got, l.Arm+": "+l.Condition.ByHand()+": "+l.Condition.String())
	}
	want := []string{"command none: : plain", "command new: new: new (by hand)", "command x: : y"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := Recorded(weir.Campaign{Name: p.Name, Manifest: weir.Manifest{Plan: p.Text, Testbed: Ports}}, nil)
	if err != nil || !again.Levels[1].Condition.Equal(p.Levels[1].Condition) || again.Questions() != p.Questions() {
		t.Errorf("as recorded: %+v, %v", again.Levels, err)
	}
	if on := p.WithTestbed(SimulatedTestbed()); on.Questions() != 0 {
		t.Errorf("a simulated DUT is set by hand %d times", on.Questions())
	}
}
