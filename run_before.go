package weir

import (
	"encoding/json"
	"strings"
)

// UnmarshalJSON reads an experiment, also one that was recorded when arms had names alone: the
// levels are looked up by these. Lost is what a level sets that is no plain firewall ("kind
// stateful, rules 25"), and the levels of an arm with one that was written otherwise than results
// have it ("routes 10k", recorded as 10000): such arms go by their names.
func (e *Experiment) UnmarshalJSON(text []byte) error {
	type recorded Experiment // without this method
	if err := json.Unmarshal(text, (*recorded)(e)); err != nil {
		return err
	}
	if e.Levels != nil {
		return nil
	}
	for _, arm := range e.Arms {
		if levels, found := levelsNamed(arm, e.Factors); found {
			if e.Levels == nil {
				e.Levels = make(map[string][]ArmLevel)
			}
			e.Levels[arm] = levels
		}
	}
	return nil
}

// mostNamed is how many factors an experiment has at most whose levels are looked up by the names of
// arms: of more the ways to take a name apart may be without number.
const mostNamed = 10

// levelsNamed returns the levels that the name of an arm consists of, in the order of their
// factors; false where it has something else, too.
func levelsNamed(arm string, factors []Factor) (levels []ArmLevel, found bool) {
	if len(factors) > mostNamed {
		return nil, false
	}
	for i, f := range factors {
		for _, name := range f.Levels {
			for _, written := range []string{f.Name + " " + name, name} { // what was imported has levels alone
				rest, begins := strings.CutPrefix(arm, written)
				more, found := []ArmLevel(nil), rest == ""
				if after, continues := strings.CutPrefix(rest, ", "); continues {
					more, found = levelsNamed(after, factors[i+1:])
				}
				if begins && found {
					return append([]ArmLevel{{Factor: f.Name, Name: name, Set: setByName(f.Name, name)}}, more...), true
				}
			}
		}
	}
	return nil, false
}

// setByName returns what a level sets that is named for a firewall: "stateful", or "pf stateful"
// of what was imported.
func setByName(factor, name string) (c Condition) {
	with, kind, both := strings.Cut(name, " ")
	if !both {
		with, kind = "", name
	}
	if k := FirewallKind(kind); factor == "firewall" && k.Known() {
		c.Put(Firewall{Kind: k, With: with})
	}
	return c
}
