package proof

import (
	"slices"
	"testing"

	"weir"
)

// published is an imported campaign of two firewalls with and without memory,
// and of none, in two versions.
func published() weir.Campaign {
	firewalls, versions := []string{"none", "pf stateful", "pf stateless"}, []string{"11.0", "11.1"}
	sets := []weir.Firewall{{}, {Kind: weir.Stateful, With: weir.PF}, {Kind: weir.Stateless, With: weir.PF}}
	c := weir.Campaign{Name: "firewalls"}
	c.Manifest.Imported = &weir.Imported{Format: "netbenches"}
	e := &weir.Experiment{Factors: []weir.Factor{{Name: "version", Levels: versions}, {Name: "firewall", Levels: firewalls}}, Levels: map[string][]weir.ArmLevel{}}
	for i, v := range versions {
		for k, f := range firewalls {
			arm := v + ", " + f
			e.Arms = append(e.Arms, arm)
			e.Levels[arm] = []weir.ArmLevel{{Factor: "version", Name: v}, {Factor: "firewall", Name: f, Set: weir.ConditionOf(sets[k])}}
			for n := range 4 {
				c.Results = append(c.Results, weir.Result{Method: "imported", Claim: weir.Claim{Name: "FRMOL, published"}, Unit: "frames/s",
					Run:     weir.Run{Number: len(c.Results) + 1, Arm: arm},
					Factors: weir.Factors{"frame_size": weir.NotSaid, "version": v, "firewall": f}, Value: 1000*float64(i+1)/float64(k+1) + float64(n)})
			}
		}
	}
	c.Manifest.Experiment = e
	return c
}

// Each factor of an imported campaign is looked at by itself, with all others
// the same, and so is what firewalls remember.
func TestViews(t *testing.T) {
	c := published()
	views, err := Views(c)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		factor      string
		arms        []string
		comparisons int
	}{
		{"version", []string{"11.0", "11.1"}, 3},
		{"firewall", []string{"none", "pf stateful", "pf stateless"}, 2},
		{stateFactor, []string{"stateless", "stateful"}, 2},
	}
	if len(views) != len(want) {
		t.Fatalf("%d views, want %d", len(views), len(want))
	}
	for i, w := range want {
		v := views[i]
		if v.Factor != w.factor || !slices.Equal(v.Experiment.Arms, w.arms) || len(v.Comparisons) != w.comparisons {
			t.Errorf("view %q has the arms %v and %d comparisons, want %+v", v.Factor, v.Experiment.Arms, len(v.Comparisons), w)
		}
		for _, x := range v.Comparisons {
			if _, there := x.Factors["frame_size"]; there || x.Method != "FRMOL" {
				t.Errorf("%s by %s has the levels %v", x.Method, v.Factor, x.Factors)
			}
		}
	}
	if r := c.Results[0]; r.Run.Arm != "11.0, none" || r.Method != "imported" || r.Factors["frame_size"] != weir.NotSaid {
		t.Errorf("the campaign itself was changed: %+v", r)
	}
}

// What weir has measured has one view, whatever its factors.
func TestViewOfMeasured(t *testing.T) {
	c := published()
	c.Manifest.Imported = nil
	views, err := Views(c)
	if err != nil || len(views) != 1 || views[0].Factor != "" || len(views[0].Experiment.Arms) != 6 {
		t.Errorf("%d views (%v)", len(views), err)
	}
	if _, err := Views(weir.Campaign{Name: "empty"}); err == nil {
		t.Error("a campaign without runs has a view")
	}
}
