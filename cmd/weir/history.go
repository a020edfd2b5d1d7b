package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weir/internal/history"
)

func historyVerb(a *app) *cobra.Command {
	var with string
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what others measured from 2003 to 2017, and where yours stands",
		Long: `Show what others have measured and published: packets and bits through routers
of their day, each number with its document and what that did not say.

--with puts a campaign of the store beside them: its rates of 64-octet frames
beside theirs in kpps, and its rates of bits beside theirs in Mbit/s. One unit is
never turned into the other.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.textOrJSON("the history"); err != nil {
				return err
			}
			return a.history(cmd.Context(), with)
		},
	}
	cmd.Flags().StringVar(&with, "with", "", "put this campaign beside it")
	return cmd
}

// standing is a number of the user's with those that may stand beside it.
type standing struct {
	Own    history.Own `json:"own"`
	Theirs []neighbour `json:"theirs"`
	Apart  []string    `json:"not_comparable"` // how many are not, and why
}

type neighbour struct {
	history.Row
	Times float64 `json:"yours_is_times"` // of theirs, the higher one where several were given
	But   string  `json:"but"`
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
	list := make([]standing, len(own))
	for i, o := range own {
		list[i] = besides(o, rows)
	}
	if a.format == "json" {
		return a.printJSON(list)
	}
	return a.printBeside(docs, list)
}

// besides sorts the table into what may stand beside a number, the highest
// first, and what may not.
func besides(o history.Own, rows []history.Row) standing {
	b := standing{Own: o, Theirs: []neighbour{}, Apart: []string{}}
	apart := map[string]int{}
	for _, r := range rows {
		ok, why := r.Comparable(o)
		if !ok {
			apart[why]++
			continue
		}
		b.Theirs = append(b.Theirs, neighbour{r, o.Value / max(r.Value, r.To), why})
	}
	slices.SortStableFunc(b.Theirs, func(x, y neighbour) int { return cmp.Compare(y.Value, x.Value) })
	for why, n := range apart {
		b.Apart = append(b.Apart, fmt.Sprintf("%d numbers: %s", n, why))
	}
	slices.Sort(b.Apart)
	return b
}

// printHistory prints the table, by document.
func (a *app) printHistory(docs []history.Document, rows []history.Row) error {
	for i, d := range docs {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.printDocument(d)
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "  YEAR\tVALUE\tUNIT\tSYSTEM\tMEASURED\tDIRECTION\tFIREWALL\tMTU\tFRAME\tCPU\tHARDWARE\tNOTE")
		for _, r := range rows {
			if r.Document == d.ID {
				fmt.Fprintf(w, "  %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Year, r.Number(), r.Unit, r.System, r.Measured,
					known(r.Direction), known(r.Firewall), known(r.MTU), known(r.Frame), known(r.CPU), r.Hardware, r.Note)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printDocument prints where numbers are from, and what is not known of them.
func (a *app) printDocument(d history.Document) {
	fmt.Fprintf(a.out, "%s\n  %s; %s\n  it did not say %s\n", d.Title, d.Author, d.Date, strings.Join(d.Unsaid, "; "))
	if d.Beware != "" {
		fmt.Fprintf(a.out, "  beware: %s\n", d.Beware)
	}
}

// known is what was said; "?" is what was not.
func known[T comparable](v T) string {
	var none T
	if v == none {
		return "?"
	}
	return fmt.Sprint(v)
}

func (a *app) printBeside(docs []history.Document, list []standing) error {
	used := map[string]bool{}
	for _, b := range list {
		fmt.Fprintf(a.out, "yours: %.6g %s, %s (%s, loss %.3g %%, %d runs)\n", b.Own.Value, b.Own.Unit, b.Own.What, b.Own.Claim, b.Own.Loss*100, b.Own.Runs)
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "  YOURS IS\tTHEIRS\tUNIT\tYEAR\tSYSTEM\tHARDWARE\tDOCUMENT\tBUT")
		for _, n := range b.Theirs {
			used[n.Document] = true
			fmt.Fprintf(w, "  %.3g times\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", n.Times, n.Number(), n.Unit, n.Year, n.System, n.Hardware, n.Document, n.But)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		for _, text := range b.Apart {
			fmt.Fprintf(a.out, "  not comparable, %s\n", text)
		}
		fmt.Fprintln(a.out)
	}
	for _, d := range docs {
		if used[d.ID] {
			fmt.Fprintf(a.out, "%s: ", d.ID)
			a.printDocument(d)
		}
	}
	return nil
}
