package plan

import (
	"strings"
	"testing"

	"weir"
)

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
