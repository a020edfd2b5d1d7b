package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Standing is a number of the user's with those that may stand beside it.
type Standing struct {
	Own    Own         `json:"own"`
	Theirs []Neighbour `json:"theirs"`
	Apart  []string    `json:"not_comparable"` // how many are not, and why
}

// Neighbour is a number of others beside one of the user's.
type Neighbour struct {
	Row
	Times float64 `json:"yours_is_times"` // of theirs, the higher one where several were given
	But   string  `json:"but"`
}

// Beside sorts the table into what may stand beside a number, the highest
// first, and what may not.
func Beside(o Own, rows []Row) Standing {
	b := Standing{Own: o, Theirs: []Neighbour{}, Apart: []string{}}
	apart := map[string]int{}
	for _, r := range rows {
		ok, why := r.Comparable(o)
		if !ok {
			apart[why]++
			continue
		}
		b.Theirs = append(b.Theirs, Neighbour{r, o.Value / max(r.Value, r.To), why})
	}
	slices.SortStableFunc(b.Theirs, func(x, y Neighbour) int { return cmp.Compare(y.Value, x.Value) })
	for why, n := range apart {
		b.Apart = append(b.Apart, fmt.Sprintf("%d numbers: %s", n, why))
	}
	slices.Sort(b.Apart)
	return b
}
