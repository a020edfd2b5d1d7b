package sqlite

import (
	"bytes"
	"context"
	"encoding/json"

	"weir"
)

// SameImport returns the id of the first campaign with the results of one that is to be imported
// and not yet stored, under the same name, from the same file or folder and in the same format; "" where
// there is none.
func (s *Store) SameImport(ctx context.Context, c weir.Campaign) (string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, manifest FROM campaigns WHERE name = ? AND ended = ? ORDER BY seq`, c.Name, weir.EndedComplete)
	if err != nil {
		return "", s.wrap(err, "read")
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		var text []byte
		var m weir.Manifest
		if err := rows.Scan(&id, &text); err != nil {
			return "", s.wrap(err, "read")
		}
		if json.Unmarshal(text, &m) == nil && m.Imported != nil && m.Imported.Format == c.Manifest.Imported.Format && m.Imported.Source == c.Manifest.Imported.Source {
			ids = append(ids, id)
		}
	}
	if err := rows.Err(); err != nil {
		return "", s.wrap(err, "read")
	}
	for _, id := range ids {
		stored, err := s.results(ctx, id)
		if err != nil {
			continue // one that cannot be read is like no other
		}
		if same, err := sameResults(stored, c.Results); same || err != nil {
			return id, err
		}
	}
	return "", nil
}

// sameResults reports whether results are the same as far as a store keeps them.
func sameResults(stored, found []weir.Result) (bool, error) {
	if len(stored) != len(found) {
		return false, nil
	}
	was, err := json.Marshal(stored)
	if err != nil {
		return false, err
	}
	is, err := json.Marshal(found)
	return bytes.Equal(was, is), err
}
