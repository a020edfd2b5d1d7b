package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
	"weir/internal/sqlite"
	"weir/stats"
)

// ministat writes the block of each comparison, and to standard error what is
// to be known of it.
func (a *app) ministat(views []proof.View, o comparison) error {
	n := 0
	for _, v := range views {
		for _, c := range v.Comparisons {
			if c.Figure != "" {
				continue
			}
			sets := setsOf(v.Experiment, c)
			var b bytes.Buffer
			if err := stats.Ministat(&b, sets, o.ministat); err != nil {
				return err
			}
			if n > 0 {
				fmt.Fprintln(a.out)
			}
			n++
			if len(views) > 1 || len(v.Comparisons) > 1 {
				fmt.Fprintf(a.out, "# %s\n", heading(v, c))
			}
			if _, err := b.WriteTo(a.out); err != nil {
				return err
			}
			for _, caution := range stats.MinistatCautions(sets) {
				fmt.Fprintln(a.err, "weir: caution:", caution)
			}
		}
	}
	if n == 0 {
		return errors.New("there are no runs to compare")
	}
	return nil
}

// heading names a comparison by what its runs share.
func heading(v proof.View, c proof.Comparison) string {
	var parts []string
	for name, level := range c.Factors {
		if name != v.Factor {
			parts = append(parts, fmt.Sprint(strings.ReplaceAll(name, "_", " "), " ", level))
		}
	}
	slices.Sort(parts)
	if v.Factor != "" {
		parts = append([]string{"by " + v.Factor}, parts...)
	}
	return strings.Join(append([]string{c.Method}, parts...), ", ")
}

// setsOf are the values of each arm, those in doubt too: ministat knows no
// doubts.
func setsOf(e weir.Experiment, c proof.Comparison) []stats.Set {
	var out []stats.Set
	at := map[string]int{}
	for _, s := range c.Runs {
		i, ok := at[s.Arm]
		if !ok {
			i = len(out)
			at[s.Arm] = i
			out = append(out, stats.Set{Name: s.Arm})
		}
		out[i].Values = append(out[i].Values, s.Value)
	}
	place := func(s stats.Set) int { // each arm, and its A/A right behind it
		arm, again := strings.CutSuffix(s.Name, proof.Again)
		i := 2 * slices.Index(e.Arms, arm)
		if again {
			i++
		}
		return i
	}
	slices.SortStableFunc(out, func(x, y stats.Set) int { return place(x) - place(y) })
	return out
}

// findRuns is findCampaign without the trials, which a comparison does not need
// and of which there may be very many.
func findRuns(ctx context.Context, store *sqlite.Store, id string) (weir.Campaign, error) {
	c, err := store.Find(ctx, id, func(ctx context.Context, id string) (weir.Campaign, error) { return store.Abridged(ctx, id, 0) })
	c.Results = weir.Latest(c.Results)
	return c, err
}
