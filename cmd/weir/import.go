package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/importer"
	"weir/internal/report"
	"weir/internal/sqlite"
)

func importVerb(a *app) *cobra.Command {
	var format string
	var o importer.Options
	cmd := &cobra.Command{
		Use:   "import PATH...",
		Short: "Keep what others have measured, marked as theirs",
		Long: `Import results that others have measured and published. Each folder with
results becomes a campaign, and so do the files of one format that are named.
What is stored says who measured it and what the number is; it is never claimed
as measured by weir, and carries no name of an RFC.

Formats:
` + importFormats(),
		Args: takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.textOrJSON("what was imported"); err != nil {
				return err
			}
			names := importNames()
			if format != "" && !slices.Contains(names, format) {
				return usageError{fmt.Errorf("unknown format %q: --from is one of %s", format, strings.Join(names, ", "))}
			}
			if o.Column < 0 {
				return usageError{fmt.Errorf("there is no column %d: they are counted from 1", o.Column)}
			}
			return a.importPaths(cmd.Context(), format, args, o)
		},
	}
	cmd.Flags().StringVar(&format, "from", "", "format of the files; by default it is recognised")
	cmd.Flags().IntVarP(&o.Column, "column", "C", 1, "column of plain numbers")
	cmd.Flags().StringVar(&o.Unit, "unit", "", `unit of plain numbers, as "frames/s" or "bit/s"`)
	cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(importNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func importNames() []string {
	var out []string
	for _, f := range importer.Formats() {
		out = append(out, f.Name)
	}
	return out
}

func importFormats() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range importer.Formats() {
		fmt.Fprintf(w, "  %s\t%s\n", f.Name, f.Summary)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// importPaths reads everything before anything is stored.
func (a *app) importPaths(ctx context.Context, format string, paths []string, o importer.Options) error {
	cs, err := importer.Import(format, paths, o)
	if err != nil {
		return err
	}
	return a.inStore(ctx, func(store *sqlite.Store) error {
		for i := range cs {
			if err := keep(ctx, store, &cs[i]); err != nil {
				return err
			}
		}
		return a.printImported(cs)
	})
}

// keep stores a campaign that is complete.
func keep(ctx context.Context, store *sqlite.Store, c *weir.Campaign) (err error) {
	session, err := store.Begin(ctx, *c)
	if err != nil {
		return err
	}
	c.ID = session.ID()
	how := c.Ended
	defer func() { err = errors.Join(err, session.End(context.WithoutCancel(ctx), how)) }()
	if err = session.RecordResults(ctx, c.Results); err != nil {
		how = "failed: " + err.Error()
		if ctx.Err() != nil {
			how = "interrupted"
		}
	}
	return err
}

// importedSet is what is told of the runs of one arm.
type importedSet struct {
	Arm     string  `json:"arm"`
	Claim   string  `json:"claim"`
	Runs    int     `json:"runs"`
	Median  float64 `json:"median"`
	Unit    string  `json:"unit"`
	Offered float64 `json:"offered,omitempty"`    // median, in frames/s; 0: not known
	Loss    float64 `json:"loss_ratio,omitempty"` // median
	Known   int     `json:"runs_with_loss"`       // of how many runs it is known
}

// importedSets are those of a campaign, in its order.
func importedSets(c weir.Campaign) []importedSet {
	type key struct{ arm, claim string }
	var order []key
	of := map[key][]weir.Result{}
	for _, r := range c.Results {
		k := key{r.Run.Arm, r.Claim.Name}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], r)
	}
	out := make([]importedSet, 0, len(order))
	for _, k := range order {
		var values, offered, lost []float64
		for _, r := range of[k] {
			values = append(values, r.Value)
			if load, ok := r.Figure("offered load"); ok {
				offered, lost = append(offered, load), append(lost, r.LossRatio)
			} else if r.LossRatio > 0 {
				lost = append(lost, r.LossRatio)
			}
		}
		out = append(out, importedSet{k.arm, k.claim, len(values), middle(values), of[k][0].Unit, middle(offered), middle(lost), len(lost)})
	}
	return out
}

// middle is the median; 0 of nothing.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// imported is a campaign of others as JSON.
type imported struct {
	Campaign string         `json:"campaign"`
	Name     string         `json:"name"`
	Imported *weir.Imported `json:"imported"`
	Runs     int            `json:"runs"`
	Sets     []importedSet  `json:"sets"`
}

func (a *app) printImported(cs []weir.Campaign) error {
	list := make([]imported, len(cs))
	for i, c := range cs {
		if a.format != "json" {
			c = report.Printable(c)
		}
		list[i] = imported{c.ID, c.Name, c.Manifest.Imported, c.Results[len(c.Results)-1].Run.Number, importedSets(c)}
	}
	if a.format == "json" {
		return a.printJSON(list)
	}
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := c.print(a.out); err != nil {
			return err
		}
	}
	return nil
}

func (c imported) print(to io.Writer) error {
	fmt.Fprintf(to, "campaign %s: %s (not measured by weir)\n", c.Campaign, c.Name)
	fmt.Fprintf(to, "  source  %s, %s\n  number  %s\n", c.Imported.Format, c.Imported.Source, c.Imported.What)
	for _, n := range c.Imported.Notes {
		fmt.Fprintf(to, "  note    %s\n", n)
	}
	fmt.Fprintln(to)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  SET\tRUNS\tMEDIAN\tUNIT\tOFFERED\tLOSS\tWHAT IT IS")
	for _, s := range c.Sets {
		offered, loss := "-", "-"
		if s.Offered > 0 {
			offered = fmt.Sprintf("%.0f", s.Offered)
		}
		if s.Known > 0 {
			loss = fmt.Sprintf("%.2f %%", s.Loss*100)
		}
		fmt.Fprintf(w, "  %s\t%d\t%.10g\t%s\t%s\t%s\t%s\n", s.Arm, s.Runs, s.Median, s.Unit, offered, loss, s.Claim)
	}
	return w.Flush()
}
