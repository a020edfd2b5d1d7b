package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"weir"
)

// NothingToResumeError says that there is no campaign to go on with.
type NothingToResumeError struct {
	Path string
	ID   string // of the campaign that is complete; "": there is none
	Plan bool   // whether one of a certain plan was looked for
}

// Done reports whether nothing is left to do: not of a plan that no campaign was ever made of.
func (e *NothingToResumeError) Done() bool { return e.ID != "" || !e.Plan }

func (e *NothingToResumeError) Error() string {
	switch {
	case e.ID != "":
		return fmt.Sprintf("campaign %s is complete: there is nothing to go on with", e.ID)
	case e.Plan:
		return fmt.Sprintf("no campaign of exactly this plan is in store %s; leave --resume out to begin one", e.Path)
	}
	return fmt.Sprintf("no campaign in store %s is unfinished", e.Path)
}

// Unfinished is the id of the campaign that began last of those that were
// interrupted, killed, or failed. With a plan's text it is one of that plan. The
// error is a *NothingToResumeError where there is none, which names the last one
// of the plan that is complete.
func (s *Store) Unfinished(ctx context.Context, plan string) (string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, manifest, ended FROM campaigns WHERE ended NOT IN (?1, ?3) OR ?2 != '' AND json_valid(manifest) AND json_extract(manifest, '$.plan') = ?2 ORDER BY seq DESC`, weir.EndedComplete, plan, endedDeleted)
	if err != nil {
		return "", s.wrap(err, "read")
	}
	defer rows.Close()
	none := &NothingToResumeError{Path: s.path, Plan: plan != ""}
	for rows.Next() {
		var id, ended string
		var text []byte
		var m weir.Manifest
		if err := rows.Scan(&id, &text, &ended); err != nil {
			return "", s.wrap(err, "read")
		}
		switch {
		case ended == weir.EndedComplete:
			none.ID = cmp.Or(none.ID, id)
			continue
		case ended == endedDeleted:
			continue
		case plan == "":
			return id, nil
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return "", fmt.Errorf("manifest of campaign %s in store %s: %w", id, s.path, err)
		}
		if m.Plan == plan {
			return id, nil
		}
	}
	if err := rows.Err(); err != nil {
		return "", s.wrap(err, "read")
	}
	return "", none
}

// Resume enters a campaign again that is not complete, with an id as Campaign
// takes it. What is recorded of it stays, but for the results that an
// interruption left unfinished (weir.Interrupted) and those without a value
// (weir.Result.Unmeasured): these will come again. The
// errors are those of Campaign, a *NothingToResumeError, and a *PartlyDeletedError of one
// whose deletion was interrupted.
func (s *Store) Resume(ctx context.Context, id string) (*Session, error) {
	full, err := s.resolve(ctx, id)
	if err != nil {
		return nil, err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, s.wrap(err, "resume a campaign in")
	}
	defer tx.Rollback()
	done, err := tx.ExecContext(ctx, `UPDATE campaigns SET ended = '' WHERE id = ? AND ended NOT IN (?, ?)`, full, weir.EndedComplete, endedDeleted)
	if err != nil {
		return nil, s.wrap(err, "resume a campaign in")
	}
	switch n, err := done.RowsAffected(); {
	case err != nil:
		return nil, s.wrap(err, "resume a campaign in")
	case n == 0:
		tx.Rollback() // which has the connection
		if half := s.partlyDeleted(ctx, nil, full); half != nil {
			return nil, half
		}
		return nil, &NothingToResumeError{Path: s.path, ID: full}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM results WHERE campaign = ? AND (' ' || warnings || ' ' LIKE ? OR json_extract(result, '$.unmeasured') IS NOT NULL)`,
		full, "% "+string(weir.Interrupted)+" %"); err != nil {
		return nil, s.wrap(err, "resume a campaign in")
	}
	if err := tx.Commit(); err != nil {
		return nil, s.wrap(err, "resume a campaign in")
	}
	return &Session{store: s, id: full}, nil
}
