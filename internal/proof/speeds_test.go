package proof

import (
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/stats"
)

// atSpeeds is a campaign of one sweep, of a machine with these speeds, the first of which
// is the result.
func atSpeeds(name, limited string, speeds ...float64) weir.Campaign {
	r := weir.Result{
		Method: "sweep", Factors: weir.Factors{"frame_size": 64}, Unit: "frames/s", LossRatio: .005,
		Value: speeds[0], Lower: .97 * speeds[0], Upper: 1.03 * speeds[0],
		Claim: weir.Claim{Name: "capacity, windows"}, Sweep: &weir.Sweep{Rounds: 3, Limited: limited},
	}
	if limited != "" {
		r.Claim.Name += ", at least"
	}
	for i, v := range speeds {
		if len(speeds) > 1 {
			r.Speeds = append(r.Speeds, weir.Speed{Capacity: v, Share: 1 / float64(len(speeds)), Lead: i == 0})
		}
	}
	return weir.Campaign{ID: name, Name: name, Ended: "complete", Results: []weir.Result{r}}
}

// led is a campaign whose result is of another one of its speeds.
func led(c weir.Campaign, lead int) weir.Campaign {
	r := c.Results[0]
	sweep := *r.Sweep
	r.Sweep, sweep.Speeds = &sweep, slices.Clone(r.Speeds)
	for i := range sweep.Speeds {
		sweep.Speeds[i].Lead = i == lead
	}
	r.Value = sweep.Speeds[lead].Capacity
	r.Lower, r.Upper = .97*r.Value, 1.03*r.Value
	c.Results = []weir.Result{r}
	return c
}

// No change is called proven that a slower speed of the machine explains.
func TestBetweenSpeeds(t *testing.T) {
	fast := atSpeeds("a", "", 1e6, .73e6, .46e6)
	for _, c := range []struct {
		name          string
		first, second weir.Campaign
		verdict       stats.Verdict
	}{
		{"one speed each, another rate", atSpeeds("a", "", 1e6), atSpeeds("b", "", .73e6), stats.Proven},
		{"the second speed alone", fast, atSpeeds("b", "", .72e6), stats.Vetoed},
		{"the slower two", fast, atSpeeds("b", "", .73e6, .46e6), stats.Vetoed},
		{"the slower two, 5 % slower", fast, atSpeeds("b", "", .694e6, .437e6), stats.Vetoed},
		{"a faster one was seen", fast, atSpeeds("b", weir.LimitedBySpeed, .8e6, .5e6), stats.Vetoed},
		{"all of them, 12 % slower", fast, atSpeeds("b", "", .88e6, .642e6, .405e6), stats.Proven},
		{"between its speeds", fast, atSpeeds("b", "", .85e6), stats.Proven},
		{"the first one met the second speed alone", atSpeeds("a", "", .72e6), fast, stats.Vetoed},
		{"the second leads there, and the fastest is alone here", led(fast, 1), atSpeeds("b", "", 1.01e6), stats.Vetoed},
		{"the second leads there, and the fastest of the same here", led(fast, 1), atSpeeds("b", "", 1e6, .73e6, .46e6), stats.Vetoed},
		{"the second leads there, and one that is slower than the fastest is alone here", led(fast, 1), atSpeeds("b", "", .88e6), stats.Vetoed},
		{"the second leads in both, 12 % slower", led(fast, 1), led(atSpeeds("b", "", .88e6, .642e6, .405e6), 1), stats.Proven},
		{"at least as much, and that is more", atSpeeds("a", "", .5e6, .3e6), atSpeeds("b", weir.LimitedBySpeed, 1e6, .6e6), stats.Proven},
	} {
		p, err := Between(c.first, c.second)
		if err != nil {
			t.Fatal(err)
		}
		e := p.Comparisons[0].Effects[0]
		if e.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s: %+v, %v", c.name, e.Verdict, c.verdict, e.Change, p.Comparisons[0].Vetoes)
		}
		if said := texts(p.Comparisons[0].Vetoes); (e.Verdict == stats.Vetoed) != strings.Contains(said, "has several speeds") {
			t.Errorf("%s: it says %q", c.name, said)
		}
	}
}

func texts(ws []weir.Warning) string {
	var all []string
	for _, w := range ws {
		all = append(all, w.Text)
	}
	return strings.Join(all, "; ")
}
