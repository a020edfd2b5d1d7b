package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weir"
	"weir/internal/claim"
	"weir/internal/figures"
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
	a.printsJSON(cmd, "a claim is")
	cmd.RegisterFlagCompletionFunc("demand", cobra.FixedCompletions(method.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// claim shows what a campaign, or one result of it, has earned.
func (a *app) claim(cmd *cobra.Command, which, demand string) error {
	id, number, one := strings.Cut(which, "/")
	store, err := a.readStore(cmd.Context())
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := store.Find(cmd.Context(), id, func(ctx context.Context, id string) (weir.Campaign, error) { return store.Abridged(ctx, id, 0) })
	if err != nil {
		return err
	}
	c.Results = weir.Latest(c.Results)
	n := 0
	if one {
		if n, err = strconv.Atoi(number); err != nil || n < 1 || n > len(c.Results) {
			return usageError{fmt.Errorf("campaign %s has no result %q: it has %s; \"weir claim %s\" lists them", c.ID, number, numbers(len(c.Results)), c.ID)}
		}
	}
	results, check, err := figures.ClaimedOf(&c, n, figures.MostChecked, func(first, last int) ([]weir.TrialResult, error) {
		return store.Trials(cmd.Context(), c.ID, first, last)
	})
	if err != nil {
		return err
	}
	if one {
		err = demanded(fmt.Sprintf("result %d of campaign %s", n, c.ID), results[0].Claim, demand)
		return a.unlessRefused(err, func() error { return a.printClaim(c, results[0]) })
	}
	suite := claim.Suite(c, check)
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

// unlessRefused shows a claim. Of one that was refused the error says what was
// missed, which the checklist would hide from people.
func (a *app) unlessRefused(refused error, show func() error) error {
	if refused != nil && a.format == asText {
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

func (a *app) printClaims(c weir.Campaign, results []figures.Claimed, suite weir.Claim) error {
	if a.format == "json" {
		return a.printJSON(struct {
			Campaign string            `json:"campaign"`
			Results  []figures.Claimed `json:"results"`
			Suite    weir.Claim        `json:"suite"`
		}{c.ID, append([]figures.Claimed{}, results...), suite})
	}
	return figures.WriteClaims(a.out, c.ID, results, suite)
}

func (a *app) printClaim(c weir.Campaign, k figures.Claimed) error {
	if a.format == "json" {
		return a.printJSON(struct {
			Campaign string `json:"campaign"`
			figures.Claimed
		}{c.ID, k})
	}
	return k.Write(a.out, c.ID)
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
