package testbed

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"weir/internal/locks"
	"weir/internal/outfile"
	"weir/internal/processes"
)

// aliveDir has a file for each thing that ends with its process: a lab, a journal, a folder
// of sockets. The process holds a lock on it (flock(2)), so that the kernel answers whether
// it lives, to everybody who sees the file: a number of a process means another one in
// another namespace of processes, and is used again.
func aliveDir() string { return filepath.Join(RunDir(), "alive") }

// process is this one, by a name that no other process has.
var process = rand.Text()

// hold has others know, until release or the end of this process, that the thing of this
// name has an owner that lives. From then on it is one that has something to undo, and so
// spared when memory runs out.
func hold(name string) (release func(), err error) {
	processes.Spare()
	give, err := locks.Claim(filepath.Join(aliveDir(), name), func() error {
		if err := MakeRunDir(); err != nil {
			return err
		}
		return os.MkdirAll(aliveDir(), 0o700)
	})
	if err != nil {
		return func() {}, fmt.Errorf("have others know that this process lives: %w", err)
	}
	return func() {
		give()
		leaveRunDir()
	}, nil
}

// lives reports whether the owner of a thing lives. Where that cannot be asked, it may.
func lives(name string) (bool, error) { return locks.Taken(filepath.Join(aliveDir(), name)) }

// portsDir has a file for each port that is measured with, by its namespace: it is one for
// all, whatever WEIR_RUN says, as a port is. Where it cannot be made, as in a container whose
// files cannot be written, ports are known to those of one WEIR_RUN alone.
const portsDir = "/run/weir-ports"

func ownPortsDir() string { return filepath.Join(RunDir(), "ports") }

// clearDead removes what processes that were killed have left of what says that they live.
func clearDead() error {
	err := errors.Join(locks.Clear(aliveDir()), locks.Clear(portsDir), locks.Clear(ownPortsDir()))
	leaveRunDir()
	return err
}

// leaveRunDir removes folders in which nothing is left.
func leaveRunDir() {
	for _, folder := range []string{portsDir, ownPortsDir(), aliveDir(), journalDir(), lastingDir(), RunDir(), stateDir()} {
		os.Remove(folder)
	}
}

// MakeRunDir makes RunDir, in which others may look up a file by its name, and neither list
// what there is nor lock it. One that another user owns, may write to, or may
// put another one in the place of, is refused: what it says is obeyed as root.
func MakeRunDir() error {
	const mode = 0o711
	dir := RunDir()
	if err := makeOwn(dir, mode); err != nil {
		return err
	}
	is, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, known := is.Sys().(*syscall.Stat_t)
	switch {
	case !is.IsDir():
		return fmt.Errorf("%s is no folder: remove it, or name another one with WEIR_RUN", dir)
	case known && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d, and weir obeys what it says: remove it, or name a folder of your own with WEIR_RUN", dir, owner.Uid)
	case is.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to %s, and weir obeys what it says: look at what is in it, then: chmod %o %s", dir, mode, dir)
	}
	if err := outfile.OnlyOurs(dir); err != nil { // who has a folder above it puts another one in its place
		return fmt.Errorf("%w, and weir obeys what lies in %s: name a folder with WEIR_RUN to which root's folders alone lead", err, dir)
	}
	if dir == usualRunDir && is.Mode().Perm() != mode { // as a weir of before has made it
		return os.Chmod(dir, mode)
	}
	return nil
}

// makeOwn makes a folder that others do not write to, with those above it as they are usual.
func makeOwn(dir string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
