package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/figures"
)

// A difference is one thing in which manifests differ.
type difference struct {
	Where, Name string
	Values      []string // of each manifest
}

// alike is how much, relative, two measurements of one tester may differ without
// being reported.
const alike = .05

// absent is written for a setting that a manifest does not have.
const absent = "(not there)"

// manifestDifferences are all things in which two manifests, or more, differ but for
// the time at which they began, the seed and the plan's text; of plans that differ only
// that is shown.
func manifestDifferences(of []weir.Manifest) []difference {
	if len(of) < 2 {
		return nil
	}
	var out []difference
	differ := func(where, name string, values []string) {
		if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
			out = append(out, difference{where, name, values})
		}
	}
	var order [][2]string
	settings := make([]map[[2]string]string, len(of))
	for i, m := range of {
		settings[i] = make(map[[2]string]string)
		for _, s := range figures.Everything(m) {
			key := [2]string{s.Where, s.Name}
			settings[i][key] = s.Value
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		values := make([]string, len(of))
		for i := range of {
			if v, there := settings[i][key]; there {
				values[i] = v
			} else {
				values[i] = absent
			}
		}
		differ(key[0], key[1], values)
	}
	for _, name := range slices.Sorted(maps.Keys(of[0].Ceiling)) {
		var values []string
		low, high := of[0].Ceiling[name], of[0].Ceiling[name]
		for _, m := range of {
			values = append(values, figures.Kpps(m.Ceiling[name])+" kpps")
			low, high = min(low, m.Ceiling[name]), max(high, m.Ceiling[name])
		}
		if low > 0 && high-low > alike*high {
			differ("tester alone", name, values)
		}
	}
	plans := make([]string, len(of))
	for i, m := range of {
		if plans[i] = lines(m.Plan); m.Plan != of[0].Plan {
			plans[i] += ", another text"
		}
	}
	differ("campaign", "plan", plans)
	return out
}

// lines says how long a text is.
func lines(text string) string {
	n := 0
	for _, r := range text {
		if r == '\n' {
			n++
		}
	}
	return fmt.Sprintf("%d %s", n, figures.Plural(n, "line"))
}

// experimentSettings are what an experiment varies, and how its runs are ordered.
func experimentSettings(e weir.Experiment) []weir.Setting {
	var out []weir.Setting
	add := func(name, value string) {
		if value != "" {
			out = append(out, weir.Setting{Where: "experiment", Name: name, Value: value})
		}
	}
	share := func(v float64) string {
		if v == 0 {
			return ""
		}
		return figures.Percent(v) + " %"
	}
	for _, f := range e.Factors {
		name := "factor " + f.Name
		if f.Traffic {
			name += ", of what is sent"
		}
		add(name, strings.Join(f.Levels, "; "))
	}
	add("arms", strings.Join(e.Arms, "; "))
	add("baseline again (A/A)", strconv.FormatBool(e.Same))
	add("schedule", string(e.Schedule))
	if e.Schedule != "" {
		add("seed of the order", strconv.FormatUint(e.Seed, 10))
	}
	add("reset", string(e.Reset))
	if e.Runs > 0 {
		add("runs", figures.Number(float64(e.Runs), 0))
	}
	if e.ByHand > 0 {
		add("set by hand", figures.Number(float64(e.ByHand), 0))
	}
	add("detect", share(e.Detect))
	add("margin", share(e.Margin))
	add("confidence", share(e.Confidence))
	return out
}
