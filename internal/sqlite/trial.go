package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// RecordTrial keeps a trial with all that was measured in it.
func (n *Session) RecordTrial(ctx context.Context, r weir.TrialResult) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode trial %d: %w", r.Trial.Number, err)
	}
	t := r.Trial
	return n.exec(ctx, `INSERT INTO trials (campaign, number, purpose, traffic, intended, offered, forwarded,
			sent, received, loss, duration, warnings, result, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.id, t.Number, t.Purpose, t.Traffic.Name, t.Intended, r.OfferedRate(), r.ForwardingRate(),
		int64(r.Offered), int64(r.Received), r.LossRatio(), t.Duration.Seconds(), codes(r.Warnings), string(text),
		sum(n.id, t.Number, string(text)))
}

// trials are those of a campaign, in the order of measuring: so many of them, or
// all where most is below 0.
func (s *Store) trials(ctx context.Context, campaign string, most int) ([]weir.TrialResult, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, number, result, sum FROM trials WHERE campaign = ? ORDER BY seq LIMIT ?`, campaign, most)
	return s.scanTrials(ctx, rows, err, campaign)
}

// Trials are those of a campaign, by its whole id, with numbers from first to last, in the order
// of measuring.
func (s *Store) Trials(ctx context.Context, campaign string, first, last int) ([]weir.TrialResult, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, number, result, sum FROM trials WHERE campaign = ? AND number BETWEEN ? AND ? ORDER BY seq`, campaign, first, last)
	return s.scanTrials(ctx, rows, err, campaign)
}

// Uncovered reads the trials that a campaign with its results, and without its trials, goes on with
// (campaign.Recalls): all but those between the first one of each result and its last one, of which
// the last one of all is read. Omitted says how many there are besides.
func (s *Store) Uncovered(ctx context.Context, c weir.Campaign) (weir.Campaign, error) {
	var count, last int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*), ifnull(max(number), 0) FROM trials WHERE campaign = ?`, c.ID).Scan(&count, &last); err != nil {
		return c, s.wrap(err, "count the trials of "+c.ID+" in")
	}
	results := slices.SortedFunc(slices.Values(c.Results), func(a, b weir.Result) int { return cmp.Compare(a.First, b.First) })
	c.Trials = nil
	done := 0
	read := func(first, to int) error {
		if first = max(first, done+1); first > to {
			return nil
		}
		more, err := s.Trials(ctx, c.ID, first, to)
		c.Trials, done = append(c.Trials, more...), to
		return err
	}
	next := 0 // the first number that no result covers so far
	for _, r := range results {
		if err := read(min(next, r.First), r.First); err != nil { // some share theirs
			return c, err
		}
		next = max(next, r.First+1, r.Last+1)
	}
	err := read(min(next, last), last)
	c.Omitted = count - len(c.Trials)
	return c, err
}

func (s *Store) scanTrials(ctx context.Context, rows *sql.Rows, err error, campaign string) ([]weir.TrialResult, error) {
	if err != nil {
		return nil, s.wrap(err, "read the trials of "+campaign+" from")
	}
	defer rows.Close()
	var out []weir.TrialResult
	var bare int64 // the last row without a checksum
	var bareWhat string
	for rows.Next() {
		var text string
		var seq int64
		var number int
		var is sql.NullInt64
		var r weir.TrialResult
		if err := rows.Scan(&seq, &number, &text, &is); err != nil {
			return nil, s.wrap(err, "read the trials of "+campaign+" from")
		}
		what := fmt.Sprintf("trial %d of campaign %s", number, campaign)
		if err := s.intact(is, what, campaign, number, text); err != nil {
			return nil, err
		}
		if !is.Valid {
			bare, bareWhat = seq, what
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("%s in store %s: %w", what, s.path, err)
		}
		out = append(out, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, s.wrap(err, "read the trials of "+campaign+" from")
	}
	return out, s.unsummed(ctx, "trials", bare, bareWhat)
}

// codes are the codes of ws, separated by spaces.
func codes(ws []weir.Warning) string {
	names := make([]string, len(ws))
	for i, w := range ws {
		names[i] = string(w.Code)
	}
	return strings.Join(names, " ")
}
