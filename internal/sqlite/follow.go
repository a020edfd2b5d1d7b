package sqlite

import (
	"context"
)

// Changes returns a number that is another one whenever another connection has written to the store
// since the last call. It costs next to nothing (https://www.sqlite.org/pragma.html#pragma_data_version).
// It is for one goroutine alone, and for a store of OpenReader.
func (s *Store) Changes(ctx context.Context) (n int64, err error) {
	if s.watched == nil { // the number is one of a connection
		if s.watched, err = s.db.Conn(ctx); err != nil {
			return 0, s.wrap(err, "read")
		}
	}
	err = s.watched.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&n)
	return n, s.wrap(err, "read")
}

// Sequence returns Version.Seq of all campaigns, in their order, or nil where the store has as many
// campaigns as somebody knows.
func (s *Store) Sequence(ctx context.Context, known int) (out []int64, err error) {
	var n int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM campaigns`).Scan(&n); err != nil || n == known {
		return nil, s.wrap(err, "count the campaigns of")
	}
	rows, err := s.db.QueryContext(ctx, `SELECT seq FROM campaigns ORDER BY seq`)
	if err != nil {
		return nil, s.wrap(err, "list")
	}
	defer rows.Close()
	out = make([]int64, 0, n)
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, s.wrap(err, "list")
		}
		out = append(out, seq)
	}
	return out, s.wrap(rows.Err(), "list")
}
