package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// A difference is one thing in which two manifests differ.
type difference struct{ Where, Name, First, Second string }

// alike is how much, relative, two measurements of one tester may differ without
// being told of.
const alike = .05

// absent stands for a setting that a manifest does not have.
const absent = "(not there)"

// manifestDifferences are all things in which two manifests differ but for the
// time at which they began, the seed and the plan's text; of plans that differ
// only that is said.
func manifestDifferences(a, b weir.Manifest) []difference {
	var out []difference
	first, second := settingsByName(a), settingsByName(b)
	var order [][2]string
	for _, m := range []weir.Manifest{a, b} {
		for _, s := range everything(m) {
			if key := [2]string{s.Where, s.Name}; !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		x, here := first[key]
		y, there := second[key]
		switch {
		case here && there && x == y:
			continue
		case !here:
			x = absent
		case !there:
			y = absent
		}
		out = append(out, difference{key[0], key[1], x, y})
	}
	for _, name := range slices.Sorted(maps.Keys(a.Ceiling)) {
		x, y := a.Ceiling[name], b.Ceiling[name]
		if y > 0 && math.Abs(x-y) > alike*max(x, y) {
			out = append(out, difference{"tester alone", name, kpps(x) + " kpps", kpps(y) + " kpps"})
		}
	}
	if a.Plan != b.Plan {
		out = append(out, difference{"campaign", "plan", lines(a.Plan), lines(b.Plan) + ", another text"})
	}
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
	return fmt.Sprintf("%d %s", n, plural(n, "line"))
}

func settingsByName(m weir.Manifest) map[[2]string]string {
	out := make(map[[2]string]string)
	for _, s := range everything(m) {
		out[[2]string{s.Where, s.Name}] = s.Value
	}
	return out
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
		return percent(v) + " %"
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
		add("runs", number(float64(e.Runs), 0))
	}
	add("detect", share(e.Detect))
	add("margin", share(e.Margin))
	add("confidence", share(e.Confidence))
	return out
}

// everything that a manifest says of an environment, as settings.
func everything(m weir.Manifest) []weir.Setting {
	out := []weir.Setting{
		{Where: "campaign", Name: "weir", Value: m.Weir}, {Where: "campaign", Name: "kernel", Value: m.Kernel},
		{Where: "campaign", Name: "cpu", Value: processors(m)}, {Where: "campaign", Name: "testbed", Value: m.Testbed},
		{Where: "campaign", Name: "platform", Value: m.Platform}, {Where: "campaign", Name: "tester", Value: m.Backend},
		{Where: "campaign", Name: "simulated", Value: strconv.FormatBool(m.Simulated)},
	}
	if m.Place != "" {
		out = append(out, weir.Setting{Where: "campaign", Name: "place", Value: m.Place})
	}
	for _, n := range remarkedOf(m.Notes) {
		out = append(out, weir.Setting{Where: "campaign", Name: "note " + n.sign, Value: n.Text + on(", of ", n.about())})
	}
	if m.Imported != nil {
		out = append(out, weir.Setting{Where: "campaign", Name: "imported from", Value: m.Imported.Format + " " + m.Imported.Source})
	}
	return append(out, m.Settings...)
}

// processors are the CPUs of a machine; "unknown" as of a model.
func processors(m weir.Manifest) string {
	switch {
	case m.CPUs == 0 && m.CPUModel == "":
		return "unknown"
	case m.CPUs == 0:
		return m.CPUModel
	case m.CPUModel == "":
		return fmt.Sprintf("%d %s", m.CPUs, plural(m.CPUs, "CPU"))
	}
	return fmt.Sprintf("%d x %s", m.CPUs, m.CPUModel)
}
