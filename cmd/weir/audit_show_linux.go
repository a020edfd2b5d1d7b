package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"weir/internal/audit"
	"weir/internal/settings"
)

// audited is an audit with what was changed before.
type audited struct {
	audit.Report
	Changed []settings.Change `json:"changed,omitempty"`
}

func (a *app) listChecks() error {
	if a.format == "json" {
		return a.printJSON(audit.Checks())
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, c := range audit.Checks() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.What, c.Source)
	}
	return w.Flush()
}

func (a *app) showAudit(r audited) error {
	if a.format == "json" {
		return a.printJSON(r)
	}
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
		if f.Mendable && (f.ByName || f.Severity == audit.Note) {
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
	switch n := r.Count(audit.Spoils); {
	case n == 1:
		fmt.Fprint(w, "1 finding spoils a measurement")
	case n > 1:
		fmt.Fprintf(w, "%d findings spoil a measurement", n)
	default:
		fmt.Fprint(w, "nothing that was checked spoils a measurement")
	}
	fmt.Fprintf(w, ", %d doubtful, %s, %d not checked\n", r.Count(audit.Doubtful), number(float64(r.Count(audit.Note)), "note"), len(r.Unread))
	_, err := fmt.Fprint(a.out, w.String())
	return err
}
