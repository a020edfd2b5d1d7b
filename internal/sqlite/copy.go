package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"weir/internal/infile"
)

const (
	mostCopied = 1 << 30 // octets of a file
	longCopy   = time.Minute
)

// OpenCopy opens a copy of a store that others may write to, which nobody else sees and Close
// removes: for those who only read, whom a lock, an endless file or another file in its place
// is not to keep waiting, or lead astray. What SQLite has written ahead counts where it is of the
// store's owner; a copy of an older version is brought up to this version's schema. The errors are
// those of Open.
func OpenCopy(ctx context.Context, path string) (*Store, error) {
	folder, err := os.MkdirTemp("", "weir-copy-*")
	if err != nil {
		return nil, fmt.Errorf("copy store %s: %w", path, err)
	}
	to := filepath.Join(folder, "weir.db")
	limited, cancel := context.WithTimeoutCause(ctx, longCopy, fmt.Errorf("that takes more than %v", longCopy))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- copyStore(path, to) }() // which a file system may keep waiting
	select {
	case err = <-done:
	case <-limited.Done():
		err = context.Cause(limited)
	}
	if err != nil {
		err = fmt.Errorf("copy store %s, which others may write to: %w", path, err)
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s, err := connect(ctx, &Store{path: path, copy: folder}, source(to, false), false)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, nil
}

// copyStore copies a store with what SQLite has written ahead.
func copyStore(path, to string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	before, err := copyFile(path, to, nil)
	if err != nil {
		return err
	}
	_, err = copyFile(path+"-wal", to+"-wal", before)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now, err := os.Lstat(path)
	if err == nil && (now.Size() != before.Size() || now.ModTime() != before.ModTime()) {
		err = errors.New("somebody wrote to it meanwhile: try again")
	}
	return err
}

// copyFile copies a file, or nothing if its owner is not that of another one, and returns what it
// was before.
func copyFile(path, to string, of fs.FileInfo) (fs.FileInfo, error) {
	from, err := infile.OpenItself(path, mostCopied)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	is, err := from.Stat()
	if err != nil || of != nil && is.Sys().(*syscall.Stat_t).Uid != of.Sys().(*syscall.Stat_t).Uid {
		return is, err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return is, err
	}
	_, err = io.Copy(f, io.LimitReader(from, mostCopied))
	return is, errors.Join(err, f.Close())
}
