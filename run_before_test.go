package weir

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An experiment that was recorded when arms had names alone has the levels of those that are found
// again, and one that has levels keeps them.
func TestLevelsOfBefore(t *testing.T) {
	stateful := ConditionOf(Firewall{Kind: Stateful})
	for _, c := range []struct {
		recorded string
		want     map[string][]ArmLevel
	}{
		{`{"factors": [{"name": "firewall", "levels": ["none", "stateful", "kind stateful, rules 25"]}, {"name": "mtu", "levels": ["1500", "9000"]}],
			"arms": ["baseline", "firewall stateful", "firewall stateful, mtu 9000", "firewall kind stateful, rules 25, mtu 1500", "mtu 9k", "reference"]}`,
			map[string][]ArmLevel{
				"firewall stateful":                          {{Factor: "firewall", Name: "stateful", Set: stateful}},
				"firewall stateful, mtu 9000":                {{Factor: "firewall", Name: "stateful", Set: stateful}, {Factor: "mtu", Name: "9000"}},
				"firewall kind stateful, rules 25, mtu 1500": {{Factor: "firewall", Name: "kind stateful, rules 25"}, {Factor: "mtu", Name: "1500"}},
			}},
		{`{"factors": [{"name": "version", "levels": ["11.0"]}, {"name": "firewall", "levels": ["pf", "pf stateless"]}], "arms": ["11.0, pf stateless", "11.0, pf"]}`,
			map[string][]ArmLevel{
				"11.0, pf stateless": {{Factor: "version", Name: "11.0"}, {Factor: "firewall", Name: "pf stateless", Set: ConditionOf(Firewall{Kind: Stateless, With: PF})}},
				"11.0, pf":           {{Factor: "version", Name: "11.0"}, {Factor: "firewall", Name: "pf"}},
			}},
		{`{"factors": [{"name": "firewall", "levels": ["a", "b"]}], "arms": ["firewall a"], "levels": {"firewall a": [{"factor": "firewall", "name": "a", "named": true, "set": {"firewall": {"kind": "stateful"}}}]}}`,
			map[string][]ArmLevel{"firewall a": {{Factor: "firewall", Name: "a", Named: true, Set: stateful}}}},
	} {
		var e Experiment
		if err := json.Unmarshal([]byte(c.recorded), &e); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, e.Levels); diff != "" {
			t.Errorf("%s: levels (-want +got):\n%s", c.recorded, diff)
		}
	}
}
