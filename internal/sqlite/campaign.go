package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"weir"
)

// named is how many campaigns an error names.
const named = 5

// Row is a campaign in a list.
type Row struct {
	ID        string    `json:"campaign"`
	Name      string    `json:"name"`
	Started   time.Time `json:"started"`
	Ended     string    `json:"ended"` // "" while it runs, or when it was killed
	Simulated bool      `json:"simulated"`
	Results   int       `json:"results"`
	Trials    int       `json:"trials"`
}

// Campaigns lists the campaigns, newest first.
func (s *Store) Campaigns(ctx context.Context) ([]Row, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, name, ended, manifest,
			(SELECT count(*) FROM results WHERE campaign = id), (SELECT count(*) FROM trials WHERE campaign = id)
		FROM campaigns ORDER BY seq DESC`)
	if err != nil {
		return nil, s.wrap(err, "list")
	}
	defer rows.Close()
	var out []Row
	for rows.Next() {
		var r Row
		var text []byte
		var m weir.Manifest
		if err := rows.Scan(&r.ID, &r.Name, &r.Ended, &text, &r.Results, &r.Trials); err != nil {
			return nil, s.wrap(err, "list")
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("manifest of campaign %s in store %s: %w", r.ID, s.path, err)
		}
		r.Started, r.Simulated = m.Started, m.Simulated
		out = append(out, r)
	}
	return out, s.wrap(rows.Err(), "list")
}

// Campaign is a campaign with its trials and results. The id may be shortened
// to a beginning that no other campaign has; "" and "latest" are the campaign
// that began last. The errors are an *UnknownCampaignError and an
// *AmbiguousCampaignError.
func (s *Store) Campaign(ctx context.Context, id string) (weir.Campaign, error) {
	return s.campaign(ctx, id, -1)
}

// Abridged is Campaign with the first so many trials alone; Omitted says how many
// there are besides. A long campaign has gigabytes of them, and what its runs
// found is in its results.
func (s *Store) Abridged(ctx context.Context, id string, most int) (weir.Campaign, error) {
	c, err := s.campaign(ctx, id, max(most, 0))
	if err != nil {
		return c, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM trials WHERE campaign = ?`, c.ID).Scan(&c.Omitted)
	c.Omitted -= len(c.Trials)
	return c, s.wrap(err, "count the trials of "+c.ID+" in")
}

func (s *Store) campaign(ctx context.Context, id string, most int) (weir.Campaign, error) {
	var c weir.Campaign
	full, err := s.resolve(ctx, id)
	if err != nil {
		return c, err
	}
	var text string
	var is sql.NullInt64
	var seq int64
	err = s.db.QueryRowContext(ctx, `SELECT seq, id, name, ended, manifest, sum FROM campaigns WHERE id = ?`, full).
		Scan(&seq, &c.ID, &c.Name, &c.Ended, &text, &is)
	if err != nil {
		return c, s.wrap(err, "read campaign "+full+" from")
	}
	what := "the manifest of campaign " + full
	if err := s.intact(is, what, full, text); err != nil {
		return c, err
	}
	if !is.Valid {
		if err := s.unsummed(ctx, "campaigns", seq, what); err != nil {
			return c, err
		}
	}
	if err := json.Unmarshal([]byte(text), &c.Manifest); err != nil {
		return c, fmt.Errorf("manifest of campaign %s in store %s: %w", full, s.path, err)
	}
	if c.Results, err = s.results(ctx, full); err != nil {
		return c, err
	}
	c.Trials, err = s.trials(ctx, full, most)
	return c, err
}

// resolve is the full id of what the user gave.
func (s *Store) resolve(ctx context.Context, given string) (string, error) {
	prefix := given
	if given == "latest" {
		prefix = ""
	}
	ids, err := s.ids(ctx, prefix)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		known, err := s.ids(ctx, "")
		if err != nil {
			return "", err
		}
		return "", &UnknownCampaignError{Path: s.path, ID: given, Known: known}
	case len(ids) == 1, prefix == "":
		return ids[0], nil
	case slices.Contains(ids, prefix):
		return prefix, nil
	}
	return "", &AmbiguousCampaignError{ID: given, Matches: ids}
}

// ids are a few ids that begin with prefix: prefix itself first, then the
// newest.
func (s *Store) ids(ctx context.Context, prefix string) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM campaigns WHERE substr(id, 1, length(?1)) = ?1
		ORDER BY id = ?1 DESC, seq DESC LIMIT ?2`, prefix, named)
	if err != nil {
		return nil, s.wrap(err, "read")
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, s.wrap(err, "read")
		}
		out = append(out, id)
	}
	return out, s.wrap(rows.Err(), "read")
}
