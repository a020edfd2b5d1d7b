package report

import (
	"encoding/json"
	"testing"

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
