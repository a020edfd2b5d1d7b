package telemetry

import (
	"fmt"
	"testing"

	"weir"
)

func TestGrowth(t *testing.T) {
	for name, c := range map[string]struct {
		before, after uint64
		kind          sample
		want          float64
	}{
		"grown":                  {5, 8, sample{}, 3},
		"the same":               {5, 5, sample{wrap: 10}, 0},
		"scaled":                 {5, 8, sample{scale: .01}, .03},
		"of 32 bits":             {words32 - 2, 3, sample{wrap: words32}, 5},
		"of energy":              {999, 4, sample{wrap: 1000, scale: 1e-6}, 5e-6},
		"made anew":              {5_000_000, 3, sample{}, 3},
		"beyond where it begins": {5_000_000, 3, sample{wrap: 1000}, 3}, // so it was made anew
		"corrected":              {100, 99, sample{mayDecrease: true, scale: .01}, 0},
		"large":                  {1 << 63, 1<<63 + 1, sample{}, 1},
	} {
		before, after := c.kind, c.kind
		before.count, after.count = c.before, c.after
		if got := growth(before, after); got < c.want*(1-1e-12) || got > c.want*(1+1e-12) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Of more readings than there is room for, those of trouble stay, and then the
// largest; each is where it was.
func TestSinceIsBounded(t *testing.T) {
	var before, after Snapshot
	for s := range 5 {
		var a, b []sample
		for i := range 70 {
			name := fmt.Sprintf("counter %d", i)
			if i == 3 {
				name = "rx_missed"
			}
			a = append(a, sample{name: name, unit: "count"})
			b = append(b, sample{name: name, unit: "count", count: uint64(i + 1)})
		}
		source := fmt.Sprintf("source %d", s)
		before.sources = append(before.sources, sourceSamples{source, a})
		after.sources = append(after.sources, sourceSamples{source, b})
	}
	got := after.Since(before)
	if len(got) != mostReadings {
		t.Fatalf("%d readings", len(got))
	}
	if want := (weir.Reading{Source: "telemetry", Name: "readings left out", Value: 5*70 - 199, Unit: "count"}); got[len(got)-1] != want {
		t.Errorf("the last one is %v, want %v", got[len(got)-1], want)
	}
	if got[0].Name != "rx_missed" || got[1].Name != "counter 11" || got[59].Name != "counter 69" || got[60].Source != "source 1" {
		t.Errorf("kept %v, %v, %v, %v", got[0], got[1], got[59], got[60])
	}
	after.sources = append(after.sources, sourceSamples{"new", []sample{{name: "x", count: 7}}})
	if n := len(after.Since(before)); n != mostReadings {
		t.Errorf("%d readings with a counter that is new", n)
	}
}
