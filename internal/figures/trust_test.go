package figures

import (
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// How many rounds there were is what a sweep says of itself: it has rounds of its
// own where the campaign has none.
func TestRoundsOfASweep(t *testing.T) {
	for round := range 3 {
		c := samples.OneSweep(func(r *weir.Result) { r.Round, r.Rounds = round, 3 })
		g := GridOf(c)
		if got := TrustOf(c, g).rounds; got != 3 {
			t.Errorf("round %d: the bounds are said to be those of %d rounds, want 3", round, got)
		}
		if got, want := Procedures(c, g)[0].String(), "400 windows of 0.005 s in 3 rounds for 1 result"; got != want {
			t.Errorf("round %d: it was measured in %s, want %s", round, got, want)
		}
	}
}
