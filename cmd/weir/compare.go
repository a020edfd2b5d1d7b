package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/figures"
	"weir/internal/importer"
	"weir/internal/proof"
	"weir/internal/report"
	"weir/stats"
)

// The styles of a comparison.
const (
	styleWeir     = "weir"
	styleMinistat = "ministat"
)

// comparison is what the flags of the verb say.
type comparison struct {
	style      string
	level      float64 // percent
	equivalent string
	detect     string
	column     int
	rows       string
	ministat   stats.MinistatOptions

	margin, smallest float64 // of equivalent and detect, relative
}

func compareVerb(a *app) *cobra.Command {
	var o comparison
	cmd := &cobra.Command{
		Use:   "compare A [B...]",
		Short: "Say whether results differ, and by how much",
		Long: `Compare runs, and say of each difference whether it is proven, how large it is,
or how many more runs it takes to know. Each argument is one of

  a file      of one number a line, or of another format that "weir import"
              knows: each file is a set, and the first is the baseline; - is
              what comes through standard input
  a folder    in the manner of netbenches: the names of its files are the
              factors, and there is a verdict for each factor
  a campaign  of the store, by its id: its own runs; and of several campaigns, the
              runs of each against those of the first. Of three and more there is
              a table with a row for each; --rows has a factor's levels as rows

Runs that were measured in blocks are compared within them, others by Welch's t
on the logarithms. All differences of rates that one command prints are judged
together (Holm): that any of them is called proven by chance has the probability
that -c leaves, 5 %, and so more differences take more runs. Those of CPU times
are judged by themselves. ministat corrects nothing for their number.

--style ministat prints what FreeBSD's ministat does, character for character,
and takes its options -c -C -w -s -A -n; -q leaves out the headings. Older
copies, such as Debian's, print another median of an even number of values and
another second +/-.`,
		Args:              takes(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeCampaigns(mostBeside, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(a.format); err != nil {
				return usageError{err}
			}
			o.ministat.Bare = a.quiet
			return a.compare(cmd.Context(), args, o)
		},
	}
	a.printsAs(cmd, "a comparison is", report.ComparisonFormats())
	f := cmd.Flags()
	f.StringVar(&o.style, "style", styleWeir, "weir or ministat")
	f.Float64VarP(&o.level, "confidence", "c", 95, "confidence in percent; ministat knows "+strings.Trim(fmt.Sprint(stats.MinistatLevels()), "[]"))
	f.StringVar(&o.equivalent, "equivalent", "", "changes below this make no difference, as 2%; what is proven to be within it is called equivalent")
	f.StringVar(&o.detect, "detect", "", "the smallest change that matters, as 1%: how many more runs it takes to see it")
	f.StringVar(&o.rows, "rows", "", "of several campaigns: what the rows of a table are, campaign or a factor, as firewall")
	f.IntVarP(&o.column, "column", "C", 1, "column of the files that counts")
	f.IntVarP(&o.ministat.Width, "width", "w", 74, "ministat: width of the plot")
	f.BoolVarP(&o.ministat.SeparateBars, "separate", "s", false, "ministat: a line of its own for each set's mean and deviation")
	f.BoolVarP(&o.ministat.NoPlot, "no-plot", "A", false, "ministat: leave the plot out")
	f.BoolVarP(&o.ministat.SummaryOnly, "summary", "n", false, "ministat: neither plot nor test")
	cmd.RegisterFlagCompletionFunc("style", cobra.FixedCompletions([]string{styleWeir, styleMinistat}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check is what is wrong with the flags.
func (o *comparison) check(format string) (err error) {
	if o.margin, err = share("--equivalent", o.equivalent); err != nil {
		return err
	}
	if o.smallest, err = share("--detect", o.detect); err != nil {
		return err
	}
	switch {
	case o.style != styleWeir && o.style != styleMinistat:
		return fmt.Errorf("unknown style %q: weir or ministat", o.style)
	case o.style == styleMinistat && !slices.Contains(stats.MinistatLevels(), o.level):
		return fmt.Errorf("ministat knows no confidence of %g %%: one of %s", o.level, strings.Trim(fmt.Sprint(stats.MinistatLevels()), "[]"))
	case o.level < 50 || o.level >= 100:
		return fmt.Errorf("a confidence of %g %% says nothing: give 50 to less than 100", o.level)
	case o.column < 1:
		return fmt.Errorf("there is no column %d: they are counted from 1", o.column)
	}
	o.ministat.Level = o.level
	if o.style == styleMinistat {
		return report.CheckFormat(format, "a comparison in the style of ministat is", []string{asText})
	}
	return nil
}

// share is a relative change that somebody wrote as "2%" or 0.02.
func share(flag, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("%s is %q: give a change as 2%% or 0.02", flag, text)
	}
	return v, nil
}

// compare finds out what the arguments are, and compares them.
func (a *app) compare(ctx context.Context, args []string, o comparison) error {
	files, folders := 0, 0
	for _, arg := range args {
		if arg == standardInput {
			files++
			continue
		}
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			folders++
		} else if err == nil {
			files++
		}
	}
	switch {
	case o.rows != "" && (files > 0 || len(args) == 1):
		return usageError{errors.New("--rows is for several campaigns in one table: name at least two")}
	case files == 1 && len(args) == 1 && o.style != styleMinistat:
		return usageError{fmt.Errorf("%s is one set, and there is nothing to compare it with: name a second file, or a folder or a campaign that has several sets; --style ministat describes a single one", args[0])}
	case files == len(args):
		return a.compareFiles(ctx, args, o)
	case files+folders < len(args) && files > 0:
		return usageError{fmt.Errorf("there is no file %s, and files are not compared with campaigns of the store: weir import makes a campaign of files", absent(args))}
	case files > 0:
		return usageError{errors.New("files are compared with files alone: weir import makes a campaign of files, which can be compared with another")}
	case len(args) > mostBeside:
		return usageError{fmt.Errorf("%d campaigns are too many for one comparison: at most %d", len(args), mostBeside)}
	case folders == 1 && len(args) == 1:
		if plain, err := a.plainFolder(args[0], o); err != nil || plain {
			return err
		}
	}
	cs, err := a.campaigns(ctx, args, o)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		return a.compareEach(cs, o)
	}
	return a.compareBetween(cs, args, o)
}

// compareEach compares the runs of each campaign. Of several those with nothing to compare are
// named behind the others.
func (a *app) compareEach(cs []weir.Campaign, o comparison) error {
	var left []error
	for _, c := range cs {
		views, err := proof.Views(c)
		if err != nil && len(cs) == 1 {
			return err
		}
		if err != nil {
			left = append(left, err)
			continue
		}
		if len(cs) > 1 && a.format == asText {
			fmt.Fprintf(a.out, "== %s\n\n", c.Name)
		}
		if err := a.compareViews(c, views, o); err != nil {
			return err
		}
	}
	if len(left) == len(cs) {
		return errors.Join(left...)
	}
	for _, err := range left {
		fmt.Fprintln(a.err, "weir: nothing is said of one campaign:", err)
	}
	return nil
}

// compareBetween compares campaigns with the first of them.
func (a *app) compareBetween(cs []weir.Campaign, args []string, o comparison) error {
	if len(cs) != len(args) {
		return usageError{fmt.Errorf("%s hold %d campaigns: name folders with results of one", strings.Join(args, " and "), len(cs))}
	}
	of := report.Compared{Rows: o.rows}
	if len(cs) > 2 {
		of.Rows = cmp.Or(of.Rows, "campaign")
	}
	for i, c := range cs {
		for at, other := range cs[:i] {
			if c.ID != "" && c.ID == other.ID {
				return usageError{fmt.Errorf("%s and %s are one campaign: name another one, or this one alone to compare its runs with each other", args[at], args[i])}
			}
		}
		cs[i] = proof.WithoutOrder(c)
		of.Manifests = append(of.Manifests, c.Manifest)
	}
	p, err := proof.Between(cs...)
	if err != nil {
		return fmt.Errorf("compare %s: %w", strings.Join(args, " with "), err)
	}
	if o.style == styleMinistat {
		return a.ministat([]proof.View{{Proof: p}}, o)
	}
	if err := report.WriteProof(a.out, a.format, p, of); err != nil {
		return err
	}
	return a.disclaim(cs...)
}

// absent is the first path at which there is nothing.
func absent(paths []string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil && path != standardInput {
			return path
		}
	}
	return ""
}

// campaigns are those of folders and of the store.
func (a *app) campaigns(ctx context.Context, args []string, o comparison) ([]weir.Campaign, error) {
	var out []weir.Campaign
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil {
			cs, err := importer.Import("", []string{arg}, importer.Options{Column: o.column})
			if err != nil {
				return nil, err
			}
			out = append(out, cs...)
			continue
		}
		store, err := a.readStore(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s is no file or folder, and not to be found in the store: %w", arg, err)
		}
		c, err := findRuns(ctx, store, arg)
		if err = errors.Join(err, store.Close()); err != nil {
			return nil, fmt.Errorf("%s is no file and no folder: %w", arg, err)
		}
		out = append(out, c)
	}
	for i := range out {
		out[i] = figures.Printable(out[i])
		o.set(&out[i])
	}
	return out, nil
}

// compareOne compares the runs of one campaign with each other.
func (a *app) compareOne(c weir.Campaign, o comparison) error {
	views, err := proof.Views(c)
	if err != nil {
		return err
	}
	return a.compareViews(c, views, o)
}

// compareViews prints what a campaign proves in the style that was asked for.
func (a *app) compareViews(c weir.Campaign, views []proof.View, o comparison) error {
	if o.style == styleMinistat {
		return a.ministat(views, o)
	}
	proof.Together(views)
	if err := report.WriteViews(a.out, a.format, views, report.Compared{Manifests: []weir.Manifest{c.Manifest}}); err != nil {
		return err
	}
	return a.disclaim(c)
}

// disclaim tells people which numbers weir has not measured, and what they are.
func (a *app) disclaim(cs ...weir.Campaign) error {
	for _, c := range cs {
		in := c.Manifest.Imported
		if in == nil || a.format != asText {
			continue
		}
		if _, err := fmt.Fprintf(a.out, "\nnot measured by weir: %s (%s)\n", in.What, in.Source); err != nil {
			return err
		}
		for _, text := range importer.Left(*in) {
			fmt.Fprintln(a.out, text)
		}
	}
	return nil
}
