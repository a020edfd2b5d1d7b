package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
)

// Forgotten is what was deleted with a campaign.
type Forgotten struct {
	ID          string `json:"campaign"`
	Name        string `json:"name"`
	Trials      int    `json:"trials"`
	Results     int    `json:"results"`
	Annotations int    `json:"annotations"`
	Page        bool   `json:"page"` // whether there was one beside the store
}

// forgetAtOnce is how many trials one transaction deletes.
const forgetAtOnce = 500

// endedDeleted is how a campaign has ended of which not all trials are deleted yet.
var endedDeleted = weir.FailedWith(errors.New("it was to be deleted, and a part of its trials is gone: delete it again (weir forget)"))

// Forget deletes campaigns, by their whole ids, with all that belongs to them: all of them or none,
// but for the trials, of which those of one that has many are deleted in pieces: others may write
// meanwhile, and one whose deletion was interrupted has an end that says so.
// The file does not become smaller; its room is taken again. Errors are an *UnknownCampaignError, an
// *UnderWayError, a *PartlyDeletedError, and beside what was deleted why a page stays.
func (s *Store) Forget(ctx context.Context, ids ...string) (out []Forgotten, err error) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		release, err := LockCampaign(s.path, id)
		if err != nil {
			return nil, fmt.Errorf("%w: nothing was deleted", err)
		}
		defer release()
	}
	trials, err := s.countTrials(ctx, ids)
	if err != nil {
		return nil, err
	}
	if out, err = s.forgetAll(ctx, ids, trials); err != nil {
		if half := s.partlyDeleted(ctx, err, ids...); half != nil {
			return nil, half
		}
		return nil, err
	}
	for i := range out {
		gone, wrong := s.removePage(out[i].ID)
		out[i].Page = gone
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("remove the page of campaign %s: %w", out[i].ID, wrong))
		}
	}
	return out, err
}

// forgetAll deletes campaigns with so many trials, those of one that has many before all else.
func (s *Store) forgetAll(ctx context.Context, ids []string, trials map[string]int) (out []Forgotten, err error) {
	for id, n := range trials {
		if n > forgetAtOnce {
			if err := s.forgetTrials(ctx, id); err != nil {
				return nil, err
			}
		}
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, s.wrap(err, "delete in")
	}
	defer tx.Rollback()
	for _, id := range ids {
		if slices.ContainsFunc(out, func(f Forgotten) bool { return f.ID == id }) {
			continue
		}
		f, err := s.forget(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		f.Trials = trials[id]
		out = append(out, f)
	}
	return out, s.wrap(tx.Commit(), "delete in")
}

// lookTime is how long it may take to look what an interrupted deletion has left.
const lookTime = 5 * time.Second

// partlyDeleted returns, as an error, the first of campaigns that is deleted in part, and why; nil where none is.
func (s *Store) partlyDeleted(ctx context.Context, why error, ids ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	for _, id := range ids {
		half := PartlyDeletedError{ID: id, Err: why}
		var ended string
		err := s.db.QueryRowContext(ctx, `SELECT ended, (SELECT count(*) FROM trials WHERE campaign = ?1) FROM campaigns WHERE id = ?1`, id).Scan(&ended, &half.Left)
		if err == nil && ended == endedDeleted {
			return &half
		}
	}
	return nil
}

// countTrials returns how many trials campaigns have, all of which have to be there.
func (s *Store) countTrials(ctx context.Context, ids []string) (map[string]int, error) {
	out := map[string]int{}
	for _, id := range ids {
		var there, n int
		err := s.db.QueryRowContext(ctx, `SELECT count(*), (SELECT count(*) FROM trials WHERE campaign = ?1) FROM campaigns WHERE id = ?1`, id).Scan(&there, &n)
		if err != nil {
			return nil, s.wrap(err, "delete in")
		}
		if there == 0 {
			return nil, &UnknownCampaignError{Path: s.path, ID: id}
		}
		out[id] = n
	}
	return out, nil
}

// forgetTrials deletes the trials of a campaign in pieces. Between two of them it waits for as long as one
// takes, so that others who write get their turn.
func (s *Store) forgetTrials(ctx context.Context, id string) error {
	if _, err := s.db.ExecContext(ctx, `UPDATE campaigns SET ended = ? WHERE id = ?`, endedDeleted, id); err != nil {
		return s.wrap(err, "delete campaign "+id+" from")
	}
	for {
		began := time.Now()
		done, err := s.db.ExecContext(ctx, `DELETE FROM trials WHERE seq IN (SELECT seq FROM trials WHERE campaign = ? ORDER BY seq DESC LIMIT ?)`, id, forgetAtOnce)
		var n int64
		if err == nil {
			n, err = done.RowsAffected()
		}
		if err != nil || n < forgetAtOnce {
			return s.wrap(err, "delete campaign "+id+" from")
		}
		select {
		case <-ctx.Done():
			return s.wrap(ctx.Err(), "delete campaign "+id+" from")
		case <-time.After(time.Since(began)):
		}
	}
}

// forget deletes a campaign with what is left of it.
func (s *Store) forget(ctx context.Context, tx *sql.Tx, id string) (Forgotten, error) {
	f := Forgotten{ID: id}
	err := tx.QueryRowContext(ctx, `SELECT name FROM campaigns WHERE id = ?`, id).Scan(&f.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return f, &UnknownCampaignError{Path: s.path, ID: id}
	}
	for _, part := range []struct {
		table string
		n     *int
	}{{"annotations", &f.Annotations}, {"results", &f.Results}, {"trials", &f.Trials}} {
		var done sql.Result
		if err == nil {
			done, err = tx.ExecContext(ctx, `DELETE FROM `+part.table+` WHERE campaign = ?`, id)
		}
		if err == nil {
			n, wrong := done.RowsAffected()
			*part.n, err = int(n), wrong
		}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM campaigns WHERE id = ?`, id)
	}
	return f, s.wrap(err, "delete campaign "+id+" from")
}

// Before returns the ids of the campaigns that began before a moment, the newest first. One whose
// manifest cannot be read is none of them.
func (s *Store) Before(ctx context.Context, moment time.Time) (ids []string, err error) {
	for before := int64(0); ; {
		some, err := s.Overviews(ctx, before, versionsAtOnce)
		if err != nil || len(some) == 0 {
			return ids, err
		}
		for _, o := range some {
			if began := o.About.Started; !began.IsZero() && began.Before(moment) {
				ids = append(ids, o.ID)
			}
		}
		before = some[len(some)-1].Seq
	}
}

// WholeID returns the id of the campaign of which somebody gave the beginning or the end. The errors
// are an *UnknownCampaignError and an *AmbiguousCampaignError.
func (s *Store) WholeID(ctx context.Context, given string) (string, error) {
	c, err := s.Find(ctx, given, func(ctx context.Context, id string) (weir.Campaign, error) {
		full, err := s.resolve(ctx, id)
		return weir.Campaign{ID: full}, err
	})
	return c.ID, err
}
