package result

import (
	"strings"
	"testing"

	"weir"
)

// Each metric has one name and says what it is, and a result without anything has none but
// those that are known of every result.
func TestMetrics(t *testing.T) {
	seen := map[string]bool{}
	var known []string
	nothing := &weir.Result{Method: "sweep", Unmeasured: "its program is missing"}
	for _, m := range metrics {
		if seen[m.ID] || m.Means == "" || !strings.HasSuffix(m.Means, ".") {
			t.Errorf("%s is there twice, or does not say in a sentence what it is: %q", m.ID, m.Means)
		}
		seen[m.ID] = true
		if _, is := m.Of(nothing); is {
			known = append(known, m.ID)
		}
	}
	if len(known) > 0 {
		t.Errorf("of a result that was not measured %v are known", known)
	}
	sweep := &weir.Result{Method: "sweep", Value: 9, Lower: 8, Upper: 10, Sweep: &weir.Sweep{Saturated: weir.Bounds{Value: 7, Lower: 6, Upper: 8}, Rounds: 3}}
	for id, want := range map[string]Value{
		"value":     {Bounds: weir.Bounds{Value: 9, Lower: 8, Upper: 10}, Bounded: true},
		"saturated": {Bounds: weir.Bounds{Value: 7, Lower: 6, Upper: 8}, Bounded: true},
		"rounds":    {Bounds: weir.Bounds{Value: 3}},
	} {
		if got, is := Named(id).Of(sweep); !is || got != want {
			t.Errorf("%s is %+v, %v, want %+v", id, got, is, want)
		}
	}
	if _, is := Named("knee_zero").Of(sweep); is {
		t.Error("a knee without loss is known that was not found")
	}
}
