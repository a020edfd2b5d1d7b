// Package outfile makes the files and folders that weir leaves: whole or not at all,
// and those in folders of the user that called sudo belong to that user.
//
// It decides no name and no place.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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
	uid, gid   int
	groups     []int // and others that the user is in
	name, home string
}

func sudoer() (c caller, ok bool) {
	uid, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	gid, err2 := strconv.Atoi(os.Getenv("SUDO_GID"))
	if os.Getuid() != 0 || err != nil || err2 != nil || uid <= 0 {
		return c, false
	}
	c = caller{uid: uid, gid: gid}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		c.name, c.home = u.Username, u.HomeDir
		all, _ := u.GroupIds() // a user without them may less
		for _, g := range all {
			if n, err := strconv.Atoi(g); err == nil {
				c.groups = append(c.groups, n)
			}
		}
	}
	return c, true
}

// HomeFolder is that of the user that weir works for.
func HomeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if c, ok := sudoer(); ok && c.home != "" {
		if root, lookup := user.LookupId("0"); lookup == nil && (err != nil || home == root.HomeDir) {
			return c.home, nil
		}
	}
	return home, err
}

// MakeFolder makes a folder with those above it.
func MakeFolder(path string) error {
	is, err := os.Stat(path)
	if err == nil && !is.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if above := filepath.Dir(path); above != path {
		if err := MakeFolder(above); err != nil {
			return err
		}
	}
	in, as, err := open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer in.Close()
	err = as.do(func() error { return in.Mkdir(filepath.Base(path), 0o755) })
	if errors.Is(err, fs.ErrExist) {
		_, err = os.Stat(path) // another one has made it, or it is a link that leads nowhere
	}
	return err
}

// Reserve makes a file that is not there, empty, which the user that called sudo alone may read:
// who writes it later would make it root's. Without sudo it makes nothing.
func Reserve(path string) error {
	as, _, err := maker(path)
	if err != nil || as == nil {
		return err
	}
	if is, err := os.Lstat(path); err == nil && is.Mode().IsRegular() {
		return nil
	}
	if err := MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return as.do(func() error {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // where a link leads, too
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// Write has something written into a file of a folder that is there, which all may read. A file
// that could not be written to its end is not left behind, and one that was there
// is replaced only by a whole one.
func Write(path string, write func(io.Writer) error) error { return writeFile(path, 0o644, write) }

// WriteSecret is Write of a file that its owner alone may read.
func WriteSecret(path string, write func(io.Writer) error) error {
	return writeFile(path, 0o600, write)
}

func writeFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	folder, name := filepath.Split(path)
	folder = filepath.Clean(folder)
	if name == "" {
		return fmt.Errorf("%s is a folder: name a file in it", path)
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it first", folder)
	}
	in, as, err := open(folder)
	if err != nil {
		return err
	}
	defer in.Close()
	part := ".report-" + rand.Text()
	var f *os.File
	err = as.do(func() (err error) {
		f, err = in.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return err
	}
	defer in.Remove(part) // gone already when all went well
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return as.do(func() error { return in.Rename(part, name) })
}
