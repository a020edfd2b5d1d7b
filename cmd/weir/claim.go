package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
)

func claimVerb(a *app) *cobra.Command {
	var demand string
	var faults bool
	cmd := &cobra.Command{
		Use:   "claim [CAMPAIGN[/N]]",
		Short: "Check which names results have earned",
		Long: `Check which name a result has earned, from its trials in the store: what the
RFCs demand of it, and what of that was kept. Without N, the names of all
results of a campaign; without CAMPAIGN, of the latest one.

With --demand the exit status is 1 unless the result has earned that name or a
stronger one. With --faults the places of the RFCs that cannot be followed as
they stand, and what weir does about them.`,
		Args:              takes(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeCampaigns(1, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.textOrJSON("a claim"); err != nil {
				return err
			}
			if faults {
				return a.printFaults()
			}
			if cmd.Flags().Changed("demand") && !method.CanEarn(demand) {
				return usageError{unknownName(demand)}
			}
			return a.claim(cmd, strings.Join(args, ""), demand)
		},
	}
	cmd.Flags().StringVar(&demand, "demand", "", `fail unless this name was earned: "RFC 2544 throughput"`)
	cmd.Flags().BoolVar(&faults, "faults", false, "show the known faults of the RFCs instead")
	cmd.RegisterFlagCompletionFunc("demand", cobra.FixedCompletions(method.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checked is a result with the claim that its trials earn now.
type checked struct {
	Number    int          `json:"result"` // of the campaign, from 1
	Method    string       `json:"method"`
	Factors   weir.Factors `json:"factors"`
	Simulated bool         `json:"simulated"`
	Claim     weir.Claim   `json:"claim"`
	Recorded  string       `json:"recorded"` // the name when it was measured
	Trials    int          `json:"trials"`   // that the claim was checked from; 0: the recorded one is shown
}

// claim shows what a campaign, or one result of it, has earned.
func (a *app) claim(cmd *cobra.Command, which, demand string) error {
	id, number, one := strings.Cut(which, "/")
	store, err := a.readStore(cmd.Context())
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := findCampaign(cmd.Context(), store, id)
	if err != nil {
		return err
	}
	c.Results = weir.Latest(c.Results)
	results := check(c)
	if one {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(results) {
			return usageError{fmt.Errorf("campaign %s has no result %q: it has %s; \"weir claim %s\" lists them", c.ID, number, numbers(len(results)), c.ID)}
		}
		err = demanded(fmt.Sprintf("result %d of campaign %s", n, c.ID), results[n-1].Claim, demand)
		return a.unlessRefused(err, func() error { return a.printClaim(c, results[n-1]) })
	}
	suite := claim.Suite(c, method.Claim)
	if demand != "" && demand != claim.SuiteName {
		return usageError{fmt.Errorf("which result has to have earned %q? give one of %s as %s/N", demand, numbers(len(results)), c.ID)}
	}
	return a.unlessRefused(demanded("campaign "+c.ID, suite, demand), func() error { return a.printClaims(c, results, suite) })
}

// unknownName says that there is no such name, and which may have been meant:
// those with all of the words that were given, or else every one.
func unknownName(demand string) error {
	if demand == "" {
		return errors.New("--demand is empty: give the name that has to have been earned, as \"RFC 2544 throughput\"")
	}
	near := method.Names()
	for _, word := range strings.Fields(strings.ToLower(demand)) {
		near = slices.DeleteFunc(near, func(name string) bool { return !strings.Contains(strings.ToLower(name), word) })
	}
	if len(near) == 0 {
		return fmt.Errorf("no result can earn the name %q; the names are: %s", demand, strings.Join(method.Names(), "; "))
	}
	return fmt.Errorf("no result can earn the name %q: did you mean \"%s\"?", demand, strings.Join(near, "\" or \""))
}

func numbers(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "result 1 alone"
	}
	return fmt.Sprintf("results 1 to %d", n)
}

// check are the results of a campaign with the claims that their trials earn.
func check(c weir.Campaign) []checked {
	var out []checked
	for i, r := range c.Results {
		trials := claim.Trials(c, r)
		k := checked{Number: i + 1, Method: r.Method, Factors: r.Factors, Simulated: r.Simulated, Claim: r.Claim, Recorded: r.Claim.Name, Trials: len(trials)}
		if len(trials) > 0 {
			k.Claim = method.Claim(r, trials)
		}
		out = append(out, k)
	}
	return out
}

// unlessRefused shows a claim. Of one that was refused the error says what was
// missed, which the checklist would hide from people.
func (a *app) unlessRefused(refused error, show func() error) error {
	if refused != nil && a.format == "text" {
		return refused
	}
	return errors.Join(show(), refused)
}

// demanded is the error of a claim that is not the name demanded, or a
// stronger one.
func demanded(what string, have weir.Claim, demand string) error {
	if demand == "" || method.Satisfies(have, demand) {
		return nil
	}
	text := fmt.Sprintf("%s has not earned %q, but %q", what, demand, have.Name)
	if len(have.Missed) > 0 {
		text += "; it misses\n  - " + strings.Join(have.Missed, "\n  - ")
	}
	return errors.New(text)
}

// String names a result: "throughput, frame size 64".
func (k checked) String() string {
	s := k.Method
	names := make([]string, 0, len(k.Factors))
	for name := range k.Factors {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // the frame size first
		if a == "frame_size" || b == "frame_size" {
			return strings.Compare(strconv.FormatBool(b == "frame_size"), strconv.FormatBool(a == "frame_size"))
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		s += fmt.Sprintf(", %s %v", strings.ReplaceAll(name, "_", " "), k.Factors[name])
	}
	return s
}

// note says what is to be known of a claim beside its name.
func (k checked) note() string {
	var notes []string
	if k.Simulated {
		notes = append(notes, "SIMULATED")
	}
	switch {
	case k.Trials == 0:
		notes = append(notes, "as recorded: its trials are not known")
	case k.Recorded != k.Claim.Name:
		notes = append(notes, fmt.Sprintf("recorded as %q", k.Recorded))
	}
	return strings.Join(notes, "; ")
}

func (a *app) printClaims(c weir.Campaign, results []checked, suite weir.Claim) error {
	if a.format == "json" {
		return a.printJSON(struct {
			Campaign string     `json:"campaign"`
			Results  []checked  `json:"results"`
			Suite    weir.Claim `json:"suite"`
		}{c.ID, append([]checked{}, results...), suite})
	}
	fmt.Fprintf(a.out, "campaign %s: %s\n\n", c.ID, suite.Name)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "N\tRESULT\tCLAIM\tMISSED\tNOTE")
	for _, k := range results {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\n", k.Number, k, k.Claim.Name, len(k.Claim.Missed), k.note())
	}
	if err := w.Flush(); err != nil || len(suite.Missed) == 0 {
		return err
	}
	_, err := fmt.Fprintf(a.out, "\nfor an %s it misses\n  - %s\n", claim.SuiteName, strings.Join(suite.Missed, "\n  - "))
	return err
}

func (a *app) printClaim(c weir.Campaign, k checked) error {
	if a.format == "json" {
		return a.printJSON(struct {
			Campaign string `json:"campaign"`
			checked
		}{c.ID, k})
	}
	fmt.Fprintf(a.out, "campaign %s, result %d: %s\nclaim: %s\n", c.ID, k.Number, k, k.Claim.Name)
	if note := k.note(); note != "" {
		fmt.Fprintf(a.out, "note: %s\n", note)
	}
	for _, d := range k.Claim.Demands {
		fmt.Fprintf(a.out, "\n%-8s%-8s%s\n%16s%s\n%16s%s\n", state(k.Claim, d), d.Level, d.Source, "", d.Text, "", d.Found)
	}
	return nil
}

// state says whether a demand was kept, and if not, whether the name depends
// on it.
func state(c weir.Claim, d weir.Demand) string {
	switch {
	case d.Kept:
		return "kept"
	case slices.ContainsFunc(c.Missed, func(m string) bool { return strings.HasPrefix(m, d.Source+": "+d.Text) }):
		return "MISSED"
	}
	return "beside"
}

func (a *app) printFaults() error {
	if a.format == "json" {
		return a.printJSON(claim.Faults())
	}
	for _, f := range claim.Faults() {
		fmt.Fprintf(a.out, "%s\n  says   %s\n  wrong  %s\n  weir   %s\n  why    %s\n\n", f.Section, f.Says, f.Wrong, f.Does, f.Why)
	}
	return nil
}
