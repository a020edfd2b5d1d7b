package main

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// caller is the user that called sudo, to whom belongs what weir leaves in folders
// of theirs; nobody, without sudo.
type caller struct {
	uid, gid int
	home     string
}

func sudoer() (c caller, ok bool) {
	uid, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	gid, err2 := strconv.Atoi(os.Getenv("SUDO_GID"))
	if os.Getuid() != 0 || err != nil || err2 != nil || uid <= 0 {
		return c, false
	}
	c = caller{uid: uid, gid: gid}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		c.home = u.HomeDir
	}
	return c, true
}

// homeFolder is that of the user that weir works for.
func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if c, ok := sudoer(); ok && c.home != "" {
		if root, lookup := user.LookupId("0"); lookup == nil && (err != nil || home == root.HomeDir) {
			return c.home, nil
		}
	}
	return home, err
}

// handOver gives the user that called sudo what weir has just made in a folder of
// theirs. Elsewhere it stays root's.
func handOver(path string) error {
	c, ok := sudoer()
	if !ok {
		return nil
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if s, known := info.Sys().(*syscall.Stat_t); !known || int(s.Uid) != c.uid {
		return nil
	}
	return os.Lchown(path, c.uid, c.gid)
}

// makeFolder makes a folder with those above it.
func makeFolder(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if above := filepath.Dir(path); above != path {
		if err := makeFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return handOver(path)
}

// makeStore makes the file of a store that is not there, empty, for the user that
// called sudo: the store itself would make it root's.
func makeStore(path string) error {
	if _, ok := sudoer(); !ok {
		return nil
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), handOver(path))
}
