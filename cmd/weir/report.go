package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/outfile"
	"weir/internal/report"
)

// mostBeside is how many campaigns stand in one table at most.
const mostBeside = 50

func reportVerb(a *app) *cobra.Command {
	var output, rows string
	var show bool
	cmd := &cobra.Command{
		Use:   "report [CAMPAIGN...]",
		Short: "Show again what was measured: in the terminal, as a page, in a file",
		Long: `Render a campaign from the store: the one whose id begins or ends with
the given letters, or the latest. "weir list campaigns" shows which there are.

Of several there is a table for each thing that they measured: a row for each
campaign (and for each kernel or testbed that one compares), or with --rows for
each level of a factor, and all else in columns.

With --open a browser shows the page: the one with the campaign's id in the folder
reports beside the store, which weir run and bench write, made anew; or that of -o.`,
		ValidArgsFunction: a.completeCampaigns(mostBeside, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{latest}
			}
			if len(args) > mostBeside {
				return usageError{fmt.Errorf("%d campaigns are too many for one table: at most %d", len(args), mostBeside)}
			}
			if rows != "" && len(args) == 1 {
				return usageError{errors.New("--rows is for several campaigns in one table: name at least two")}
			}
			if err := canOpen(os.Geteuid(), output, len(args)); show && err != nil {
				return err
			}
			format := a.format
			if output != "" && !cmd.Flags().Changed("format") {
				var err error
				if format, err = formatOf(output); err != nil {
					return err
				}
			}
			store, err := a.readStore(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			find := findAbridged
			if a.shown.Trials {
				find = findCampaign
			}
			var all []weir.Campaign
			for _, id := range args {
				c, err := find(cmd.Context(), store, id)
				if err != nil {
					return err
				}
				all = append(all, c)
			}
			write := func(w io.Writer, o report.Options) error { return o.Write(w, format, all[0]) }
			if len(all) > 1 {
				write = func(w io.Writer, o report.Options) error { return o.WriteSeveral(w, format, all, rows) }
			}
			if show && output == "" {
				format, output = "html", store.Page(all[0].ID)
				err = outfile.MakeFolder(store.Pages())
			}
			switch {
			case err != nil:
				return err
			case output == "":
				return write(a.out, a.options())
			case show:
				return a.showPage(cmd.Context(), output, write)
			}
			return a.writeFile(output, write)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file; its ending chooses the format where --format does not")
	cmd.Flags().BoolVar(&show, "open", false, "have a browser show the page")
	cmd.Flags().StringVar(&rows, "rows", "", "of several campaigns: the factor whose levels are the rows, as firewall (default: the campaigns)")
	a.shownFlags(cmd)
	return cmd
}

// formatOf is the format that a file's ending asks for; without one it is text.
func formatOf(path string) (string, error) {
	ending := cmp.Or(strings.TrimPrefix(filepath.Ext(path), "."), "txt")
	if format := report.FormatOfFile(ending); format != "" {
		return format, nil
	}
	return "", usageError{fmt.Errorf("no format has files that end in .%s: choose one with --format (%s)", ending, strings.Join(report.Formats(), ", "))}
}
