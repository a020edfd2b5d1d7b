package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mostLinks is how many links a path may lead through, as for the kernel (path_resolution(7)).
const mostLinks = 40

// walk visits what a path leads through, the root first: folders, links and what is behind
// them, and what it names. It ends where nothing is there.
func walk(path string, visit func(at string, is fs.FileInfo) error) error {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		path = here + "/" + path // not cleaned: "link/.." is another folder than the link's
	}
	at, links := "/", 0
	for rest := append([]string{"."}, strings.Split(path, "/")...); len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == "" {
			continue
		}
		next := filepath.Join(at, name)
		is, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = visit(next, is)
		}
		if err != nil {
			return err
		}
		if is.Mode().Type() != fs.ModeSymlink {
			at = next
			continue
		}
		if links++; links > mostLinks {
			return &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
		}
		to, err := os.Readlink(next)
		if err != nil {
			return err
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return nil
}

// Way is an error where a path leads through a link that root does not follow.
func Way(path string) error {
	_, err := maker(path)
	return err
}

func groupOf(is fs.FileInfo) int {
	if s, known := is.Sys().(*syscall.Stat_t); known {
		return int(s.Gid)
	}
	return 0
}

func ownerOf(is fs.FileInfo) int {
	if s, known := is.Sys().(*syscall.Stat_t); known {
		return int(s.Uid)
	}
	return 0
}

// maker is the user that a file of this path is made as, where that is not who weir runs as:
// in a folder of the user that called sudo, and where a link of theirs leads. Root follows no
// link of anybody else: it would make the file where that one may not.
func maker(path string) (made *caller, err error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	c, some := sudoer()
	linked := false
	err = walk(path, func(at string, is fs.FileInfo) error {
		owner := ownerOf(is)
		switch {
		case is.IsDir():
			made = nil
			if linked || some && owner == c.uid {
				made = &c
			}
		case is.Mode().Type() != fs.ModeSymlink || owner == 0:
		case some && owner == c.uid:
			linked, made = true, &c
		default:
			return fmt.Errorf("%s is a link of user %d, which root does not follow: name what it leads to", at, owner)
		}
		return nil
	})
	return made, err
}

// OnlyOurs is an error that says who else than root and the user that called sudo could have
// written a file: what it says is not to be done as root then. A group that is a user's own
// (adduser(8), USERGROUPS) is that user.
func OnlyOurs(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	ours, group := []int{0}, 0
	if c, some := sudoer(); some {
		ours = append(ours, c.uid)
		if own, err := user.LookupGroupId(strconv.Itoa(c.gid)); err == nil && own.Name == c.name {
			group = c.gid
		}
	}
	shared := func(is fs.FileInfo) bool {
		mode, gid := is.Mode().Perm(), groupOf(is)
		return mode&0o002 != 0 || mode&0o020 != 0 && gid != 0 && gid != group
	}
	var last fs.FileInfo // the folder of what is visited
	var above string
	return walk(path, func(at string, is fs.FileInfo) error {
		switch {
		case !slices.Contains(ours, ownerOf(is)):
			return fmt.Errorf("%s belongs to user %d", at, ownerOf(is))
		case is.IsDir():
			if shared(is) && is.Mode()&fs.ModeSticky == 0 {
				return fmt.Errorf("others may write to %s", at)
			}
			last, above = is, at
		case is.Mode().Type() == fs.ModeSymlink:
		case shared(is):
			return fmt.Errorf("others may write to %s", at)
		case shared(last): // what belongs to a store lies beside it
			return fmt.Errorf("others may write to %s", above)
		}
		return nil
	})
}
