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
// them, and what it names. It ends where nothing is there, and reports whether that is the last
// name alone: a file in a folder that is there.
func walk(path string, visit func(at string, is fs.FileInfo) error) (missing bool, err error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return false, err
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
			return len(rest) == 0, nil
		}
		if err == nil {
			err = visit(next, is)
		}
		if err != nil {
			return false, err
		}
		if is.Mode().Type() != fs.ModeSymlink {
			at = next
			continue
		}
		if links++; links > mostLinks {
			return false, &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
		}
		to, err := os.Readlink(next)
		if err != nil {
			return false, err
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return false, nil
}

// Way is an error where a path leads through a link that root does not follow.
func Way(path string) error {
	_, _, err := maker(path)
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
// link of anybody else: it would make the file where that one may not. last is what the path
// leads to, and nil for those who are not root.
func maker(path string) (made *caller, last fs.FileInfo, err error) {
	if os.Geteuid() != 0 {
		return nil, nil, nil
	}
	c, some := sudoer()
	linked := false
	_, err = walk(path, func(at string, is fs.FileInfo) error {
		last = is
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
	return made, last, err
}

// open opens a folder, with the one that files in it are made as: the folder that was looked
// at, and no other one that somebody puts in its place meanwhile.
func open(folder string) (in *os.Root, as *caller, err error) {
	as, seen, err := maker(folder + "/")
	if err != nil {
		return nil, nil, err
	}
	err = as.do(func() error { in, err = os.OpenRoot(folder); return err })
	if err != nil || seen == nil {
		return in, as, err
	}
	is, err := in.Stat(".")
	if err == nil && !os.SameFile(is, seen) {
		err = fmt.Errorf("somebody has put another folder in the place of %s", folder)
	}
	if err != nil {
		in.Close()
	}
	return in, as, err
}

// OnlyOurs is OnlyMine for root: what a file says is not to be done as root else. Others have no
// rights that somebody could want.
func OnlyOurs(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return OnlyMine(path)
}

// OnlyMine is an error that says who else than root, the user that weir runs as and the user that
// called sudo could have written a file, there or not, or make one in its folder. A group that is a
// user's own (adduser(8), USERGROUPS) is that user. A folder may be on the way that all may write to
// if it keeps them from renaming what others own; not that of the file.
func OnlyMine(path string) error {
	ours, group := []int{0, os.Geteuid()}, 0
	c, some := sudoer()
	if me, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil && !some {
		c = caller{gid: os.Getegid(), name: me.Username}
	}
	if some {
		ours = append(ours, c.uid)
	}
	if own, err := user.LookupGroupId(strconv.Itoa(c.gid)); err == nil && own.Name == c.name {
		group = c.gid
	}
	unknown := unknownUser()
	shared := func(is fs.FileInfo) bool {
		mode, gid := is.Mode().Perm(), groupOf(is)
		return mode&0o002 != 0 || mode&0o020 != 0 && gid != 0 && gid != group
	}
	var last fs.FileInfo // the folder of what is visited
	var above string
	missing, err := walk(path, func(at string, is fs.FileInfo) error {
		owner := ownerOf(is)
		switch {
		case !slices.Contains(ours, owner) && !(is.IsDir() && owner == unknown):
			return fmt.Errorf("%s belongs to user %d", at, owner)
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
	if err == nil && missing && shared(last) {
		err = fmt.Errorf("others may write to %s", above)
	}
	return err
}

// unknownUser is whom files belong to, in a namespace of users, that are of nobody in it, as the
// folders above an ordinary user's are; -1 where all users are known.
func unknownUser() int {
	const overflow, all = 65534, "4294967295" // user_namespaces(7)
	text, err := os.ReadFile("/proc/self/uid_map")
	if f := strings.Fields(string(text)); err != nil || len(f) == 3 && f[2] == all {
		return -1
	}
	return overflow
}
