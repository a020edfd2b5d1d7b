package report

import (
	"encoding/json"
	"testing"
	"weir/internal/testenv/samples"

	"weir"
)

// Of a campaign that goes round each format shows the last round alone.
func TestLatestRound(t *testing.T) {
	c := weir.Campaign{}
	for round := 1; round <= 3; round++ {
		c.Results = append(c.Results, weir.Result{Method: "sweep", Unit: "frames/s", Value: 7e5 + float64(round), Round: round,
			Factors: weir.Factors{"frame_size": 64}})
	}
	var doc struct{ Results []struct{ Value float64 } }
	if err := json.Unmarshal([]byte(render(t, "json", c)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Results) != 1 || doc.Results[0].Value != 700003 {
		t.Errorf("the results are %+v, want that of round 3", doc.Results)
	}
}

// How many rounds there were is what a sweep says of itself: it has rounds of its
// own where the campaign has none.
func TestRoundsOfASweep(t *testing.T) {
	for round := range 3 {
		c := samples.OneSweep(func(r *weir.Result) { r.Round, r.Rounds = round, 3 })
		g := gridOf(c)
		if got := trustOf(c, g).rounds; got != 3 {
			t.Errorf("round %d: the bounds are said to be those of %d rounds, want 3", round, got)
		}
		if got, want := procedures(c, g)[0].String(), "400 windows of 0.005 s in 3 rounds for 1 result"; got != want {
			t.Errorf("round %d: it was measured in %s, want %s", round, got, want)
		}
	}
}
