package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"hash/crc32"
)

// DamagedError says that a part of the store is not what was recorded.
type DamagedError struct {
	Path string
	What string // "trial 17 of campaign 20260101-1200-abcd"
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("store %s is damaged: %s is not what was recorded; restore the file from a copy, or measure that campaign again (other campaigns can be read)", e.Path, e.What)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of a row by what it is known by and holds.
func sum(parts ...any) int64 {
	h := crc32.New(castagnoli)
	for _, p := range parts {
		fmt.Fprintf(h, "%v\x00", p)
	}
	return int64(h.Sum32())
}

// unsummed is an error where a row of a table, the last that has no checksum of those that were
// read, by its seq, comes after one that has: only rows that were written before all of these
// have none. seq is 0 where all have one.
func (s *Store) unsummed(ctx context.Context, table string, seq int64, what string) error {
	if seq == 0 {
		return nil
	}
	var after bool
	err := s.db.QueryRowContext(ctx, `SELECT ifnull((SELECT seq FROM `+table+` WHERE sum IS NOT NULL ORDER BY seq LIMIT 1) < ?, 0)`, seq).Scan(&after)
	if err == nil && after {
		return &DamagedError{Path: s.path, What: what}
	}
	return s.wrap(err, "read")
}

// intact is an error where a row has a checksum, and it is another one than that
// of the parts. what is the row's name for messages.
func (s *Store) intact(is sql.NullInt64, what string, parts ...any) error {
	if is.Valid && is.Int64 != sum(parts...) {
		return &DamagedError{Path: s.path, What: what}
	}
	return nil
}
