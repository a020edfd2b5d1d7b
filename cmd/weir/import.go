package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/figures"
	"weir/internal/importer"
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
as measured by weir, and carries no name of an RFC. What was imported before is
not stored a second time.

Formats:
` + importFormats(),
		Args: takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
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
	a.printsJSON(cmd, "what was imported is")
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
		list := make([]figures.ImportedCampaign, len(cs))
		for i := range cs {
			before, err := store.SameImport(ctx, cs[i])
			if err == nil && before == "" {
				err = keep(ctx, store, &cs[i])
			}
			if err != nil {
				return err
			}
			c := cs[i]
			c.ID = cmp.Or(before, c.ID)
			if a.format != "json" {
				c = figures.Printable(c)
			}
			list[i] = figures.ImportedOf(c)
			list[i].Stored = before != ""
		}
		return a.printImported(list)
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
		how = weir.FailedWith(err)
		if ctx.Err() != nil {
			how = weir.EndedInterrupted
		}
	}
	return err
}

func (a *app) printImported(list []figures.ImportedCampaign) error {
	if a.format == "json" {
		return a.printJSON(list)
	}
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := c.Write(a.out); err != nil {
			return err
		}
	}
	return nil
}
