package weir

import "testing"

func TestFramesPerJoule(t *testing.T) {
	of := func(name string, joules float64) Reading {
		return Reading{Source: "energy", Name: name, Value: joules, Unit: "J"}
	}
	for name, c := range map[string]struct {
		readings []Reading
		energy   float64
	}{
		"nothing counts it":     {nil, 0},
		"other sources":         {[]Reading{{Source: "cpu", Name: "package-0", Value: 7, Unit: "s"}}, 0},
		"two packages, parts":   {[]Reading{of("package-0", 30), of("package-0 core", 20), of("package-1", 10)}, 40},
		"memory beside them":    {[]Reading{of("package-0", 30), of("package-0 dram", 5), of("package-0 uncore", 5)}, 35},
		"the whole platform":    {[]Reading{of("package-0", 30), of("psys", 50), of("package-0 dram", 5)}, 50},
		"packages that did not": {[]Reading{of("package-0 core", 3)}, 0},
	} {
		r := TrialResult{Received: 1000, Readings: c.readings}
		want := 0.
		if c.energy > 0 {
			want = 1000 / c.energy
		}
		if r.Energy() != c.energy || r.FramesPerJoule() != want {
			t.Errorf("%s: %v J, %v frames per joule, want %v and %v", name, r.Energy(), r.FramesPerJoule(), c.energy, want)
		}
	}
}
