// Package sqlite is the store: campaigns with their manifests, trials and
// results in one SQLite file. What a Record function has returned nil for is
// on disk, and stays there when the process is killed or the power fails.
//
// The package measures nothing and renders nothing. It deletes nothing but what
// an interrupted campaign that goes on will find again.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// busyTimeout is how long a write waits for another process, in milliseconds.
// A write takes a few milliseconds, so only a stopped process can exceed it.
const busyTimeout = 10_000

// Store is an open store. It may be used by several goroutines, and several
// processes may have the same file open and write to it.
type Store struct {
	path string
	db   *sql.DB
	file os.FileInfo // of a store that OpenReader opened
}

// Open opens the store at path, with its folders and the file itself made
// where they are missing, and brings it up to this version's schema. A file
// that may be read and not written opens for reading.
//
// The errors are a *NewerStoreError for the store of a newer weir, a
// *ForeignFileError for a file that is no store, and a *FullError where the
// disk has no room for it.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errNoPath
	}
	readOnly, err := prepare(path)
	if notYours := (*NotWritableError)(nil); errors.As(err, &notYours) {
		return nil, notYours
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return connect(ctx, path, source(path, readOnly), readOnly)
}

// OpenExisting is Open for those who only read: a store that is not there is an
// empty one, and is not made.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errNoPath
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return connect(ctx, path, ":memory:", false)
	}
	return Open(ctx, path)
}

// OpenReader opens a store that is there for those who only read, with so many queries at once.
// One of an older version is brought up to this version's schema first, where it may be written.
// The errors are those of Open.
func OpenReader(ctx context.Context, path string, queries int) (*Store, error) {
	s, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	readOnly, err := prepare(path)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", source(path, readOnly)+"&_pragma=query_only(ON)")
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db.SetMaxOpenConns(queries)
	db.SetMaxIdleConns(queries)
	return &Store{path: path, db: db, file: file}, nil
}

// Is reports whether a file is the one that OpenReader opened, and not another one that took its
// place.
func (s *Store) Is(file os.FileInfo) bool { return s.file != nil && os.SameFile(s.file, file) }

var errNoPath = errors.New("the store has no path; name a file with --store")

// connect opens what is called path in messages.
func connect(ctx context.Context, path, source string, readOnly bool) (*Store, error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	// One connection: writers of one process queue up here, in order, and not
	// in the busy loop of SQLite.
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db}
	if err := s.adopt(ctx, readOnly); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// Path is the file's name, as given to Open.
func (s *Store) Path() string { return s.path }

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// prepare makes the folders of path and reports whether the file is there and
// may only be read.
func prepare(path string) (readOnly bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case err == nil:
		return false, f.Close()
	case errors.Is(err, fs.ErrNotExist):
		return false, os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if f, roErr := os.Open(path); roErr == nil {
		info, roErr := f.Stat()
		f.Close()
		if roErr == nil && info.Mode().IsRegular() {
			return true, nil
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return false, notWritable(path, true)
	}
	return false, err
}

// source is the data source name of path. Committing with synchronous=FULL
// takes under a millisecond to a few and survives a power failure.
func source(path string, readOnly bool) string {
	q := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout),
		"synchronous(FULL)",
		"foreign_keys(ON)",
		"cell_size_check(ON)", // damaged pages are noticed when they are read
	}}
	q.Set("_txlock", "immediate")
	if readOnly {
		q.Set("mode", "ro")
		if _, err := os.Stat(path + "-wal"); err != nil {
			// Nobody writes; without this SQLite wants to create a file beside it.
			q.Set("immutable", "1")
		}
	}
	name := url.URL{Path: path}
	return "file:" + name.EscapedPath() + "?" + q.Encode()
}
