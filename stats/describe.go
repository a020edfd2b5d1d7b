package stats

// Describe has the numbers of several arms of which no verdict can be given, for a
// reader alone: of all runs that found a positive value, in doubt or not. Where they
// are enough for it, the effects are there with their intervals, as Compare has them;
// where they are too few, the arms alone, without intervals. Every effect is Vetoed.
// An A/A is left out, as its verdict would be read as one.
func Describe(obs []Observation, o Options) Comparison {
	var all []Observation
	for _, x := range obs {
		if positive(x.Value) && (o.Again == "" || x.Arm != o.Again) {
			x.Doubt = ""
			all = append(all, x)
		}
	}
	o.Again = ""
	c, err := Compare(all, o)
	if err != nil {
		return describeArms(all, o)
	}
	for i := range c.Effects {
		c.Effects[i].Verdict = Vetoed
	}
	c.Same, c.Drift, c.DriftP, c.Stretch, c.Warnings = nil, Interval{}, 1, nil, nil
	return c
}

// describeArms has the arms of runs that are too few to be compared, the baseline
// first.
func describeArms(obs []Observation, o Options) Comparison {
	c := Comparison{Baseline: o.Baseline, DriftP: 1}
	values := map[string][]float64{}
	order := append([]string{o.Baseline}, o.Arms...)
	for _, x := range obs {
		values[x.Arm] = append(values[x.Arm], x.Value)
		order = append(order, x.Arm)
	}
	for _, arm := range order {
		if list := values[arm]; len(list) > 0 {
			c.Arms = append(c.Arms, summary(arm, list, Interval{}))
			delete(values, arm)
		}
	}
	return c
}
