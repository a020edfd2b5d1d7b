package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// NewerStoreError says that a newer weir has written the store.
type NewerStoreError struct {
	Path string
	Have int // version of the store's schema
	Know int // newest version that this weir knows
}

func (e *NewerStoreError) Error() string {
	return fmt.Sprintf("store %s was written by a newer weir (store version %d, this weir knows up to %d); use that weir, or name another file with --store",
		e.Path, e.Have, e.Know)
}

// ForeignFileError says that a file is not a weir store. It was not touched.
type ForeignFileError struct {
	Path string
	What string // what the file is instead
}

func (e *ForeignFileError) Error() string {
	return fmt.Sprintf("%s is %s, not a weir store; name another file with --store", e.Path, e.What)
}

// FullError says that the store could not grow. Whatever was recorded before
// is safe.
type FullError struct {
	Path string
	Err  error // what the driver or the system said
}

func (e *FullError) Error() string {
	return fmt.Sprintf("no room left for the store %s: free some space on its disk, or name a file elsewhere with --store; what was recorded before is safe (%v)",
		e.Path, e.Err)
}

// Unwrap returns what the driver or the system said.
func (e *FullError) Unwrap() error { return e.Err }

// UnknownCampaignError says that the store holds no such campaign.
type UnknownCampaignError struct {
	Path  string
	ID    string
	Known []string // some that it holds, newest first
}

func (e *UnknownCampaignError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("store %s holds no campaign yet; measure one, or name another file with --store", e.Path)
	}
	return fmt.Sprintf("no campaign %q in store %s; the newest there: %s", e.ID, e.Path, strings.Join(e.Known, ", "))
}

// UnderWayError says that another process measures a campaign.
type UnderWayError struct{ ID string }

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("campaign %s is being measured by another process", e.ID)
}

// PartlyDeletedError says that a part of a campaign's trials is gone, and the rest is to be deleted.
type PartlyDeletedError struct {
	ID   string
	Left int   // trials
	Err  error // why it was not deleted as a whole; nil: that is not known any more
}

func (e *PartlyDeletedError) Error() string {
	why := ""
	if e.Err != nil {
		why = fmt.Sprintf(" (%v)", e.Err)
	}
	return fmt.Sprintf("campaign %s is deleted in part, and %d of its trials are left: delete it again (weir forget %[1]s)%[3]s", e.ID, e.Left, why)
}

// Unwrap returns why it was not deleted as a whole.
func (e *PartlyDeletedError) Unwrap() error { return e.Err }

// AmbiguousCampaignError says that several campaigns begin with what was given.
type AmbiguousCampaignError struct {
	ID      string
	Matches []string // some of them, newest first
}

func (e *AmbiguousCampaignError) Error() string {
	return fmt.Sprintf("several campaigns begin with %q: %s; give more of the id", e.ID, strings.Join(e.Matches, ", "))
}

// NotWritableError says that this user may not write to the store, or not even read
// it.
type NotWritableError struct {
	Path   string
	Owner  string // "root", "user 1000"; "": not known
	Unread bool   // it may not be read either
}

func (e *NotWritableError) Error() string {
	may, run := "read, and not write to,", "as a user who may write there"
	if e.Unread {
		may = "neither read nor write to"
	}
	if e.Owner != "" {
		run = "as " + e.Owner + ", whose it is"
	}
	return fmt.Sprintf("you may %s the store %s: run weir %s, or name another file with --store", may, e.Path, run)
}

// notWritable is that error with the owner of the file.
func notWritable(path string, unread bool) error {
	e := &NotWritableError{Path: path, Unread: unread}
	info, err := os.Stat(path)
	if err != nil {
		return e
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Getuid() {
		if e.Owner = fmt.Sprintf("user %d", s.Uid); s.Uid == 0 {
			e.Owner = "root"
		}
	}
	return e
}

// code is the SQLite result code in err, 0 without one.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// isBusy reports whether another connection kept err's statement from running.
func isBusy(err error) bool { return code(err)&0xff == sqlite3.SQLITE_BUSY }

// wrap gives err the typed form that its cause has, and says what was done to
// the store; nil stays nil.
func (s *Store) wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	switch c := code(err); {
	case c&0xff == sqlite3.SQLITE_FULL, errors.Is(err, syscall.ENOSPC),
		c == sqlite3.SQLITE_IOERR_SHMSIZE: // the index of the write-ahead log could not grow
		return &FullError{Path: s.path, Err: err}
	case c&0xff == sqlite3.SQLITE_NOTADB:
		return &ForeignFileError{Path: s.path, What: "no SQLite database"}
	case c&0xff == sqlite3.SQLITE_CORRUPT:
		return &DamagedError{Path: s.path, What: fmt.Sprintf("a page of it (%v)", err)}
	case c&0xff == sqlite3.SQLITE_READONLY, c&0xff == sqlite3.SQLITE_PERM:
		return notWritable(s.path, false)
	case c&0xff == sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s store %s: its folder %s cannot be written to, or the file not be opened: make the folder writable, or name a file elsewhere with --store: %w",
			doing, s.path, filepath.Dir(s.path), err)
	case isBusy(err):
		return fmt.Errorf("%s store %s: another process has kept it locked for %d s: %w", doing, s.path, busyTimeout/1000, err)
	}
	return fmt.Errorf("%s store %s: %w", doing, s.path, err)
}
