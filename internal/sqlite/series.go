package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// Measured is what a history needs of a result.
type Measured struct {
	Campaign   string               `json:"-"`
	Value      float64              `json:"value"`
	Lower      float64              `json:"lower"`
	Upper      float64              `json:"upper"`
	Unit       string               `json:"unit"`
	Unmeasured string               `json:"unmeasured"`
	Run        struct{ Number int } `json:"run"`
	Warnings   []weir.Warning       `json:"warnings"`
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
		rows, err := s.db.QueryContext(ctx, `SELECT campaign, result FROM results WHERE method = ? AND frame_size = ? AND campaign IN (`+marks+`) ORDER BY seq`, args...)
		if err != nil {
			return nil, s.wrap(err, "read")
		}
		for rows.Next() {
			var m Measured
			var text []byte
			if err = rows.Scan(&m.Campaign, &text); err != nil {
				break
			}
			if err = json.Unmarshal(text, &m); err != nil {
				err = fmt.Errorf("a result of campaign %s in store %s: %w", m.Campaign, s.path, err)
				break
			}
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
