package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weir/internal/history"
	"weir/internal/visible"
)

func historyVerb(a *app) *cobra.Command {
	var with string
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what others measured from 2003 to 2017, and where yours stands",
		Long: `Show what others have measured and published: packets and bits through routers
of their day, each number with its document and what that did not say.

What a document did not say of any of its numbers stands above them; "?" is what
it did not say of one.

It begins with the latest campaign of the store that has a number which compares to
theirs; --with says which one, and leaves the rest out: its rates of 64-octet frames
beside theirs in kpps, and its rates of bits beside theirs in Mbit/s. One unit is
never turned into the other.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.history(cmd.Context(), with)
		},
	}
	a.printsJSON(cmd, "the history is")
	cmd.Flags().StringVar(&with, "with", "", "put this campaign beside it")
	return cmd
}

func (a *app) history(ctx context.Context, with string) error {
	docs, err := history.Documents()
	if err != nil {
		return err
	}
	rows, err := history.Rows()
	if err != nil {
		return err
	}
	if with == "" {
		if a.format == "json" {
			return a.printJSON(struct {
				Documents []history.Document `json:"documents"`
				Rows      []history.Row      `json:"rows"`
			}{docs, rows})
		}
		if err := a.printOwn(ctx, rows); err != nil {
			return err
		}
		return a.printHistory(docs, rows)
	}
	store, err := a.readStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := findRuns(ctx, store, with)
	if err != nil {
		return err
	}
	own := history.OwnOf(c)
	if len(own) == 0 {
		return fmt.Errorf("campaign %s has no rate of 64-octet frames, and none of bits: there is nothing in it that could stand in the table; measure the throughput or the FRMOL at 64", c.ID)
	}
	list := make([]history.Standing, len(own))
	for i, o := range own {
		list[i] = history.Beside(o, rows)
	}
	if a.format == "json" {
		return a.printJSON(list)
	}
	return a.printBeside(docs, rows, list)
}

// printOwn prints where the latest campaign stands of which any number compares to
// those of others; nothing where there is none.
func (a *app) printOwn(ctx context.Context, rows []history.Row) error {
	store, err := a.readStore(ctx)
	if err != nil {
		return nil
	}
	defer store.Close()
	campaigns, err := store.Campaigns(ctx)
	if err != nil {
		return nil
	}
	for i, r := range campaigns {
		if i == mostTried {
			break
		}
		if r.Simulated {
			continue
		}
		c, err := findRuns(ctx, store, r.ID)
		if err != nil {
			continue
		}
		var list []history.Standing
		for _, o := range history.OwnOf(c) {
			if b := history.Beside(o, rows); len(b.Theirs) > 0 {
				list = append(list, b)
			}
		}
		if len(list) > 0 {
			fmt.Fprintf(a.out, "== yours: campaign %s, %s\n\n", c.ID, visible.Line(c.Name))
			return a.printBeside(nil, rows, list)
		}
	}
	return nil
}

// mostTried is how many campaigns are looked into for a number that compares.
const mostTried = 20

// kindsOfHistory are what numbers are of, by their units.
var kindsOfHistory = []struct{ unit, of string }{
	{"kpps", "packets through routers"},
	{"Mbit/s", "bits of streams"},
	{"MB/s", "octets of files"},
}

// printHistory prints the table, by what its numbers are of and by document.
func (a *app) printHistory(docs []history.Document, rows []history.Row) error {
	for i, kind := range kindsOfHistory {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "== %s, %s\n", kind.of, kind.unit)
		if err := a.printKind(docs, slices.DeleteFunc(slices.Clone(rows), func(r history.Row) bool { return r.Unit != kind.unit })); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printKind(docs []history.Document, rows []history.Row) error {
	for _, d := range docs {
		mine := slices.DeleteFunc(slices.Clone(rows), func(r history.Row) bool { return r.Document != d.ID })
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintln(a.out)
		a.printDocument(d, mine)
		fmt.Fprintln(a.out)
		table, notes, same := history.Table(mine)
		for _, line := range same {
			a.printWrapped("  ", line)
		}
		for _, line := range history.Fitted(table, notes, history.PageWidth-2) {
			if _, err := fmt.Fprintln(a.out, "  "+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDocument prints where numbers are from, and what is not known of any of
// them.
func (a *app) printDocument(d history.Document, rows []history.Row) {
	unsaid := slices.Clone(d.Unsaid)
	for _, what := range rows[0].Unsaid {
		everywhere := !slices.ContainsFunc(rows, func(r history.Row) bool { return !slices.Contains(r.Unsaid, what) })
		if everywhere && !slices.Contains(unsaid, what) {
			unsaid = append(unsaid, what)
		}
	}
	a.printWrapped("", d.Title)
	a.printWrapped("  ", d.Author+"; "+d.Date)
	a.printWrapped("  ", "it did not say "+strings.Join(unsaid, "; "))
	if d.Beware != "" {
		a.printWrapped("  ", "beware: "+d.Beware)
	}
}

func (a *app) printBeside(docs []history.Document, rows []history.Row, list []history.Standing) error {
	used := map[string]bool{}
	for _, b := range list {
		mark := ""
		if b.Own.Simulated {
			mark = "SIMULATED "
		}
		fmt.Fprintf(a.out, "yours: %s%.6g %s, %s (%s, loss %.3g %%, %d runs)\n", mark, b.Own.Value, b.Own.Unit, b.Own.What, b.Own.Claim, b.Own.Loss*100, b.Own.Runs)
		var buts []string
		table := [][]string{{"YOURS IS", "THEIRS", "UNIT", "YEAR", "SYSTEM", "HARDWARE", "DOCUMENT", "BUT"}}
		for _, n := range b.Theirs {
			used[n.Document] = true
			but := ""
			if n.But != "" {
				if !slices.Contains(buts, n.But) {
					buts = append(buts, n.But)
				}
				but = fmt.Sprintf("^%d", slices.Index(buts, n.But)+1)
			}
			table = append(table, []string{fmt.Sprintf("%.3g times", n.Times), n.Number(), n.Unit, fmt.Sprint(n.Year), n.System, n.Hardware, n.Document, but})
		}
		for _, line := range history.Fitted(table, nil, history.PageWidth-2) {
			if _, err := fmt.Fprintln(a.out, "  "+line); err != nil {
				return err
			}
		}
		for i, but := range buts {
			a.printWrapped("  ", fmt.Sprintf("^%d %s", i+1, but))
		}
		for _, text := range b.Apart {
			fmt.Fprintf(a.out, "  not comparable, %s\n", text)
		}
		fmt.Fprintln(a.out)
	}
	for _, d := range docs {
		if used[d.ID] {
			fmt.Fprintf(a.out, "%s: ", d.ID)
			a.printDocument(d, slices.DeleteFunc(slices.Clone(rows), func(r history.Row) bool { return r.Document != d.ID }))
		}
	}
	return nil
}

// printWrapped prints a text behind an indent, which its further lines have twice.
func (a *app) printWrapped(indent, text string) {
	for i, line := range history.Wrapped(text, history.PageWidth-2*len(indent)) {
		if i > 0 {
			fmt.Fprint(a.out, indent)
		}
		fmt.Fprintln(a.out, indent+line)
	}
}
