package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weir/internal/sqlite"
	"weir/internal/visible"
)

func forgetVerb(a *app) *cobra.Command {
	var older string
	cmd := &cobra.Command{
		Use:   "forget ID...",
		Short: "Delete campaigns from the store",
		Long: `Delete campaigns from the store, with their trials, results and annotations, and
say what is gone: those with the ids, of which the beginning or the end is enough,
or with --older all that began so long ago. One that is being measured keeps the
others, too. Where a deletion is interrupted, a part of the trials of one with more
than 500 may be gone: weir says so, and deletes the rest when it is called again.

Their pages in the folder reports beside the store go, too; those that were written
elsewhere (--html, weir report -o) stay. The size of the store stays as well: what is
measured next takes the room.`,
		Args: takes(func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && older == "":
				return errors.New("which campaigns? give their ids (weir list campaigns), or --older 30d")
			case len(args) > 0 && older != "":
				return errors.New("ids and --older both say which campaigns: leave one out")
			case slices.Contains(args, ""):
				return errors.New("an id is empty")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			age, err := readAge(older)
			if err != nil {
				return usageError{err}
			}
			return a.inStore(cmd.Context(), func(store *sqlite.Store) error {
				return a.forget(cmd.Context(), store, args, age)
			})
		},
		ValidArgsFunction: a.completeCampaigns(mostNamed, cobra.ShellCompDirectiveNoFileComp),
	}
	a.printsJSON(cmd, "what was deleted is")
	cmd.Flags().StringVar(&older, "older", "", "all that began so long ago, as 30d or 12h")
	return cmd
}

// readAge reads how long ago: days, or what Go has for durations.
func readAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	for unit, of := range map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour} { // not m: some mean months
		if number, is := strings.CutSuffix(text, unit); is {
			n, err := strconv.Atoi(number)
			if age := time.Duration(n) * of; err == nil && n > 0 && n <= int(mostAge/of) {
				return age, nil
			}
		}
	}
	return 0, fmt.Errorf("--older is %q: give days or hours, as 30d or 12h", text)
}

const (
	mostAge   = 100 * 365 * 24 * time.Hour
	mostNamed = 100 // campaigns that a shell completes on one line
)

// forget deletes the campaigns with ids, or those of an age.
func (a *app) forget(ctx context.Context, store *sqlite.Store, given []string, age time.Duration) error {
	var ids []string
	var err error
	for _, g := range given {
		id, err := store.WholeID(ctx, g)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if age > 0 {
		if ids, err = store.Before(ctx, time.Now().Add(-age)); err != nil {
			return err
		}
	}
	gone, err := store.Forget(ctx, ids...)
	if err != nil && gone == nil {
		return err
	}
	if a.format == "json" {
		return errors.Join(err, a.printJSON(append([]sqlite.Forgotten{}, gone...)))
	}
	var b strings.Builder
	for _, f := range gone {
		page := ""
		if f.Page {
			page = ", a page"
		}
		fmt.Fprintf(&b, "%s  %s: %s, %s, %s%s\n", f.ID, visible.Line(f.Name), number(float64(f.Trials), "trial"), number(float64(f.Results), "result"), number(float64(f.Annotations), "annotation"), page)
	}
	_, printed := fmt.Fprintf(a.out, "%s%s deleted\n", b.String(), number(float64(len(gone)), "campaign"))
	return errors.Join(err, printed)
}
