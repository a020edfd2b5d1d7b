package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// LockCampaign makes sure that no other process measures a campaign of a store for as
// long as this one does: in whatever network namespace it is, and whatever path
// leads it to the store. It locks the campaign's place in a file beside the store,
// which the kernel gives back when the process is killed. The error is an *UnderWayError where
// another process has it.
func LockCampaign(store, id string) (release func() error, err error) {
	file, err := locks(store, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("reserve campaign %s: %w", id, err)
	}
	at := place(id)
	at.Type = unix.F_WRLCK
	err = unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &at)
	if err == nil {
		return file.Close, nil
	}
	file.Close()
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil, &UnderWayError{ID: id}
	}
	return nil, fmt.Errorf("reserve campaign %s: lock %s: %w", id, file.Name(), err)
}

// place is that of a campaign in the file with the locks: an octet of its own.
func place(id string) unix.Flock_t {
	sum := sha256.Sum256([]byte(id))
	return unix.Flock_t{Whence: io.SeekStart, Start: int64(binary.BigEndian.Uint64(sum[:]) >> 1), Len: 1}
}

// locks opens the file with the locks of a store. Whoever may write to the store
// may open it, and nobody else: also a lock for reading would be in the way of
// those who measure. Root takes none that somebody else has made than itself and the store's owner.
func locks(store string, flags int) (*os.File, error) {
	path, err := filepath.EvalSymlinks(store)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	file, err := os.OpenFile(path+"-lock", flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil || flags&os.O_CREATE == 0 {
		return file, err
	}
	writers := info.Mode() & 0o222
	is, err := file.Stat()
	if s, ok := info.Sys().(*syscall.Stat_t); ok && err == nil && os.Getuid() == 0 {
		if maker := is.Sys().(*syscall.Stat_t).Uid; maker != 0 && maker != s.Uid {
			err = fmt.Errorf("%s belongs to user %d, who may hold it: remove it, and keep the store in a folder that you own alone", file.Name(), maker)
		} else {
			err = file.Chown(int(s.Uid), int(s.Gid))
		}
	}
	if err == nil && is.Mode().Perm() != writers|writers<<1 {
		err = file.Chmod(writers | writers<<1)
	}
	if errors.Is(err, fs.ErrPermission) {
		err = nil // another writer made it
	}
	if err != nil {
		file.Close()
	}
	return file, err
}

// StateOf says of a campaign that has no end in its store whether a process
// measures it. It takes no lock, which might be in somebody's way.
func StateOf(store, id string) string {
	if _, err := os.Stat(store); err != nil {
		return StateUnknown
	}
	file, err := locks(store, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return Killed // by another weir than this one, maybe
	}
	if err != nil {
		return StateUnknown
	}
	defer file.Close()
	at := place(id)
	at.Type = unix.F_WRLCK
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, &at); err != nil {
		return StateUnknown
	}
	if at.Type == unix.F_UNLCK {
		return Killed
	}
	return UnderWay
}

// tightenFile takes the right to read a file from those who may not write to it: from the file that
// was looked at, by a descriptor that stands for its name (O_PATH of open(2), whose end gives back no
// lock). Who may write to the folder may put a link in its place, or give a file of others that
// name: one that has several names keeps its rights.
func tightenFile(path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil {
		return err
	}
	if is.Mode&unix.S_IFMT != unix.S_IFREG {
		return fmt.Errorf("%s is no file", path)
	}
	mode := fs.FileMode(is.Mode).Perm()
	if less := tighter(mode); less != mode && is.Nlink == 1 {
		return os.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), less)
	}
	return nil
}
