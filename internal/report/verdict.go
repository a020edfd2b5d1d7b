package report

import (
	"slices"
	"strings"
)

// A verdictList gathers the results that have the same verdict.
type verdictList []verdict

type verdict struct {
	said  string
	about []headed
}

// What rows have in common: "throughput" of "64" and "512".
type headed struct {
	heading string
	rows    []string
}

func (l *verdictList) add(said, heading, label string) {
	i := slices.IndexFunc(*l, func(v verdict) bool { return v.said == said })
	if i < 0 {
		i = len(*l)
		*l = append(*l, verdict{said: said})
	}
	v := &(*l)[i]
	n := slices.IndexFunc(v.about, func(h headed) bool { return h.heading == heading })
	if n < 0 {
		n = len(v.about)
		v.about = append(v.about, headed{heading: heading})
	}
	v.about[n].rows = with(v.about[n].rows, label)
}

// lines are the verdicts with what they are about: "search not ended:
// throughput (64, 512), loss 0.5 % (64)".
func (l verdictList) lines() []string {
	var out []string
	for _, v := range l {
		var parts []string
		for _, h := range v.about {
			parts = append(parts, h.heading+" ("+strings.Join(h.rows, ", ")+")")
		}
		text := v.said + ": " + strings.Join(parts, ", ")
		if v.said == notEnded {
			text += "; a rate in the table is its lower bound, and " + missing + " stands where it has none"
		}
		out = append(out, text)
	}
	return out
}
