//go:build unix

package locks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// How long, and how often, Claim asks again: who looks whether a file is taken has it for a
// moment, and this process may have no CPU.
const (
	patience = 300 * time.Millisecond
	sure     = 20
	attempts = 10_000
)

// Claim makes a file, for its owner alone to open, and locks it until release, which removes
// it, or the end of this process. prepare makes its folder, which others may remove at any time.
// The error is a *TakenError where another one has it for good.
func Claim(file string, prepare func() error) (release func(), err error) {
	blocked, end := 0, time.Now().Add(patience)
	for range attempts {
		var f *os.File
		if err = prepare(); err == nil {
			f, err = os.OpenFile(file, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			continue // who removed the last file removed the folder in this moment
		}
		if err != nil {
			return nil, err
		}
		err = try(f)
		if err == nil && IsAt(f, file) {
			return func() {
				os.Remove(file)
				f.Close()
			}, nil
		}
		taken := errors.Is(err, unix.EWOULDBLOCK)
		if blocked++; taken && blocked > sure && time.Now().After(end) {
			err = &TakenError{file, Holder(f)}
		}
		f.Close()
		if err != nil && (!taken || !errors.Is(err, unix.EWOULDBLOCK)) {
			return nil, fmt.Errorf("lock %s: %w", file, err)
		}
		time.Sleep(time.Millisecond)
	}
	return nil, fmt.Errorf("lock %s: it is not there when it was made", file)
}

// TakenError is a file that another process has.
type TakenError struct{ File, By string }

func (e *TakenError) Error() string { return e.By + " has it" }

// Taken reports whether a process that lives has a file. Where that cannot be asked, one may.
func Taken(file string) (bool, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	defer f.Close()
	for range 5 { // who clears away has a file for a moment
		err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err != nil, err
		}
		time.Sleep(time.Millisecond)
	}
	return true, nil
}

// Clear removes the files of a folder that no process has: those of killed ones.
func Clear(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, file := range files {
		f, opened := os.Open(file)
		if opened != nil {
			continue // it has just been released
		}
		if try(f) == nil && IsAt(f, file) {
			err = errors.Join(err, os.Remove(file))
		}
		f.Close()
	}
	return err
}

// IsAt reports whether an open file is the one of this name still.
func IsAt(f *os.File, name string) bool {
	is, err := f.Stat()
	now, gone := os.Stat(name)
	return err == nil && gone == nil && os.SameFile(is, now)
}

func try(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
