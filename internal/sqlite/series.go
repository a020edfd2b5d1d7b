package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// Measured is a result with the campaign that it is of.
type Measured struct {
	Campaign string
	weir.Result
}

// Series returns the results of campaigns, by their whole ids, that a method had at a frame size,
// in the order of recording.
func (s *Store) Series(ctx context.Context, ids []string, method, size string) (out []Measured, err error) {
	for some := range slices.Chunk(ids, versionsAtOnce) {
		args := []any{method, size}
		for _, id := range some {
			args = append(args, id)
		}
		marks := strings.TrimSuffix(strings.Repeat("?,", len(some)), ",")
		rows, err := s.db.QueryContext(ctx, `SELECT campaign, took, result, sum FROM results WHERE method = ? AND frame_size = ? AND campaign IN (`+marks+`) ORDER BY seq`, args...)
		if err != nil {
			return nil, s.wrap(err, "read")
		}
		for rows.Next() && err == nil {
			var m Measured
			m, err = s.scanMeasured(rows)
			out = append(out, m)
		}
		if err == nil {
			err = s.wrap(rows.Err(), "read")
		}
		if rows.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) scanMeasured(rows *sql.Rows) (m Measured, err error) {
	var took int64
	var text string
	var is sql.NullInt64
	if err := rows.Scan(&m.Campaign, &took, &text, &is); err != nil {
		return m, s.wrap(err, "read")
	}
	what := "a result of campaign " + m.Campaign
	if err := s.intact(is, what, m.Campaign, took, text); err != nil {
		return m, err
	}
	if err := json.Unmarshal([]byte(text), &m.Result); err != nil {
		return m, fmt.Errorf("%s in store %s: %w", what, s.path, err)
	}
	return m, nil
}
