package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"weir"
)

// insertResult keeps a result with what resultColumns makes of it.
const insertResult = `INSERT INTO results (campaign, method, frame_size, value, unit, loss_ratio, claim, warnings, took, result, sum)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// RecordResult keeps a result. Its figures have to be finite.
func (n *Session) RecordResult(ctx context.Context, r weir.Result) error {
	columns, err := n.resultColumns(r)
	if err != nil {
		return err
	}
	return n.exec(ctx, insertResult, columns...)
}

// RecordResults keeps results in their order, in one transaction: all of them
// are on disk when it returns nil, and none when it returns an error, as of a
// cancelled context. It is for results that are all there at once, such as those
// that others have published; what is measured is kept one by one, when it ends.
func (n *Session) RecordResults(ctx context.Context, results []weir.Result) error {
	tx, err := n.store.db.BeginTx(ctx, nil)
	if err != nil {
		return n.store.wrap(err, "record in")
	}
	defer tx.Rollback() // says that it is done already after a commit
	insert, err := tx.PrepareContext(ctx, insertResult)
	if err != nil {
		return n.store.wrap(err, "record in")
	}
	defer insert.Close()
	for _, r := range results {
		columns, err := n.resultColumns(r)
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, columns...); err != nil {
			return n.store.wrap(err, "record in")
		}
	}
	return n.store.wrap(tx.Commit(), "record in")
}

// resultColumns are the values of a row, in the order of insertResult.
func (n *Session) resultColumns(r weir.Result) ([]any, error) {
	size := fmt.Sprint(r.Factors["frame_size"])
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the result of %s at frame size %s: %w", r.Method, size, err)
	}
	return []any{n.id, r.Method, size, r.Value, r.Unit, r.LossRatio, r.Claim.Name, codes(r.Warnings), int64(r.Took), string(text), sum(n.id, int64(r.Took), string(text))}, nil
}

// results are those of a campaign, in the order of recording. A level that is
// a number comes back as a float64.
func (s *Store) results(ctx context.Context, campaign string) ([]weir.Result, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, took, result, sum FROM results WHERE campaign = ? ORDER BY seq`, campaign)
	if err != nil {
		return nil, s.wrap(err, "read the results of "+campaign+" from")
	}
	defer rows.Close()
	var out []weir.Result
	var bare int64 // the last row without a checksum
	var bareWhat string
	for rows.Next() {
		var seq, took int64
		var text string
		var is sql.NullInt64
		var r weir.Result
		if err := rows.Scan(&seq, &took, &text, &is); err != nil {
			return nil, s.wrap(err, "read the results of "+campaign+" from")
		}
		what := fmt.Sprintf("result %d of campaign %s", len(out)+1, campaign)
		if err := s.intact(is, what, campaign, took, text); err != nil {
			return nil, err
		}
		if !is.Valid {
			bare, bareWhat = seq, what
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, fmt.Errorf("%s in store %s: %w", what, s.path, err)
		}
		r.Took = time.Duration(took)
		out = append(out, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, s.wrap(err, "read the results of "+campaign+" from")
	}
	return out, s.unsummed(ctx, "results", bare, bareWhat)
}
