package figures

import (
	"fmt"

	"weir"
)

// joined returns one text for several sentences alike. Where they differ in one figure it has
// the range of it; where in more, it is the first one, with the ranges of all behind it, as
// figures of one sentence belong together.
func joined(first weir.Sentence, more int, all []any) string {
	var differ []string
	for i, v := range all {
		r, ok := v.(weir.Range)
		if !ok {
			continue
		}
		verb := first.Verb(i)
		if low, high := fmt.Sprintf(verb, weir.Range{Low: r.Low, High: r.Low}), fmt.Sprintf(verb, weir.Range{Low: r.High, High: r.High}); low != high {
			if more == 1 && r.Low == first.Args[i] {
				r.Low = r.High // the other one
			} else if more == 1 {
				r.High = r.Low
			}
			differ = append(differ, fmt.Sprintf(verb, r))
		}
	}
	switch {
	case len(differ) == 0:
		return first.Text
	case len(differ) == 1:
		return fmt.Sprintf(first.Format, all...)
	case more == 1:
		return fmt.Sprintf("%s (and 1 more alike, with %s)", first, Enumerated(differ))
	}
	return fmt.Sprintf("%s (and %d more alike; in all of them the numbers are %s)", first, more, Enumerated(differ))
}
