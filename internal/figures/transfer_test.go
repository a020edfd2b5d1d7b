package figures

import (
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
)

// What is too short to be judged is not said to be steady, and what is not of the
// seconds that count is not seen at all.
func TestSecondsThatCount(t *testing.T) {
	of := func(rates ...[]float64) []course {
		var s transferSet
		s.cells = make(map[[2]int]transferCell)
		s.Columns = []transferColumn{{Method: "tcp", Unit: "bit/s"}}
		for i, list := range rates {
			r := &weir.Result{Method: "tcp", Unit: "bit/s", Value: 1e6, Transfer: &weir.Transfer{Program: "tcp", WarmUp: 3 * time.Second}, Rates: list}
			s.Rows = append(s.Rows, string(rune('a'+i)))
			s.cells[[2]int{i, 0}] = transferCell{r, []*weir.Result{r}}
		}
		return s.Courses()
	}
	steady := slices.Repeat([]float64{1e6}, weir.LeastSeconds)
	const still, short = " no second is further than 20 % from the median.", " too short to say whether the rate fluctuates: fewer than 5 whole seconds count."
	for name, tt := range map[string]struct {
		list []course
		note string // its end
		rows int
	}{
		"nothing":                   {of(), "", 0},
		"one that is steady":        {of(steady), "In the one transfer" + still, 0},
		"steady":                    {of(steady, steady), "In all 2 transfers" + still, 0},
		"without a whole second":    {of(nil), "1 of 1 transfer is" + short, 0},
		"too short":                 {of(steady[1:], nil, steady), "In 1 other transfer" + still + " 2 of 3 transfers are" + short, 0},
		"too short, but to and fro": {of([]float64{1e6, 4e6, 1e6, 4e6}), "no rate is one. 1 of 1 transfer is" + short, 1},
		"one dip, at the start":     {of(append([]float64{1e5}, steady...), steady), "In 1 other transfer" + still, 1},
	} {
		table, note := SecondsTable(tt.list)
		if !strings.HasSuffix(note, tt.note) || (note == "") != (tt.note == "") || len(table.Rows) != tt.rows {
			t.Errorf("%s: %q, and the table %q", name, note, table.Rows)
		}
		if name == "too short, but to and fro" && table.Rows[0][7].Text != "too short" {
			t.Errorf("%s: %q", name, table.Rows)
		}
	}
}
