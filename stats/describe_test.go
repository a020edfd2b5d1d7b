package stats

import "testing"

// Describe shows what was measured where nothing may be said of it: runs in doubt
// count, verdicts are vetoed, and too few runs have their median and no interval.
func TestDescribe(t *testing.T) {
	var obs []Observation
	for i, v := range []float64{10, 12, 11, 5, 6, 5.6, 0} {
		x := Observation{Block: i%3 + 1, Arm: "a", Value: v, Order: i + 1, Doubt: "made up"}
		if i >= 3 {
			x.Arm = "b"
		}
		obs = append(obs, x)
	}
	obs = append(obs, Observation{Block: 1, Arm: "a again", Value: 99, Order: 8})
	o := Options{Baseline: "a", Again: "a again", Arms: []string{"a", "b"}}
	if _, err := Compare(obs, o); err == nil {
		t.Fatal("all of it is in doubt, and was compared")
	}
	c := Describe(obs, o)
	if len(c.Arms) != 2 || c.Arms[0].Median != 11 || c.Arms[1].N != 3 || c.Arms[1].Median != 5.6 || c.Arms[1].Interval.Upper <= 5.6 {
		t.Errorf("arms %+v", c.Arms)
	}
	if len(c.Effects) != 1 || c.Effects[0].Verdict != Vetoed || c.Effects[0].Change.Upper >= 0 || c.Effects[0].Change.Lower >= c.Effects[0].Change.Upper || c.Same != nil {
		t.Errorf("effects %+v, A/A %+v", c.Effects, c.Same)
	}
	few := Describe(obs[2:5], o)
	if len(few.Effects) != 0 || len(few.Arms) != 2 || few.Arms[0].N != 1 || few.Arms[0].Mean != 11 || few.Arms[0].Deviation != 0 || few.Arms[1].Median != 5.5 || few.Arms[1].Interval != (Interval{}) {
		t.Errorf("three runs: %+v", few)
	}
	if none := Describe(obs[6:7], o); len(none.Arms) != 0 {
		t.Errorf("a run that found nothing: %+v", none.Arms)
	}
}
