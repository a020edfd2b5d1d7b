package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
	"weir/internal/report"
	"weir/internal/sqlite"
	"weir/stats"
)

// view is a campaign seen along one of its factors: the levels of that one are
// compared, with those of all others the same.
type view struct {
	factor string // "": what the plan compares
	proof  proof.Proof
}

// viewsOf are what there is to compare within a campaign. An imported one has no
// plan that says what is compared with what, so that each of its factors is
// looked at by itself.
func viewsOf(c weir.Campaign) ([]view, error) {
	e := c.Manifest.Experiment
	if c.Manifest.Imported == nil || e == nil || len(e.Factors) < 2 {
		p, err := proof.Of(c)
		if err != nil {
			return nil, fmt.Errorf("compare the runs of %s: %w", c.Name, err)
		}
		return []view{{proof: p}}, nil
	}
	var out []view
	for _, f := range e.Factors {
		p, err := proof.Of(along(c, f))
		if err != nil {
			return nil, fmt.Errorf("compare the levels of %s in %s: %w", f.Name, c.Name, err)
		}
		out = append(out, view{f.Name, p})
	}
	if split, ok := byState(c); ok {
		p, err := proof.Of(split)
		if err != nil {
			return nil, fmt.Errorf("compare what the firewalls of %s remember: %w", c.Name, err)
		}
		out = append(out, view{stateFactor, p})
	}
	return out, nil
}

// along is a campaign whose arms are the levels of one factor.
func along(c weir.Campaign, factor weir.Factor) weir.Campaign {
	e := *c.Manifest.Experiment
	e.Arms, e.Factors = slices.Clone(factor.Levels), []weir.Factor{factor}
	c.Manifest.Experiment = &e
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		c.Results[i].Run.Arm = fmt.Sprint(c.Results[i].Factors[factor.Name])
	}
	return c
}

// stateFactor is the factor of what firewalls remember.
const stateFactor = "state"

// byState is a campaign whose arms are stateless and stateful, of each firewall
// by itself; false where there are not both of them in the names of its levels,
// as in "pf stateful".
func byState(c weir.Campaign) (weir.Campaign, bool) {
	both := []string{string(weir.Stateless), string(weir.Stateful)}
	var kept []weir.Result
	found := map[string]bool{}
	for _, r := range c.Results {
		name, level, ok := strings.Cut(fmt.Sprint(r.Factors["firewall"]), " ")
		if !ok || !slices.Contains(both, level) {
			continue
		}
		f := maps.Clone(r.Factors)
		f["firewall"], f[stateFactor] = name, level
		r.Factors, r.Run.Arm = f, level
		found[level] = true
		kept = append(kept, r)
	}
	if len(found) < len(both) {
		return c, false
	}
	e := *c.Manifest.Experiment
	e.Arms, e.Factors = both, []weir.Factor{{Name: stateFactor, Levels: both}}
	c.Manifest.Experiment, c.Results = &e, kept
	return c, true
}

// writeViews writes one proof as it is, and several under the names of their
// factors.
func (a *app) writeViews(views []view) error {
	if len(views) == 1 {
		return report.WriteProof(a.out, a.format, views[0].proof)
	}
	all := map[string]json.RawMessage{}
	for i, v := range views {
		var b bytes.Buffer
		if err := report.WriteProof(&b, a.format, v.proof); err != nil {
			return err
		}
		text := b.Bytes()
		switch a.format {
		case "json":
			all[v.factor] = text
			continue
		case "csv":
			if _, rest, ok := bytes.Cut(text, []byte("\n")); ok && i > 0 {
				text = rest // the heading is there already
			}
		case "markdown":
			fmt.Fprintf(a.out, "## By %s\n\n", v.factor)
		default:
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintf(a.out, "by %s, all else the same\n\n", v.factor)
		}
		if _, err := a.out.Write(text); err != nil {
			return err
		}
	}
	if a.format == "json" {
		return a.printJSON(map[string]any{"factors": all})
	}
	return nil
}

// ministat writes the block of each comparison, and to standard error what is
// to be known of it.
func (a *app) ministat(views []view, o comparison) error {
	n := 0
	for _, v := range views {
		for _, c := range v.proof.Comparisons {
			if c.Figure != "" {
				continue
			}
			sets := setsOf(v.proof.Experiment, c)
			var b bytes.Buffer
			if err := stats.Ministat(&b, sets, o.ministat); err != nil {
				return err
			}
			if n > 0 {
				fmt.Fprintln(a.out)
			}
			n++
			if len(views) > 1 || len(v.proof.Comparisons) > 1 {
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
func heading(v view, c proof.Comparison) string {
	var parts []string
	for name, level := range c.Factors {
		if name != v.factor {
			parts = append(parts, fmt.Sprint(strings.ReplaceAll(name, "_", " "), " ", level))
		}
	}
	slices.Sort(parts)
	if v.factor != "" {
		parts = append([]string{"by " + v.factor}, parts...)
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
	return find(ctx, store, id, func(ctx context.Context, id string) (weir.Campaign, error) { return store.Abridged(ctx, id, 0) })
}
