package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weir"
)

// flent are the data files of flent: series of values over the time of a test.
var flent = Format{
	Name: "flent", Summary: "data files of flent: each file is a run, each of its series a number, the median",
	Recognise: func(f File) bool { return f.isJSON("metadata", "x_values", "results") },
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("flent", "the median of a series over the time of a test: goodput of streams, and round trips; no throughput of RFC 2544", files, o)
		var times []time.Time
		for _, f := range files {
			tests, err := objects[flentFile](f, &c)
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range tests {
				results := t.series(armOf(f))
				if len(results) == 0 {
					return weir.Campaign{}, fmt.Errorf("%s: no series in it has a value", f.Path)
				}
				add(&c, armOf(f), results...)
				times = append(times, t.Meta.Time)
			}
		}
		note(&c, "the MTU, and so the frame size, was not said")
		began(&c, times)
		finish(&c, set)
		return c, nil
	},
}

// flentFile is what is taken of one file.
type flentFile struct {
	Meta struct {
		Name   string    `json:"NAME"`
		Time   time.Time `json:"TIME"`
		Length float64   `json:"LENGTH"`
		Series map[string]struct {
			Units string `json:"UNITS"`
		} `json:"SERIES_META"`
	} `json:"metadata"`
	X       []float64             `json:"x_values"`
	Results map[string][]*float64 `json:"results"`
}

// series are the results of a test, in the order of their names.
func (t flentFile) series(name string) (out []weir.Result) {
	var said facts
	for i := 1; i < len(t.X); i++ {
		if t.X[i] < t.X[i-1] {
			said.backwards = fmt.Sprintf("%g s comes after %g s", t.X[i], t.X[i-1])
		}
	}
	for _, series := range slices.Sorted(maps.Keys(t.Results)) {
		var values []float64
		for _, v := range t.Results[series] {
			if v != nil { // nothing was seen in that moment
				values = append(values, *v)
			}
		}
		if len(values) == 0 {
			continue
		}
		u := t.unit(series)
		r := weir.Result{
			Claim: weir.PublishedAs("median of " + series), Value: median(values) * u.scale, Unit: cmp.Or(u.name, weir.UnknownUnit),
			TrialSeconds: t.Meta.Length, Factors: weir.Factors{set: name, "test": t.Meta.Name, "series": series},
		}
		judge(&r, said)
		out = append(out, r)
	}
	return out
}

// unit is that of a series: what the file says, or what flent has of such a name.
func (t flentFile) unit(series string) unit {
	word := t.Meta.Series[series].Units
	switch {
	case word != "":
	case strings.HasPrefix(series, "Ping"):
		word = "ms"
	case strings.HasPrefix(series, "TCP "):
		word = "Mbits/s"
	}
	if u, ok := unitOf(word); ok {
		return u
	}
	return unit{scale: 1}
}
