// Package sqlite is the store: campaigns with their manifests, trials,
// results and what people say of them in one SQLite file. What a Record function has returned nil for is
// on disk, and stays there when the process is killed or the power fails.
//
// The package measures nothing and renders nothing. It deletes what it is asked to
// forget, and else nothing but what an interrupted campaign that goes on will find again.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"weir/internal/infile"
)

// busyTimeout is how long a write waits for another process, in milliseconds.
// A write takes a few milliseconds, so only a stopped process can exceed it.
const busyTimeout = 10_000

// Store is an open store. It may be used by several goroutines, and several
// processes may have the same file open and write to it.
type Store struct {
	path string // in messages, too
	db   *sql.DB
	file os.FileInfo // of a store that OpenReader opened
	copy string      // the folder of one that OpenCopy opened

	watched *sql.Conn // of a store of OpenReader: by which Changes asks
}

// Open opens the store at path, with its folders and the file itself made
// where they are missing, and brings it up to this version's schema. Only its owner may read one
// that it makes, and who may not write to one that is there loses the right to read it. A file
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
	s, err := connect(ctx, &Store{path: path}, source(path, readOnly), readOnly)
	if err != nil || readOnly {
		return s, err
	}
	if err := tighten(path); err != nil { // it is a store, and no file of others
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), s.Close())
	}
	return s, nil
}

// OpenExisting is Open for those who only read: a store that is not there is an
// empty one, and is not made.
func OpenExisting(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errNoPath
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return connect(ctx, &Store{path: path}, ":memory:", false)
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
	db.SetMaxOpenConns(queries + 1) // and that of Changes
	db.SetMaxIdleConns(queries + 1)
	return &Store{path: path, db: db, file: file}, nil
}

// Is reports whether a file is the one that OpenReader opened, and not another one that took its
// place.
func (s *Store) Is(file os.FileInfo) bool { return s.file != nil && os.SameFile(s.file, file) }

var errNoPath = errors.New("the store has no path; name a file with --store")

// connect opens the database of a store.
func connect(ctx context.Context, s *Store, source string, readOnly bool) (*Store, error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", s.path, err)
	}
	// One connection: writers of one process queue up here, in order, and not
	// in the busy loop of SQLite.
	db.SetMaxOpenConns(1)
	s.db = db
	if err := s.adopt(ctx, readOnly); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// Path is the file's name, as given to Open.
func (s *Store) Path() string { return s.path }

// Close closes the store.
func (s *Store) Close() error {
	var err error
	if s.watched != nil {
		err = s.watched.Close()
	}
	err = errors.Join(err, s.db.Close())
	if s.copy != "" {
		err = errors.Join(err, os.RemoveAll(s.copy))
	}
	return err
}

// prepare makes path, with its folders, where it is missing, and reports whether it may only be
// read.
func prepare(path string) (readOnly bool, err error) {
	const flags = os.O_RDWR | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return false, err
		}
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	if err == nil {
		return false, f.Close()
	}
	if f, err := infile.Open(path, math.MaxInt64); err == nil {
		return true, f.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		return false, notWritable(path, true)
	}
	return false, err
}

// tighter returns a mode without the right to read of those who may not write.
func tighter(mode fs.FileMode) fs.FileMode {
	writers := mode & 0o022
	return mode & (0o600 | writers | writers<<1)
}

// tighten takes the right to read a store, and what SQLite has beside it, from those who may not
// write to it, if who runs weir may do so: whoever may open a file can lock it, and a lock for
// reading keeps those who write from it. It opens none: that would give back what locks SQLite has.
func tighten(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		err := tightenFile(file)
		if errors.Is(err, fs.ErrNotExist) && file != path {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported) { // it is somebody else's
			return err
		}
	}
	return nil
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
