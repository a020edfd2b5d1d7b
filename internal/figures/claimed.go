package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"weir"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/method"
	"weir/internal/result"
)

// Claimed is a result with the claim that its trials earn now.
type Claimed struct {
	Number    int          `json:"result"` // of the campaign, from 1
	Method    string       `json:"method"`
	Factors   weir.Factors `json:"factors"`
	Simulated bool         `json:"simulated"`
	Claim     weir.Claim   `json:"claim"`
	Recorded  string       `json:"recorded"`            // the name when it was measured
	Trials    int          `json:"trials"`              // that the claim was checked from; 0: the recorded one is shown
	Unchecked bool         `json:"unchecked,omitempty"` // there are too many trials to check it again
}

// MostChecked is how many trials of a campaign are read to check its claims: 60 MB.
const MostChecked = 10_000

// ClaimedOf are the results of a campaign with the claims that their trials earn; where only is
// not 0, that one of them alone, from 1 on. read reads the trials of a campaign from one number to
// another: at most so many. What has more, or comes after so many, keeps the claim that was
// recorded. check is the claim of a result by that rule, for the campaign with all that was read.
func ClaimedOf(c *weir.Campaign, only, most int, read func(first, last int) ([]weir.TrialResult, error)) (out []Claimed, check func(weir.Result, []weir.TrialResult) weir.Claim, err error) {
	unchecked := map[[2]int]bool{} // by the numbers of their trials, that several results may share
	known := map[int]bool{}        // numbers of trials
	for i, r := range c.Results {
		span := [2]int{r.First, r.Last}
		if _, done := unchecked[span]; done || r.First == 0 || only != 0 && only != i+1 {
			continue
		}
		var missing []int
		for n := r.First; n <= r.Last && len(missing) <= most; n++ {
			if !known[n] {
				missing = append(missing, n)
			}
		}
		if unchecked[span] = len(missing) > most; unchecked[span] {
			missing = missing[:min(1, len(missing))] // what they have in common says the first
		} else {
			most -= len(missing)
		}
		for len(missing) > 0 {
			row := 1
			for row < len(missing) && missing[row] == missing[0]+row {
				row++
			}
			trials, err := read(missing[0], missing[row-1])
			if err != nil {
				return nil, nil, err
			}
			c.Trials = append(c.Trials, trials...)
			for _, n := range missing[:row] {
				known[n] = true
			}
			missing = missing[row:]
		}
	}
	slices.SortStableFunc(c.Trials, func(a, b weir.TrialResult) int { return a.Trial.Number - b.Trial.Number })
	check = func(r weir.Result, trials []weir.TrialResult) weir.Claim {
		if unchecked[[2]int{r.First, r.Last}] {
			return r.Claim
		}
		return method.Claim(r, trials)
	}
	for i, r := range c.Results {
		if only != 0 && only != i+1 {
			continue
		}
		trials := claim.Trials(*c, r)
		k := Claimed{Number: i + 1, Method: r.Method, Factors: r.Factors, Simulated: r.Simulated, Claim: r.Claim, Recorded: r.Claim.Name, Trials: len(trials)}
		if len(trials) > 0 {
			k.Claim = check(r, trials)
		}
		if k.Unchecked = unchecked[[2]int{r.First, r.Last}]; k.Unchecked {
			k.Trials = 0
		}
		out = append(out, k)
	}
	return out, check, nil
}

// String names a result: "throughput, frame size 64".
func (k Claimed) String() string {
	s := k.Method
	for _, name := range result.Names(k.Factors) {
		s += fmt.Sprintf(", %s %v", strings.ReplaceAll(name, "_", " "), k.Factors[name])
	}
	return s
}

// note says what else is to be known of a claim.
func (k Claimed) note() string {
	var notes []string
	if k.Simulated {
		notes = append(notes, "SIMULATED")
	}
	switch {
	case k.Unchecked:
		notes = append(notes, fmt.Sprintf("as recorded: claims are checked again from at most %d trials", MostChecked))
	case k.Trials == 0:
		notes = append(notes, "as recorded: its trials are not known")
	case k.Recorded != k.Claim.Name:
		notes = append(notes, fmt.Sprintf("recorded as %q", k.Recorded))
	}
	return strings.Join(notes, "; ")
}

// WriteClaims writes which names the results of a campaign have earned, and the
// campaign itself.
func WriteClaims(w io.Writer, campaign string, results []Claimed, suite weir.Claim) error {
	fmt.Fprintf(w, "campaign %s: %s\n\n", campaign, suite.Name)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "N\tRESULT\tCLAIM\tMISSED\tNOTE")
	for _, k := range results {
		fmt.Fprintf(tw, "%d\t%s\t%s\t%d\t%s\n", k.Number, k, k.Claim.Name, len(k.Claim.Missed), k.note())
	}
	if err := tw.Flush(); err != nil || len(suite.Missed) == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nfor an %s it misses\n  - %s\n", claim.SuiteName, strings.Join(suite.Missed, "\n  - "))
	return err
}

// Write writes a claim with its checklist.
func (k Claimed) Write(w io.Writer, campaign string) error {
	fmt.Fprintf(w, "campaign %s, result %d: %s\nclaim: %s\n", campaign, k.Number, k, k.Claim.Name)
	if note := k.note(); note != "" {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	for _, d := range k.Claim.Demands {
		fmt.Fprintf(w, "\n%-8s%-8s%s\n%16s%s\n%16s%s\n", state(k.Claim, d, "kept", "MISSED"), d.Level, d.Source, "", d.Text, "", d.Found)
	}
	return nil
}

// state says whether a demand was kept, and if not, whether the name depends on it.
func state(c weir.Claim, d weir.Demand, kept, missed string) string {
	switch {
	case d.Kept:
		return kept
	case c.Misses(d):
		return missed
	}
	return "beside"
}

// A demandLine is one line of a claim's checklist.
type demandLine struct {
	weir.Demand
	State string // "yes", "no", or "beside": not kept, and no name depends on it
}

// Lines returns the demands of a claim with what became of them.
func (e Earned) Lines() (out []demandLine) {
	for _, d := range e.Demands {
		out = append(out, demandLine{d, state(e.Claim, d, "yes", "no")})
	}
	return out
}

// DemandColumns are those of a checklist.
var DemandColumns = []document.Column[demandLine]{
	{Heading: document.Heading{Head: "kept"}, Text: func(d demandLine) string { return d.State }},
	{Heading: document.Heading{Head: "level", Words: true}, Text: func(d demandLine) string { return string(d.Level) }},
	{Heading: document.Heading{Head: "demand", Words: true}, Text: func(d demandLine) string { return d.Text }},
	{Heading: document.Heading{Head: "found", Words: true}, Text: func(d demandLine) string { return d.Found }},
	{Heading: document.Heading{Head: "source", Words: true}, Text: func(d demandLine) string { return d.Source }},
}
