package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"weir"
)

// RecordResult keeps a result. Its figures have to be finite.
func (n *Session) RecordResult(ctx context.Context, r weir.Result) error {
	size := fmt.Sprint(r.Factors["frame_size"])
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the result of %s at frame size %s: %w", r.Method, size, err)
	}
	return n.exec(ctx, `INSERT INTO results (campaign, method, frame_size, value, unit, loss_ratio, claim, warnings, took, result)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n.id, r.Method, size, r.Value, r.Unit, r.LossRatio, r.Claim.Name, codes(r.Warnings), int64(r.Took), string(text))
}

// results are those of a campaign, in the order of recording. A level that is
// a number comes back as a float64.
func (s *Store) results(ctx context.Context, campaign string) ([]weir.Result, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT took, result FROM results WHERE campaign = ? ORDER BY seq`, campaign)
	if err != nil {
		return nil, s.wrap(err, "read the results of "+campaign+" from")
	}
	defer rows.Close()
	var out []weir.Result
	for rows.Next() {
		var took int64
		var text []byte
		var r weir.Result
		if err := rows.Scan(&took, &text); err != nil {
			return nil, s.wrap(err, "read the results of "+campaign+" from")
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("result %d of campaign %s in store %s: %w", len(out)+1, campaign, s.path, err)
		}
		r.Took = time.Duration(took)
		out = append(out, r)
	}
	return out, s.wrap(rows.Err(), "read the results of "+campaign+" from")
}
