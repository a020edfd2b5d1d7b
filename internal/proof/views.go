package proof

import (
	"fmt"
	"maps"
	"slices"

	"weir"
	"weir/internal/result"
)

// A View is a campaign seen along one of its factors: the levels of that one are
// compared, with those of all others the same.
type View struct {
	Factor string // "": what the plan compares
	Proof
}

// Views are what there is to compare within a campaign: of one that weir has
// measured what its plan says. An imported one has no plan that says what is
// compared with what, so that each of its factors is looked at by itself. The
// errors are those of Of.
func Views(c weir.Campaign) ([]View, error) {
	c = Published(c)
	factors := looked(c)
	if len(factors) < 2 {
		p, err := Of(c)
		if err != nil {
			return nil, fmt.Errorf("compare the runs of %s: %w", c.Name, err)
		}
		return []View{{Proof: p}}, nil
	}
	var out []View
	for _, f := range factors {
		p, err := Of(along(c, f))
		if err != nil {
			return nil, fmt.Errorf("compare the levels of %s in %s: %w", f.Name, c.Name, err)
		}
		out = append(out, View{f.Name, p})
	}
	if split, ok := byState(c); ok {
		p, err := Of(split)
		if err != nil {
			return nil, fmt.Errorf("compare what the firewalls of %s remember: %w", c.Name, err)
		}
		out = append(out, View{stateFactor, p})
	}
	return out, nil
}

// looked are the factors along which an imported campaign is looked at: those with
// several levels that are not of what was sent.
func looked(c weir.Campaign) []weir.Factor {
	if c.Manifest.Imported == nil || c.Manifest.Experiment == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Manifest.Experiment.Factors), func(f weir.Factor) bool { return f.Traffic || len(f.Levels) < 2 })
}

// Published is an imported campaign with its results called by what was
// published, as several things may have been while their method is the same,
// and without levels and units that nobody has said: these tell nothing apart.
// A campaign that weir has measured is returned as it is.
func Published(c weir.Campaign) weir.Campaign {
	if c.Manifest.Imported == nil {
		return c
	}
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		r := &c.Results[i]
		if name, ok := r.Claim.Published(); ok {
			r.Method = name
		}
		if r.Unit == weir.UnknownUnit {
			r.Unit = ""
		}
		r.Factors = maps.Clone(r.Factors)
		maps.DeleteFunc(r.Factors, func(_ string, level any) bool { return level == weir.NotSaid })
	}
	return c
}

// along is a campaign whose arms are the levels of one factor.
func along(c weir.Campaign, factor weir.Factor) weir.Campaign {
	e := *c.Manifest.Experiment
	e.Arms, e.Factors, e.Levels = slices.Clone(factor.Levels), []weir.Factor{factor}, nil
	c.Manifest.Experiment = &e
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		c.Results[i].Run.Arm = result.Level(c.Results[i].Factors[factor.Name])
	}
	return c
}

// stateFactor is the factor of what firewalls remember.
const stateFactor = "state"

// byState is a campaign whose arms are stateless and stateful, of each firewall
// by itself; false where its levels do not set both of them.
func byState(c weir.Campaign) (weir.Campaign, bool) {
	both := []string{string(weir.Stateless), string(weir.Stateful)}
	var kept []weir.Result
	found := map[string]bool{}
	for _, r := range c.Results {
		set := firewallOf(c.Manifest.Experiment.Levels[r.Run.Arm])
		state := string(set.Kind)
		if set.With == "" || !slices.Contains(both, state) {
			continue
		}
		f := maps.Clone(r.Factors)
		f["firewall"], f[stateFactor] = set.With, state
		r.Factors, r.Run.Arm = f, state
		found[state] = true
		kept = append(kept, r)
	}
	if len(found) < len(both) {
		return c, false
	}
	e := *c.Manifest.Experiment
	e.Arms, e.Factors, e.Levels = both, []weir.Factor{{Name: stateFactor, Levels: both}}, nil
	c.Manifest.Experiment, c.Results = &e, kept
	return c, true
}

// firewallOf returns the firewall that the levels of an arm set.
func firewallOf(levels []weir.ArmLevel) (f weir.Firewall) {
	for _, l := range levels {
		if own := l.Set.Firewall(); own.Kind != "" {
			f = own
		}
	}
	return f
}
