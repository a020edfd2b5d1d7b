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
	if got := p.WithTestbed(SimulatedTestbed()); got.Levels[1].Condition.Access() != (weir.Access{}) || strings.Join(p.WithoutEffect(), ",") != "access" {
		t.Errorf("simulated: %v without %v", got.Levels[1].Condition, p.WithoutEffect())
	}
	one := parsed(t, "{dut: {access: {pppoe: userland}}, methods: [tcp]}").Levels[0]
	if got := one.Factors(one.Traffic[0])["access"]; got != "pppoe userland" || one.Condition.Access().PPPoE != weir.Userland {
		t.Errorf("for the whole plan: %v, %v", got, one.Condition)
	}
	two := parsed(t, "{factors: {access: [{pppoe: userland}, {pppoe: xdp}]}, methods: [tcp], runs: {count: 3}}").Levels
	if got := two[1].Factors(two[1].Traffic[0])["access"]; len(two) != 2 || got != "pppoe xdp" || two[1].Condition.Access().PPPoE != weir.XDP {
		t.Errorf("past the programs: %v, %v", got, two)
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

// Test frames go through sessions at the levels that have such, and have as many flows at
// the others; the sizes that a plan leaves out fit into sessions.
func TestSessionsOfFrames(t *testing.T) {
	p := parsed(t, "{factors: {access: [ip, {pppoe: userland}], direction: [forward, both]}, traffic: {sessions: 1000}, methods: [sweep], runs: {count: 3}}")
	for i, want := range []int{0, 1000, 0, 1000} {
		var sizes []string
		for _, one := range p.Levels[i].Traffic {
			sizes = append(sizes, one.Name)
			if one.Sessions != want || one.Flows != 1000 {
				t.Errorf("%s: %d sessions, %d flows", p.Levels[i].Name, one.Sessions, one.Flows)
			}
		}
		if got := strings.Join(sizes, " "); got != "66 512 1510" {
			t.Errorf("sizes %s", got)
		}
		if got, said := p.Levels[i].Factors(p.Levels[i].Traffic[0])["sessions"]; said != (want > 0) || said && got != want {
			t.Errorf("a result of %s has %v", p.Levels[i].Name, got)
		}
	}
	if got := p.WhyNotSideBySide(); got == "" {
		t.Error("a session is one of several DUTs")
	}
	simulated := p.WithTestbed(SimulatedTestbed())
	if n := len(simulated.Traffic); n != 6 || simulated.Levels[1].Traffic[0].Sessions != 0 {
		t.Errorf("simulated: %d traffics: %+v", n, simulated.Levels[1])
	}
	one := parsed(t, "{dut: {access: {pppoe: userland}}, traffic: {sessions: 1, bidirectional: yes, family: ipv6}, methods: [throughput, saturated, latency]}").Levels[0]
	if one.Traffic[0].Sizes[0] != 86 || one.Traffic[len(one.Traffic)-1].Sizes[0] != 1510 {
		t.Errorf("%+v", one.Traffic)
	}
}

// What cannot be is said with its place.
func TestAccessMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"dut: {access: {pppoe: userspace}}\nmethods: [tcp]":                                                                          `plan.yaml:1:23: unknown pppoe "userspace"`,
		"dut: {access: pppoe}\nmethods: [tcp]":                                                                                       `plan.yaml:1:15: unknown access "pppoe"`,
		"dut: {access: {}}\nmethods: [tcp]":                                                                                          "plan.yaml:1:15: by what? {pppoe: userland}, say, or ip",
		"dut: {access: {pppoe: userland, mtu: 1492}}\nmethods: [tcp]":                                                                `plan.yaml:1:33: unknown field "mtu"`,
		"methods: [mfr]\ndut: {access: {pppoe: userland}}":                                                                           "plan.yaml:1:11: mfr sends test frames, and PPPoE sessions are those of end hosts",
		"testbed: {kind: sim}\nmethods: [tcp]\ndut: {access: {pppoe: userland}}":                                                     "plan.yaml:3:15: PPPoE sessions are those of end hosts in network namespaces",
		"testbed: {kind: vm}\nmethods: [tcp]\ndut: {access: {pppoe: userland}}":                                                      "plan.yaml:3:15: PPPoE sessions are",
		"methods: [sweep]\ntraffic: {sessions: 1}":                                                                                   "plan.yaml:2:21: frames go through PPPoE sessions with the DUT, and it is no concentrator",
		"methods: [sweep]\nmodifiers: [{sessions: 5}]":                                                                               "plan.yaml:2:24: frames go through PPPoE sessions",
		"methods: [sweep]\ntraffic: {sessions: 65535}\ndut: {access: {pppoe: userland}}":                                             "plan.yaml:2:21: sessions",
		"methods: [sweep]\ntraffic: {sessions: 0}\ndut: {access: {pppoe: userland}}":                                                 "plan.yaml:2:21: sessions",
		"methods: [sweep, tcp]\ntraffic: {sessions: 1}\ndut: {access: {pppoe: userland}}":                                            "plan.yaml:2:21: test frames go through sessions of their own",
		"methods: [reset]\ntraffic: {sessions: 1}\ndut: {access: {pppoe: userland}}":                                                 "reset ends the PPPoE sessions of the DUT",
		"methods: [mfr]\ntraffic: {sessions: 1, sizes: [64]}\ndut: {access: {pppoe: userland}}":                                      "plan.yaml:2:32: frame size 64 is too small",
		"methods: [mfr]\ntraffic: {sessions: 9, flows: 3}\ndut: {access: {pppoe: userland}}":                                         "each of 9 needs a flow, and there are 3",
		"methods: [mfr]\ntraffic: {sessions: 1, sizes: [1518]}\ndut: {access: {pppoe: userland}}\nmodifiers: [plain, bidirectional]": "at most 1518 inside, and 1510",
		"factors: {concentrator: [near, far]}\nruns: {count: 3}\nmethods: [tcp]\ndut: none":                                          "plan.yaml:1:25: there is no PPPoE session that one of them could be",
		"dut: {access: {pppoe: userland}, concentrator: far}\nmethods: [tcp]":                                                        "plan.yaml:1:48: the concentrator of sessions through a DUT is the DUT",
		"methods: [tcp]\ndut: {access: {pppoe: userland}, forwarding: xdp}\nfactors: {mtu: [1500, 9000]}":                            "forwarding by xdp takes IP on Ethernet alone",
		"methods: [tcp]\ndut: {access: {pppoe: xdp}, forwarding: xdp}\nfactors: {mtu: [1500, 9000]}":                                 "access by pppoe xdp has its own way of forwarding, in the drivers of all ports: leave forwarding out",
		"factors: {access: [ip, {pppoe: xdp}], firewall: [none, stateful]}\nmethods: [tcp]\nruns: {count: 3}":                        "access by pppoe xdp takes a frame at the driver, before the firewall sees it: leave one of the two out; list the combinations",
	} {
		_, err := Parse("plan.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
