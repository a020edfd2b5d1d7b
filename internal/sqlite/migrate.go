package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// applicationID marks a file as a weir store in its header: "weir" in ASCII.
const applicationID = 0x77656972

// Each file of migrations takes the schema one version on; the number of files
// is the version that this weir writes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// adopt makes sure that the file is a store, of this version.
func (s *Store) adopt(ctx context.Context, readOnly bool) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	have, err := s.identify(ctx, s.db, len(names))
	if err != nil {
		return err
	}
	if have == len(names) {
		return nil
	}
	if readOnly {
		return fmt.Errorf("store %s has version %d of %d and may not be written here; open it once with the rights to write", s.path, have, len(names))
	}
	if err := s.useWAL(ctx); err != nil {
		return s.wrap(err, "prepare")
	}
	if have > 0 && s.copy == "" {
		if err := s.keepCopy(ctx, have); err != nil {
			return s.wrap(err, fmt.Sprintf("keep a copy, of version %d, of", have))
		}
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(err, "prepare")
	}
	defer tx.Rollback()
	// Another process may have been faster.
	if have, err = s.identify(ctx, tx, len(names)); err != nil {
		return err
	}
	for _, name := range names[have:] {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return s.wrap(err, "apply "+name+" to")
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(names))
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return s.wrap(err, "mark")
	}
	return s.wrap(tx.Commit(), "prepare")
}

// keepCopy copies the store as it is before its schema changes to PATH.version-N, which the
// weir that wrote it reads. A copy that is there already stays.
func (s *Store) keepCopy(ctx context.Context, have int) error {
	path := fmt.Sprintf("%s.version-%d", s.path, have)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	original, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".weir-*") // SQLite writes into an empty file that is there
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", f.Name()); err != nil {
		return err
	}
	// Another process may have changed the schema meanwhile, and has kept a copy then.
	var now int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&now); err != nil || now != have {
		return err
	}
	err = f.Chmod(tighter(original.Mode().Perm()))
	if is, ok := original.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		err = errors.Join(err, f.Chown(int(is.Uid), int(is.Gid)))
	}
	if err = errors.Join(err, f.Sync()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		err = os.Rename(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// querier is what a database and a transaction have in common.
type querier interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// schema asks for all that a database has, as JSON. (No file has a table or a view of its own of
// this name; of sqlite_schema one may.)
const schema = `SELECT json_group_array(json_array(type, name, tbl_name, sql) ORDER BY type, name) FROM sqlite_master WHERE name NOT GLOB 'sqlite_stat*'`

// identify finds the version of the file's schema: 0 for an empty file. It looks into nothing that
// the file might have in place of a table: a view may never end.
func (s *Store) identify(ctx context.Context, q querier, know int) (int, error) {
	var shadows, id, version int
	var has string
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name LIKE 'pragma%'`).Scan(&shadows)
	if err == nil && shadows == 0 {
		err = q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version), (`+schema+`)`).Scan(&id, &version, &has)
	}
	switch {
	case err != nil:
		return 0, s.wrap(err, "read")
	case shadows > 0, id != applicationID && (has != "[]" || version > 0 || id != 0):
		return 0, &ForeignFileError{Path: s.path, What: "an SQLite database of another program"}
	case version < 0:
		return 0, &DamagedError{Path: s.path, What: fmt.Sprintf("its version, %d,", version)}
	case version > know:
		return 0, &NewerStoreError{Path: s.path, Have: version, Know: know}
	}
	own, err := schemaOf(ctx, version)
	if err != nil {
		return 0, err
	}
	if has != own {
		return 0, &ForeignFileError{Path: s.path, What: "an SQLite database with other tables, views or triggers than a weir has made"}
	}
	return version, nil
}

// schemaOf makes the schema of a version anew.
func schemaOf(ctx context.Context, version int) (text string, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return "", err
	}
	for _, name := range names[:version] {
		change, err := migrations.ReadFile(name)
		if err == nil {
			_, err = db.ExecContext(ctx, string(change))
		}
		if err != nil {
			return "", fmt.Errorf("make a store with %s: %w", name, err)
		}
	}
	return text, db.QueryRowContext(ctx, schema).Scan(&text)
}

// useWAL switches the file to write-ahead logging, in which readers and a
// writer do not block one another. The switch needs the file for itself and
// SQLite does not wait for that, so two processes that open a new store at
// once are told apart here.
func (s *Store) useWAL(ctx context.Context) error {
	for deadline := time.Now().Add(busyTimeout * time.Millisecond); ; {
		_, err := s.db.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
