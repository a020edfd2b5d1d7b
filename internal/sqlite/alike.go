package sqlite

import (
	"context"
	"encoding/json"
	"slices"

	"weir"
)

// mostAlike is how many of the newest campaigns are looked at for ones that are alike.
const mostAlike = 100

// Alike reads the complete campaigns before one that measured the same plan on the same
// machine, the newest first, without their trials.
func (s *Store) Alike(ctx context.Context, c weir.Campaign) ([]weir.Campaign, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, name, ended, manifest FROM campaigns
		WHERE ended = ?1 AND seq < (SELECT seq FROM campaigns WHERE id = ?2) ORDER BY seq DESC LIMIT ?3`, weir.EndedComplete, c.ID, mostAlike)
	if err != nil {
		return nil, s.wrap(err, "list")
	}
	defer rows.Close()
	var out []weir.Campaign
	for rows.Next() {
		var o weir.Campaign
		var text []byte
		if err := rows.Scan(&o.ID, &o.Name, &o.Ended, &text); err != nil {
			return nil, s.wrap(err, "list")
		}
		if err := json.Unmarshal(text, &o.Manifest); err != nil {
			continue // one that cannot be read tells nothing
		}
		if c.Manifest.Like(o.Manifest) {
			out = append(out, o)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, s.wrap(err, "list")
	}
	for i := range out { // the same holds of results
		out[i].Results, _ = s.results(ctx, out[i].ID)
	}
	return slices.DeleteFunc(out, func(o weir.Campaign) bool { return len(o.Results) == 0 }), nil
}
