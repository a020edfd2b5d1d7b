package main

import (
	"fmt"
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
	_, err := fmt.Fprint(a.out, r.Text())
	return err
}
