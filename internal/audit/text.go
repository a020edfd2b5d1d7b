package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Text is a report for a terminal: what was found, what mends it, and how much spoils
// a measurement.
func (r Report) Text() string {
	w := &strings.Builder{}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s  %s: %s: %s\n", strings.ToUpper(string(f.Severity)), f.Where, f.What, f.Found)
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(w, "    %-8s%s\n", name, text)
			}
		}
		line("wanted", f.Wanted)
		line("because", f.Reason)
		line("source", f.Source)
		for i, c := range f.Remedy {
			const most = 4
			if i == most && len(f.Remedy) > most+1 {
				line("", fmt.Sprintf("... and %d more, with --format json", len(f.Remedy)-most))
				break
			}
			line(cmp.Or(map[int]string{0: "mend"}[i], ""), c)
		}
		line(cmp.Or(map[bool]string{true: "advice"}[len(f.Remedy) == 0], "also"), f.Advice)
		if f.Mendable && (f.ByName || f.Severity == Note) {
			line("", "weir mends it only by name: --apply --only "+f.Check)
		}
		fmt.Fprintln(w)
	}
	for _, u := range r.Unread {
		fmt.Fprintf(w, "NOT CHECKED  %s: %s\n", u.Check, strings.ReplaceAll(u.Why, "\n", "; "))
	}
	if len(r.Passed) > 0 {
		fmt.Fprintf(w, "fine: %s\n", strings.Join(r.Passed, ", "))
	}
	if len(r.Absent) > 0 {
		fmt.Fprintf(w, "nothing to look at: %s\n", strings.Join(r.Absent, ", "))
	}
	for _, what := range slices.Sorted(maps.Keys(r.Fingerprints)) {
		fmt.Fprintf(w, "fingerprint of %s: %s\n", what, r.Fingerprints[what])
	}
	ports := "no ports: name those of the measurement"
	if len(r.Devices) > 0 {
		ports = strings.Join(r.Devices, ", ")
	}
	fmt.Fprintf(w, "\n%s (%s; %s): ", r.Host, r.Role, ports)
	switch n := r.Count(Spoils); {
	case n == 1:
		fmt.Fprint(w, "1 finding spoils a measurement")
	case n > 1:
		fmt.Fprintf(w, "%d findings spoil a measurement", n)
	default:
		fmt.Fprint(w, "nothing that was checked spoils a measurement")
	}
	fmt.Fprintf(w, ", %d doubtful, %s, %d not checked\n", r.Count(Doubtful), counted(r.Count(Note), "note"), len(r.Unread))
	return w.String()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
