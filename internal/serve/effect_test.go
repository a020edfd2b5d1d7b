package serve

import (
	"strings"
	"testing"
)

// compared is a plan that proves what a firewall costs a simulated router.
const compared = `name: NAME
testbed: {kind: sim}
traffic: {sizes: [64]}
factors: {firewall: [none, stateful]}
methods: [{method: saturated, within: 250ms, trial: 50ms}]
runs: {count: 5}
`

// What an experiment has proven is in the list, is a filter, and has a history.
func TestEffects(t *testing.T) {
	s := newSite(t)
	id := s.measurePlan(strings.Replace(compared, "NAME", "cost", 1), nil)
	s.measure("rate", nil)
	s.look()
	e, err := s.index.find(id)
	if err != nil || len(e.Effects) == 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	if len(e.Found) > 0 {
		t.Errorf("the last of its runs counts as what was found: %v", e.Found)
	}
	text, _ := s.get("/")
	if !strings.Contains(text, "64: firewall stateful -") || !strings.Contains(text, "arm=firewall&#43;stateful") && !strings.Contains(text, "arm=firewall+stateful") {
		t.Errorf("the list has no effect: %s", text)
	}
	proven, _ := s.get("/?verdict=difference+proven")
	if !strings.Contains(proven, id) || strings.Contains(proven, `href="c/`+s.index.all()[0].ID) {
		t.Error("the filter of verdicts is not one")
	}
	of := topic{Name: "cost", DUT: "simulated", Testbed: "sim", Method: "saturated", Size: "64", Metric: "saturated", Arm: "firewall stateful"}
	text, answer := s.get("/" + of.path())
	if answer.StatusCode != 200 || !strings.Contains(text, "firewall stateful relative to its baseline") {
		t.Errorf("the history of an effect: %d, %.400s", answer.StatusCode, text)
	}
	if text, _ = s.get(apiPath + of.path()); !strings.Contains(text, `"unit":""`) || !strings.Contains(text, `"at_least":false`) {
		t.Errorf("the history of an effect, for scripts: %s", text)
	}
}
