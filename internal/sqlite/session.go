package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"weir"
)

// Session records one campaign. It implements weir.Recorder: what a Record
// function has returned nil for is on disk. A cancelled context does not keep
// it from recording, because what was measured is to be kept when the user
// interrupts.
type Session struct {
	store *Store
	id    string
}

var _ weir.Recorder = (*Session)(nil)

// Begin enters the campaign c with its name and manifest; trials and results
// come through the session. An empty c.ID stands for a new id, see
// Session.ID; one that is in the store already is an error.
func (s *Store) Begin(ctx context.Context, c weir.Campaign) (*Session, error) {
	manifest, err := json.Marshal(c.Manifest)
	if err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	for {
		id := c.ID
		if id == "" {
			id = NewID(time.Now())
		}
		_, err = s.db.ExecContext(ctx, `INSERT INTO campaigns (id, name, manifest, sum) VALUES (?, ?, ?, ?)`, id, c.Name, string(manifest), sum(id, string(manifest)))
		switch {
		case err == nil:
			return &Session{store: s, id: id}, nil
		case code(err) != sqlite3.SQLITE_CONSTRAINT_UNIQUE:
			return nil, s.wrap(err, "begin a campaign in")
		case c.ID != "":
			return nil, fmt.Errorf("campaign %s is in store %s already", id, s.path)
		}
		// The id is taken: draw another.
	}
}

// ID is the campaign's id.
func (n *Session) ID() string { return n.id }

// RecordManifest replaces the campaign's manifest, which may become known only
// when the testbed is up. That of a campaign without a checksum gets none: its rows have none.
func (n *Session) RecordManifest(ctx context.Context, m weir.Manifest) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	return n.exec(ctx, `UPDATE campaigns SET manifest = ?, sum = CASE WHEN sum IS NULL THEN NULL ELSE ? END WHERE id = ?`, string(text), sum(n.id, string(text)), n.id)
}

// End notes how the campaign ended: "complete", "interrupted" or "failed: ...".
func (n *Session) End(ctx context.Context, how string) error {
	if how == "" {
		return errors.New("a campaign ends somehow: the text is empty")
	}
	return n.exec(ctx, `UPDATE campaigns SET ended = ? WHERE id = ?`, how, n.id)
}

func (n *Session) exec(ctx context.Context, query string, args ...any) error {
	_, err := n.store.db.ExecContext(context.WithoutCancel(ctx), query, args...)
	return n.store.wrap(err, "record in")
}
