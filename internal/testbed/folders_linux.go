package testbed

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"weir"
)

// folders are those of the files of a lab's end hosts, by what these lie on.
type folders map[weir.Storage]string

// roots are where they lie: in memory whatever else is, and on what keeps its files when the
// machine starts anew, which is a disk (FHS 3.0 section 5.15). All users make files there.
var roots = folders{weir.Memory: "/dev/shm", weir.Disk: "/var/tmp"}

// newFolder is a name that nobody guesses, and not the lab's, which the names of its threads
// tell. Tests choose others.
var newFolder = func(root string) string { return root + "/weir-" + strings.ToLower(rand.Text()[:10]) }

// makeFolders makes folders, each of this user's alone: what is under its name already is
// another one's. note enters the names before, so that whoever clears the lab away removes
// what lies under these.
func makeFolders(note func(folders) error) error {
	const attempts = 20
	for range attempts {
		all := folders{}
		for storage, root := range roots {
			all[storage] = newFolder(root)
		}
		if err := note(all); err != nil {
			return err
		}
		err := all.make()
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make a folder for files: %w", err)
		}
	}
	return fmt.Errorf("make a folder for files in %s or %s: somebody makes each before: %w", roots[weir.Memory], roots[weir.Disk], fs.ErrExist)
}

// make makes all of them, or none.
func (f folders) make() error {
	var made []string
	for _, folder := range f {
		if err := os.Mkdir(folder, 0o711); err != nil {
			for _, m := range made {
				err = errors.Join(err, os.Remove(m))
			}
			return err
		}
		made = append(made, folder)
	}
	return nil
}

// removalLimit is how long nobody minds waiting for files to be removed: whoever runs weir next goes
// on with what is left.
var removalLimit = 5 * time.Second

// removeAll is how a folder is removed.
var removeAll = os.RemoveAll

// errLeft says that files are being removed still.
var errLeft = errors.New("files are left")

// remove removes the folders with all that is in them, as far as they are this user's: who
// finds out a name may have put something of theirs there, or a link. Nobody else gets into them
// from then on. The error is errLeft where that takes longer than removalLimit.
func (f folders) remove() (err error) {
	removed := make(chan error, len(f))
	waiting := 0
	for _, folder := range f {
		is, lost := os.Lstat(folder)
		if errors.Is(lost, fs.ErrNotExist) {
			continue
		}
		if lost != nil {
			err = errors.Join(err, lost)
			continue
		}
		if owner, known := is.Sys().(*syscall.Stat_t); !is.IsDir() || known && int(owner.Uid) != os.Geteuid() {
			continue
		}
		if lost := os.Chmod(folder, 0o700); lost != nil {
			err = errors.Join(err, lost)
		}
		waiting++
		go func(remove func(string) error) { removed <- remove(folder) }(removeAll)
	}
	for limit := time.After(removalLimit); waiting > 0; waiting-- {
		select {
		case failed := <-removed:
			err = errors.Join(err, failed)
		case <-limit:
			return errors.Join(err, errLeft)
		}
	}
	return err
}

// of are the folders of an end host, each below one of these.
func (f folders) of(e *EndHost) map[weir.Storage]string {
	all := map[weir.Storage]string{}
	for storage, folder := range f {
		all[storage] = folder + "/" + e.name
	}
	return all
}
