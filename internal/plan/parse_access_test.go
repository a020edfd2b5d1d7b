package plan

import (
	"strings"
	"testing"

	"weir"
)

func TestAccess(t *testing.T) {
	p := parsed(t, `
factors: {access: [ip, {pppoe: userland}], direction: [forward, reverse]}
methods: [tcp, netperf]
runs: {count: 3}
`)
	var arms []string
	for _, l := range p.Levels {
		arms = append(arms, l.Arm+"/"+l.Stratum+"/"+l.Condition.String())
	}
	const want = "access ip/direction forward/plain,access pppoe userland/direction forward/access by pppoe userland," +
		"access ip/direction reverse/plain,access pppoe userland/direction reverse/access by pppoe userland"
	if got := strings.Join(arms, ","); got != want {
		t.Errorf("levels %s, want %s", got, want)
	}
	if got := p.Levels[1].Factors(p.Levels[1].Traffic[0])["access"]; got != "pppoe userland" {
		t.Errorf("a result has the level %v", got)
	}
	if got := p.WithTestbed(SimulatedTestbed()); got.Levels[1].Condition.Access != (weir.Access{}) || strings.Join(p.WithoutEffect(), ",") != "access" {
		t.Errorf("simulated: %v without %v", got.Levels[1].Condition, p.WithoutEffect())
	}
	one := parsed(t, "{dut: {access: {pppoe: userland}}, methods: [tcp]}").Levels[0]
	if got := one.Factors(one.Traffic[0])["access"]; got != "pppoe userland" || one.Condition.Access.PPPoE != weir.Userland {
		t.Errorf("for the whole plan: %v, %v", got, one.Condition)
	}
}

// Each of two end hosts on a cable may be the concentrator; beside IP it makes no difference
// which, and is there all the same, as an A/A.
func TestConcentrator(t *testing.T) {
	p := parsed(t, "{dut: none, factors: {access: [ip, {pppoe: userland}], concentrator: [far, near]}, methods: [tcp], runs: {count: 3}}")
	var got []string
	for _, l := range p.Levels {
		got = append(got, l.Condition.String())
	}
	const want = "access by ip, concentrator far; access by pppoe userland, concentrator far; access by ip, concentrator near; access by pppoe userland, concentrator near"
	if strings.Join(got, "; ") != want {
		t.Errorf("levels %q", got)
	}
}

// What cannot be is said with its place.
func TestAccessMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"dut: {access: {pppoe: userspace}}\nmethods: [tcp]":                                               `plan.yaml:1:23: unknown pppoe "userspace"`,
		"dut: {access: pppoe}\nmethods: [tcp]":                                                            `plan.yaml:1:15: unknown access "pppoe"`,
		"dut: {access: {}}\nmethods: [tcp]":                                                               "plan.yaml:1:15: by what? {pppoe: userland}, say, or ip",
		"dut: {access: {pppoe: userland, mtu: 1492}}\nmethods: [tcp]":                                     `plan.yaml:1:33: unknown field "mtu"`,
		"methods: [mfr]\ndut: {access: {pppoe: userland}}":                                                "plan.yaml:1:11: mfr sends test frames, and PPPoE sessions are those of end hosts",
		"testbed: {kind: sim}\nmethods: [tcp]\ndut: {access: {pppoe: userland}}":                          "plan.yaml:3:15: PPPoE sessions are those of end hosts in network namespaces",
		"testbed: {kind: vm}\nmethods: [tcp]\ndut: {access: {pppoe: userland}}":                           "plan.yaml:3:15: PPPoE sessions are",
		"factors: {concentrator: [near, far]}\nruns: {count: 3}\nmethods: [tcp]\ndut: none":               "plan.yaml:1:25: there is no PPPoE session that one of them could be",
		"dut: {access: {pppoe: userland}, concentrator: far}\nmethods: [tcp]":                             "plan.yaml:1:48: the concentrator of sessions through a DUT is the DUT",
		"methods: [tcp]\ndut: {access: {pppoe: userland}, forwarding: xdp}\nfactors: {mtu: [1500, 9000]}": "forwarding by xdp takes IP on Ethernet alone",
	} {
		_, err := Parse("plan.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
