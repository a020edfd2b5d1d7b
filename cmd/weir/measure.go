package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
	"weir/internal/campaign"
	"weir/internal/figures"
	"weir/internal/lab"
	"weir/internal/method"
	"weir/internal/outfile"
	"weir/internal/plan"
	"weir/internal/report"
	"weir/internal/sqlite"
	"weir/internal/visible"
)

// measure performs a plan: store, testbed, campaign, report. Whatever was
// measured is shown and kept, also when the campaign was interrupted or
// failed.
func (a *app) measure(ctx context.Context, p plan.Plan) error {
	return a.inStore(ctx, func(store *sqlite.Store) error { return a.perform(ctx, store, p, nil) })
}

// measureAll performs plans one after the other, and shows what they have found in one
// table, a row for each campaign and system. One that fails keeps none of the others from it.
func (a *app) measureAll(ctx context.Context, plans []plan.Plan) error {
	for _, p := range plans {
		err := lab.Check(p)
		if err == nil {
			err = lab.ReachHosts(ctx, p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if a.page != "" {
		return usageError{fmt.Errorf("%d plans have as many pages, and --html names one file: leave it out", len(plans))}
	}
	var all []weir.Campaign
	a.tell = func(c weir.Campaign) error { all = append(all, c); return nil }
	return a.inStore(ctx, func(store *sqlite.Store) (err error) {
		for i, p := range plans {
			if !a.quiet {
				fmt.Fprintf(a.err, "%d/%d  %s\n", i+1, len(plans), visible.Line(p.Name))
			}
			if wrong := a.perform(ctx, store, p, nil); wrong != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", p.Name, wrong))
			}
			if ctx.Err() != nil {
				return err
			}
		}
		if len(all) < 2 {
			return err
		}
		return errors.Join(err, a.options().WriteSeveral(a.out, a.format, all, ""))
	})
}

// mostReplayed is how many trials of a campaign that goes on are all read. Tests take fewer.
var mostReplayed = 10_000

// goOn goes on with a campaign: that with an id, or the latest one that is not
// complete. With a plan it is the latest one of that plan. Where nothing is left
// to do it does nothing, and says so.
func (a *app) goOn(ctx context.Context, p *plan.Plan, id string) error {
	id, err := a.unfinished(ctx, p, id)
	if nothing := (*sqlite.NothingToResumeError)(nil); errors.As(err, &nothing) && nothing.Done() {
		fmt.Fprintf(a.err, "nothing was measured: %s\n", visible.Line(nothing.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	return a.inStore(ctx, func(store *sqlite.Store) (err error) {
		c, err := store.Find(ctx, id, func(ctx context.Context, id string) (weir.Campaign, error) { return store.Abridged(ctx, id, 0) })
		if err != nil {
			return err
		}
		if filepath.Base(c.ID) != c.ID { // of which its report's file has its name
			return fmt.Errorf("campaign %q does not go on: its id is not one that weir gives", c.ID)
		}
		again, err := plan.Recorded(c, frame.ReadCapture)
		if err != nil && p == nil {
			return err
		}
		same := p == nil || err == nil && p.Text == again.Text && p.Quick == again.Quick && p.Testbed.Kind == again.Testbed.Kind
		if p == nil {
			p = &again
		}
		if same && c.Omitted > mostReplayed && campaign.Recalls(c, *p) {
			c.Results = campaign.Kept(c.Results)
			c, err = store.Uncovered(ctx, c)
		} else {
			c, err = store.Campaign(ctx, c.ID)
		}
		if err != nil {
			return err
		}
		return a.perform(ctx, store, *p, &c)
	})
}

// unfinished returns the id of the campaign that is to go on. It makes no store.
func (a *app) unfinished(ctx context.Context, p *plan.Plan, id string) (string, error) {
	store, err := a.readStore(ctx)
	if err != nil {
		return "", err
	}
	defer store.Close()
	if id == "" {
		text := ""
		if p != nil {
			text = p.Text
		}
		return store.Unfinished(ctx, text)
	}
	c, err := store.Find(ctx, id, func(ctx context.Context, id string) (weir.Campaign, error) { return store.Abridged(ctx, id, 0) })
	if err == nil && c.Ended == weir.EndedComplete {
		err = &sqlite.NothingToResumeError{ID: c.ID}
	}
	return c.ID, err
}

// perform measures a plan from its beginning, or goes on with a campaign of it.
func (a *app) perform(ctx context.Context, store *sqlite.Store, p plan.Plan, begun *weir.Campaign) (err error) {
	if err := lab.Check(p); err != nil {
		return err
	}
	show := a.progress()
	prompt := show.prompt(a.in)
	if prompt == nil && p.Questions() > 0 {
		return campaign.ErrNobody
	}
	if err := a.makePlace(store); err != nil {
		return err
	}
	bed, closeBed, err := lab.Open(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeBed()) }()

	c := weir.Campaign{Name: p.Name, Manifest: campaign.NewManifest(p, bed, time.Now())}
	c.Manifest.Settings = append(c.Manifest.Settings, a.noticed...)
	session, release, err := a.session(ctx, store, &c, begun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if bed.Announce != nil {
		if err := bed.Announce(ctx, c.ID); err != nil {
			return err
		}
	}
	bed.Ask, bed.Prompt = show.ask(a.in), prompt
	if c.Omitted > 0 {
		bed.Load = func(ctx context.Context, first, last int) ([]weir.TrialResult, error) {
			return store.Trials(ctx, c.ID, first, last)
		}
	}
	c, err = campaign.Resume(ctx, c, p, bed, session, show.tell)
	show.end()
	if c.Omitted > 0 { // what is shown are the first ones, as ever, and not those that it went on with
		some, wrong := store.Abridged(context.WithoutCancel(ctx), c.ID, mostTrials)
		c.Trials, c.Omitted, err = some.Trials, some.Omitted, errors.Join(err, wrong)
	}
	if ctx.Err() != nil && err != nil {
		err = unfinishedError{err, a.goOnWith(c.ID)}
	}
	return errors.Join(err, session.End(context.WithoutCancel(ctx), c.Ended), a.publish(ctx, c, store), unknownKnees(c))
}

// goOnWith is the command that goes on with a campaign, for people.
func (a *app) goOnWith(id string) string {
	store := ""
	if a.store != "" {
		store = fmt.Sprintf("--store %q ", a.store)
	}
	return "weir " + store + cmp.Or(a.again, "run --resume=") + id
}

// session begins to record a campaign, or goes on with one, which no other
// process may do at the same time.
func (a *app) session(ctx context.Context, store *sqlite.Store, c, begun *weir.Campaign) (*sqlite.Session, func() error, error) {
	if begun == nil {
		c.ID = cmp.Or(a.id, sqlite.NewID(time.Now()))
	} else {
		*c = *begun
	}
	release, err := sqlite.LockCampaign(store.Path(), c.ID)
	if err != nil {
		return nil, nil, err
	}
	var s *sqlite.Session
	if begun == nil { // it is reserved before anybody can see it: no process would take it for one that was killed
		s, err = store.Begin(ctx, *c)
	} else {
		s, err = store.Resume(ctx, c.ID)
	}
	if err != nil {
		return nil, nil, errors.Join(err, release())
	}
	return s, release, nil
}

// publish prints what a campaign has found, and where the machine has been faster before,
// and leaves its HTML report.
func (a *app) publish(ctx context.Context, c weir.Campaign, store *sqlite.Store) error {
	tell := a.tell
	if tell == nil {
		tell = func(c weir.Campaign) error { return a.options().Write(a.out, a.format, c) }
	}
	if err := tell(c); err != nil {
		return fmt.Errorf("print the results: %w", err)
	}
	if err := a.makePlace(store); err != nil {
		return err
	}
	page := cmp.Or(a.page, store.Page(c.ID))
	if err := a.writeReport(page, "html", c); err != nil {
		return err
	}
	if a.format != asText {
		return nil
	}
	if others, err := store.Alike(context.WithoutCancel(ctx), c); err == nil {
		if before := figures.FasterBefore(c, others); before != "" {
			fmt.Fprintf(a.out, "\n%s\n", before)
		}
	}
	_, err := fmt.Fprintf(a.out, "\nreport: %s\n", page)
	return err
}

// makePlace makes the folder for the pages of a store, where --html names no other file. It is an
// error where root would leave them in one that others may write to, or the file has no folder.
func (a *app) makePlace(store *sqlite.Store) error {
	if a.page != "" {
		if err := checkPage(a.page); err != nil {
			return usageError{fmt.Errorf("--html %s: %w", a.page, err)}
		}
		return nil
	}
	err := outfile.OnlyOurs(store.Pages())
	if err == nil {
		err = outfile.MakeFolder(store.Pages())
	}
	if err != nil {
		err = fmt.Errorf("the folder for the report cannot be %s: %w; remove that, or name a store elsewhere with --store", store.Pages(), err)
	}
	return err
}

// checkPage says why no page can be written into a file.
func checkPage(file string) error {
	folder := filepath.Dir(file)
	if _, err := os.Stat(folder); err != nil {
		return err
	}
	if is, err := os.Stat(file); strings.HasSuffix(file, "/") || err == nil && is.IsDir() {
		return errors.New("it is a folder: name a file in it")
	}
	if err := unix.Access(folder, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("nothing can be written into the folder %s: %w", folder, err)
	}
	return nil
}

// writeReport renders all of a campaign into a file of a folder that is there.
func (a *app) writeReport(path, format string, c weir.Campaign) error {
	return a.writeFile(path, func(w io.Writer, o report.Options) error { return o.Write(w, format, c) })
}

// writeFile has something written into a file of a folder that is there.
func (a *app) writeFile(path string, write func(io.Writer, report.Options) error) error {
	err := outfile.Write(path, func(w io.Writer) error { return write(w, report.Options{Verbose: true, Trials: a.shown.Trials}) })
	if err != nil {
		return fmt.Errorf("write the report %s: %w", path, err)
	}
	return nil
}

// unknownKnees says of which traffics a sweep has found no number, for the exit
// code: nothing failed, and yet the question has no answer. Nil where it has.
func unknownKnees(c weir.Campaign) error {
	var errs []error
	for _, r := range weir.Latest(c.Results) {
		if r.Sweep == nil || r.Value > 0 || method.KindOf(r.Method) != method.Knee || r.Run.Number > 0 {
			continue
		}
		errs = append(errs, fmt.Errorf("no number for frames of %v: %s", r.Factors["frame_size"], cmp.Or(figures.WhyNoNumber(&r).Text, r.Limited, "nothing was found")))
	}
	return errors.Join(errs...)
}
