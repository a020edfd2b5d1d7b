package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
)

// journalDir has a journal for each process that has something to undo at this
// machine, outside of what ends with the process.
func journalDir() string { return filepath.Join(RunDir(), "undo") }

// journalOf is the file of a process; a number that was used again is another one's.
func journalOf(pid int, born string) string {
	return filepath.Join(journalDir(), strconv.Itoa(pid)+"-"+born)
}

// Journalled runs what remembers there what it changes, until it has undone it. If
// it is killed, Restore does.
func Journalled(f func(*settings.Journal) error) error {
	j, leave, err := OwnJournal()
	if err != nil {
		return err
	}
	return errors.Join(f(j), leave())
}

// OwnJournal is that of this process; leave is for when all in it is undone.
func OwnJournal() (j *settings.Journal, leave func() error, err error) {
	j, err = settings.OpenJournal(journalOf(os.Getpid(), born(os.Getpid())))
	return j, func() error { leaveJournals(); return nil }, err
}

// leaveJournals removes the folders when nothing is in them.
func leaveJournals() {
	os.Remove(journalDir())
	os.Remove(RunDir())
}

// hereName is the name of a network namespace of this machine as a host, in a journal.
const hereName = "netns:%d:%d"

// Here is this machine, in the network namespace of the calling thread, by a name
// that Restore knows.
func Here() (weir.Host, error) {
	s, err := spaceHere()
	return Machine(fmt.Sprintf(hereName, s.Inode, s.Cookie), nil), err
}

// Restored is what became of the changes of processes that were killed.
type Restored struct {
	Undone int               `json:"undone"`
	Left   []settings.Change `json:"left"`
}

// Restore undoes what killed processes have changed at this machine; those of living
// ones are theirs. What cannot be undone stays known, and is an error, unless it is to
// be forgotten. say is told of each step, a line without its end.
func Restore(ctx context.Context, forget bool, say func(string)) (r Restored, err error) {
	r.Left = []settings.Change{}
	if _, err := os.Stat(journalDir()); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	unlock, err := lockRegistry()
	defer unlock()
	if err != nil {
		return r, err
	}
	defer leaveJournals()
	visits := visits{}
	defer visits.end()
	files, err := filepath.Glob(filepath.Join(journalDir(), "*"))
	for _, file := range files {
		owner, since, _ := strings.Cut(filepath.Base(file), "-")
		since, half := strings.CutSuffix(since, settings.Unfinished)
		if pid, number := strconv.Atoi(owner); number != nil || born(pid) == since {
			continue
		}
		if half {
			if rm := os.Remove(file); !errors.Is(rm, fs.ErrNotExist) { // the whole one has just been written anew
				err = errors.Join(err, rm)
			}
			continue
		}
		j, bad := settings.OpenJournal(file)
		if bad == nil {
			all := len(j.Changes())
			bad = j.Restore(ctx, visits.open, say)
			r.Undone += all - len(j.Changes())
			if forget && bad != nil && ctx.Err() == nil {
				say(bad.Error())
				bad = j.Forget()
			}
			r.Left = append(r.Left, j.Changes()...)
		}
		err = errors.Join(err, bad)
	}
	if len(r.Left) > 0 {
		err = fmt.Errorf("%w\nwhat is done by hand is then forgotten with: weir lab restore --forget", err)
	}
	return r, err
}

// visits are the namespaces that Restore has entered, by the names of their hosts.
type visits map[string]*netif.Namespace

// open is the host of a name that Here gave: fs.ErrNotExist when its namespace is
// gone, and all settings in it.
func (v visits) open(name string) (weir.Host, error) {
	if ns, here := v[name]; here {
		return Machine(name, ns), nil
	}
	var s space
	if _, err := fmt.Sscanf(name, hereName, &s.Inode, &s.Cookie); err != nil {
		return nil, fmt.Errorf("%q is no host that this weir can reach", name)
	}
	files, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/ns/net") // a lab's are those of threads
	if err != nil {
		return nil, err
	}
	named, err := filepath.Glob(netif.NamedPath("*"))
	if err != nil {
		return nil, err
	}
	for _, file := range append(named, files...) {
		if ino, err := inode(file); err != nil || ino != s.Inode {
			continue
		}
		ns, err := netif.OpenNamespace(file)
		if err != nil {
			if _, gone := inode(file); gone != nil {
				continue // its process has just ended
			}
			return nil, fmt.Errorf("enter %s: %w", file, err)
		}
		var is space
		if err := ns.Do(func() (err error) { is, err = spaceHere(); return err }); err == nil && is.Cookie == s.Cookie {
			v[name] = ns
			return Machine(name, ns), nil
		}
		ns.Close() // the number was used again
	}
	return nil, fs.ErrNotExist
}

func (v visits) end() {
	for _, ns := range v {
		ns.Close()
	}
}
