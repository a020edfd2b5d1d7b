package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/figures"
	"weir/internal/history"
	"weir/internal/lab"
	"weir/internal/method"
	"weir/internal/plan"
	"weir/internal/report"
	"weir/internal/sqlite"
	"weir/internal/visible"
)

// row is one line of a list: a name and what it is.
type row struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// lists is the table of what can be listed without a store.
var lists = []struct {
	name, short string
	rows        func() []row
}{
	{"methods", "What can be measured", methodRows},
	{"modifiers", "Conditions under which it can be measured", modifierRows},
	{"factors", "What an experiment can vary", factorRows},
	{"tunings", "What can be set at the DUT, beside all that", tuningRows},
	{"programs", "Programs whose transfers can be measured", programRows},
	{"sizes", "Frame sizes and mixes with their theoretical rate", sizeRows},
	{"formats", "Formats of the output", formatRows},
	{"testbeds", "Where can be measured", testbedRows},
}

func listVerb(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List methods, programs, modifiers, factors, campaigns, sizes, formats and testbeds",
		Args:  knownVerb,

		SuggestionsMinimumDistance: 2,

		RunE: func(*cobra.Command, []string) error { return a.listLists() },
	}
	a.printsJSON(cmd, "a list is")
	for _, l := range lists {
		cmd.AddCommand(&cobra.Command{
			Use: l.name, Short: l.short, Args: takes(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.listRows(l.rows()) },
		})
	}
	cmd.AddCommand(&cobra.Command{
		Use: "campaigns", Short: "What was measured, newest first", Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listCampaigns(cmd) },
	})
	return cmd
}

// listLists prints what each list has, by its names alone.
func (a *app) listLists() error {
	var rows []row
	for _, l := range lists {
		var names []string
		for _, r := range l.rows() {
			name, _, _ := strings.Cut(strings.TrimPrefix(r.Name, "{"), ":")
			names = append(names, name)
		}
		rows = append(rows, row{l.name, strings.Join(names, ", ")})
	}
	if a.format == "json" {
		return a.listRows(rows)
	}
	for _, r := range rows {
		fmt.Fprintln(a.out, r.Name)
		for _, line := range history.Wrapped(r.Summary, history.PageWidth-2) {
			fmt.Fprintln(a.out, "  "+line)
		}
	}
	fmt.Fprintln(a.out, "\nweir list methods says what each of them is, and so for the others; weir list campaigns is what was measured")
	return nil
}

func (a *app) listRows(rows []row) error {
	if a.format == "json" {
		return a.printJSON(rows)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r.Name, r.Summary)
	}
	return w.Flush()
}

// listed is a campaign in the list.
type listed struct {
	sqlite.Row
	State string `json:"state"` // "ended", "under way" or "killed"; "unknown" where it cannot be told
}

func (a *app) listCampaigns(cmd *cobra.Command) error {
	store, err := a.readStore(cmd.Context())
	if err != nil {
		return err
	}
	defer store.Close()
	rows, err := store.Campaigns(cmd.Context())
	if err != nil {
		return err
	}
	all := []listed{} // and not null
	for _, r := range rows {
		state := "ended"
		if r.Ended == "" {
			state = sqlite.StateOf(store.Path(), r.ID)
		}
		all = append(all, listed{r, state})
	}
	if a.format == "json" {
		return a.printJSON(all)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CAMPAIGN\tSTARTED\tRESULTS\tTRIALS\tENDED\tNAME")
	for _, r := range all {
		ended, name := visible.Line(shortened(r.Ended)), visible.Line(r.Name)
		if ended == "" {
			ended = r.State
		}
		if r.Simulated {
			name += " (simulated)"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", r.ID, r.Started.Local().Format(time.DateTime), r.Results, r.Trials, ended, name)
	}
	return w.Flush()
}

// endWidth is how much of how a campaign ended a list shows, in characters.
const endWidth = 60

// shortened is text on one line that fits a column; its report has all of it.
func shortened(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > endWidth {
		return strings.TrimRight(string(runes[:endWidth-3]), " ") + "..."
	}
	return line
}

func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func methodRows() []row {
	var out []row
	for _, m := range method.All() {
		out = append(out, row{m.Name, sourced(m.RFC, m.Summary)})
	}
	return out
}

func modifierRows() []row { return planRows(plan.Modifiers()) }

func factorRows() []row { return planRows(plan.Factors()) }

func tuningRows() []row {
	var out []row
	for _, t := range dut.Tunings() {
		out = append(out, row{t.Name, t.Summary + ": " + t.Takes})
	}
	return out
}

func planRows(modifiers []plan.Modifier) []row {
	var out []row
	for _, m := range modifiers {
		out = append(out, row{m.Written, sourced(m.RFC, m.Summary)})
	}
	return out
}

// sourced is a summary with the RFC that the thing is from, if there is one.
func sourced(rfc, summary string) string {
	if rfc == "" {
		return summary
	}
	return rfc + ": " + summary
}

// gigabit is the media rate that the list of sizes shows, in bit/s.
const gigabit = 1e9

func sizeRows() []row {
	var out []row
	add := func(name string, sizes []weir.Size, note string) {
		mean := weir.Traffic{Sizes: sizes}.MeanSize()
		out = append(out, row{name, fmt.Sprintf("%s at 1 Gbit/s%s", figures.Quantity(frame.LineRate(gigabit, mean), "frames/s"), note)})
	}
	for _, s := range []weir.Size{64, 128, 256, 512, 1024, 1280, 1518} { // RFC 2544 section 9.1
		add(fmt.Sprint(s), []weir.Size{s}, "")
	}
	add("imix", frame.SimpleIMIX(), fmt.Sprint(", sizes ", frame.SimpleIMIX()))
	return out
}

func formatRows() []row {
	var out []row
	for _, f := range report.Formats() {
		out = append(out, row{f, report.Summary(f)})
	}
	return out
}

func testbedRows() []row {
	var out []row
	for _, t := range lab.Kinds {
		out = append(out, row{t.Name, t.Summary})
	}
	return out
}
