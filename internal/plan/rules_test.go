package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir"
)

// Each rule has a name of its own, and is broken by one of the wrong plans.
func TestRulesAreBroken(t *testing.T) {
	all := slices.Clone(rules)
	defer copy(rules, all)
	broken := map[string]int{}
	for i, one := range all {
		if _, twice := broken[one.name]; twice {
			t.Errorf("two rules are called %q", one.name)
		}
		broken[one.name] = 0
		rules[i].check = func(d *draft) weir.Problems {
			found := one.check(d)
			broken[one.name] += len(found)
			return found
		}
	}
	plans, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range plans {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(filepath.Base(path), data); err == nil {
			t.Errorf("%s was taken", path)
		}
	}
	for name, times := range broken {
		if times == 0 {
			t.Errorf("no plan of testdata/wrong breaks the rule %q", name)
		}
	}
}

// A plan says whether its DUT is started anew between runs, and is told where it cannot be.
func TestRestarts(t *testing.T) {
	const (
		ports = "testbed: {kind: ports, ports: [a, b]}\n"
		ssh   = ports + "dut: {host: \"ssh://r1\", ports: [c, d]}\n"
		far   = "testbed: {kind: ports, ports: [\"ssh://t1/a\", \"ssh://t2/b\"]}\n"
	)
	for text, want := range map[string]string{
		"testbed: {kind: vm}\nruns: {reset: reboot}":                                    "",
		"testbed: {kind: vm}\nruns: {reset: power}":                                     "",
		"testbed: {kind: sim}\nruns: {reset: power}":                                    "",
		ssh + "runs: {reset: reboot}":                                                   "",
		ports + "dut: {reset_hook: [cycle]}\nruns: {reset: power}":                      "",
		"testbed: {kind: vm, image: a}\ndut: {platform: opaque}\nruns: {reset: power}":  "",
		"testbed: {kind: vm, image: a}\ndut: {platform: opaque}\nruns: {reset: reboot}": "cannot tell anything",
		ports + "dut: {reset_hook: [cycle]}\nruns: {reset: reboot}":                     "cannot tell anything",
		ports + "runs: {reset: power}":                                                  "which command takes the power",
		ssh + "runs: {reset: power}":                                                    "which command takes the power",
		far + "dut: {host: \"ssh://r1\", ports: [c, d]}\nruns: {reset: reboot}":         "on other machines",
		"runs: {reset: reboot}":                                                         "kernel of this machine",
		"testbed: {kind: vm}\nruns: {reset: restart}":                                   "reboot",
		"testbed: {kind: vm}\nruns: {reset: power, order: windows}":                     "cannot stand side by side",
	} {
		p, err := Parse("plan.yaml", []byte(text+"\nmethods: [{method: throughput}]"))
		if want == "" {
			if err != nil || !strings.Contains(text, string(p.Experiment.Reset)) || p.Experiment.Reset == weir.Reapply {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What a plan asks for in vain is said with its place and the reason.
func TestPlacesOfWhatCannotBe(t *testing.T) {
	short := strings.Replace(strings.Replace(book, "throughput, claim", "throughput, within: 3m, claim", 1), ", link: 1G", "", 1)
	for text, want := range map[string][]string{
		short: {
			`plan.yaml:5:5: "RFC 2544 throughput" was asked for, and throughput with frames of 64 can earn by this plan "search not ended" only: within 3m0s is too short for it`,
			"\n  5 |   - {method: throughput, within: 3m, claim: RFC 2544 throughput}\n    |     ^",
		},
		strings.Replace(book, "defaults: rfc2544\n", "", 1): {
			`plan.yaml:4:5: "RFC 2544 throughput" was asked for`,
			`only: RFC 2544 section 23 b: wait 2s after the learning frames`,
			"    |     ^\nit misses besides\n  - RFC 2544 section 23 d: wait 2s",
			"\nwhat earns it: the line waits: {learning: 2s, residual: 2s, settle: 5s}",
		},
		strings.Replace(book, "throughput, claim", "throughput, trial: 1s, claim", 1): {"\nwhat earns it: trial: 60s in this method"},
		strings.Replace(strings.Replace(book, "defaults: rfc2544\n", "", 1), "throughput, claim", "throughput, trial: 1s, claim", 1): {
			"\nwhat earns it: trial: 60s in this method, and the line waits: {learning: 2s, residual: 2s, settle: 5s}",
		},
	} {
		p := parsed(t, text)
		err := p.Unearnable()
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error does not say %q: %v", part, err)
			}
		}
	}
	p := parsed(t, strings.Replace(book, "method: reset,", "method: reset, event: explode,", 1))
	err := p.Impossible([]string{"reset"})
	const want = `plan.yaml:10:5: reset: this testbed has no event "explode"; what it can do to the DUT: reset`
	if err == nil || !strings.HasPrefix(err.Error(), want+"\n  10 |   - {method: reset, event: explode,") {
		t.Errorf("error %v", err)
	}
	p.Steps[5].At = weir.Place{}
	if err := p.Impossible([]string{"reset"}); err == nil || err.Error() != want[len("plan.yaml:10:5: "):] {
		t.Errorf("without a place: %v", err)
	}
}

// book is a plan by the book for one size, that asks for the names it gives.
const book = `defaults: rfc2544
testbed: {kind: sim, link: 1G}
traffic: {sizes: [64]}
methods:
  - {method: throughput, claim: RFC 2544 throughput}
  - {method: latency, claim: RFC 2544 latency}
  - {method: loss-rate, claim: RFC 2544 frame loss rate}
  - {method: back-to-back, claim: RFC 2544 back-to-back}
  - {method: recovery, claim: RFC 2544 system recovery}
  - {method: reset, claim: RFC 2544 reset}
  - {method: rfc9004-back-to-back, claim: RFC 9004 back-to-back}
`
