package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
)

// journalDir has a journal for each process that has something to undo at this
// machine, outside of what ends with the process.
func journalDir() string { return filepath.Join(RunDir(), "undo") }

// lastingDir has those of processes that have something to undo at other hosts, too, which
// this machine's next start does not undo.
func lastingDir() string { return filepath.Join(stateDir(), "undo-hosts") }

// stateDir is the folder of what weir has to know after the machine was started anew, too:
// that of variable state (FHS 3.0 section 5.8), or the one that WEIR_RUN names.
func stateDir() string {
	if os.Getenv("WEIR_RUN") != "" {
		return RunDir()
	}
	return "/var/lib/weir"
}

// Journalled runs what remembers there what it changes, until it has undone it. If
// it is killed, Restore does.
func Journalled(f func(*settings.Journal) error) error {
	j, leave, err := OwnJournal(false)
	if err != nil {
		return err
	}
	return errors.Join(f(j), leave())
}

// OwnJournal is a journal of this process, elsewhere of what it changes at other hosts, too;
// leave is for when all in it is undone.
func OwnJournal(elsewhere bool) (j *settings.Journal, leave func() error, err error) {
	folder := journalDir()
	if elsewhere {
		folder = lastingDir()
	}
	name := newID() + newID()
	release, err := hold(name)
	if err != nil {
		return nil, nil, err
	}
	if j, err = settings.OpenJournal(filepath.Join(folder, name)); err != nil {
		release()
		return nil, nil, err
	}
	return j, func() error { release(); return nil }, nil
}

// SocketFolder makes a folder for the sockets of this process's connections; leave
// removes it, or the next Sweep where this process is killed. Its name is short, as
// those of sockets have to be.
func SocketFolder() (folder string, leave func() error, err error) {
	name := sockets + newID()
	release, err := hold(name)
	if err != nil {
		return "", nil, err
	}
	folder = filepath.Join(RunDir(), name)
	leave = func() error {
		err := os.RemoveAll(folder)
		release()
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", nil, errors.Join(err, leave())
	}
	return folder, leave, nil
}

// sockets begins the names of such folders.
const sockets = "ssh-"

// clearSockets removes the folders of processes that were killed.
func clearSockets() (err error) {
	folders, err := filepath.Glob(filepath.Join(RunDir(), sockets+"*"))
	for _, folder := range folders {
		owned, unknown := lives(filepath.Base(folder))
		err = errors.Join(err, unknown)
		if !owned {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	return err
}

// hereName is the name of a network namespace of this machine as a host, in a journal.
const hereName = "netns:%d:%d"

// Here is this machine, in the network namespace of the calling thread, by a name
// that Restore knows.
func Here() (weir.Host, error) {
	s, err := spaceHere()
	return Machine(fmt.Sprintf(hereName, s.Inode, s.Cookie), nil), err
}

// Restoring is how Restore goes about it.
type Restoring struct {
	Forget bool         // what cannot be undone is forgotten
	Say    func(string) // is told of each step, a line without its end
	// Reach is the host of a name that is not on this machine, and closes it after that;
	// nil: what was changed there is left for another time. It may be settings.ErrLater.
	Reach func(ctx context.Context, name string) (h weir.Host, close func() error, err error)
}

// Restored is what became of the changes of processes that were killed.
type Restored struct {
	settings.Restored
	Left []settings.Change `json:"left"`
}

// Restore undoes what killed processes have changed at this machine; those of living
// ones are theirs. What cannot be undone stays known, and is an error, unless it is to
// be forgotten.
func Restore(ctx context.Context, w Restoring) (r Restored, err error) {
	r.Left = []settings.Change{}
	_, none := os.Stat(journalDir())
	_, nowhere := os.Stat(lastingDir())
	if errors.Is(none, fs.ErrNotExist) && errors.Is(nowhere, fs.ErrNotExist) {
		return r, nil
	}
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, clearDead()) }()
	visits := visits{spaces: map[string]*netif.Namespace{}, far: map[string]*far{}, reach: w.Reach}
	defer func() { err = errors.Join(err, visits.end()) }()
	files, err := filepath.Glob(filepath.Join(journalDir(), "*"))
	if err != nil {
		return r, err
	}
	lasting, err := filepath.Glob(filepath.Join(lastingDir(), "*"))
	for _, file := range append(files, lasting...) {
		name, half := strings.CutSuffix(filepath.Base(file), settings.Unfinished)
		owned, unknown := lives(name)
		err = errors.Join(err, unknown)
		if owned {
			continue
		}
		if half {
			if rm := os.Remove(file); !errors.Is(rm, fs.ErrNotExist) { // the whole one has just been written anew
				err = errors.Join(err, rm)
			}
			continue
		}
		err = errors.Join(err, visits.restore(ctx, file, w, &r))
	}
	if len(r.Left) > 0 {
		err = fmt.Errorf("%w\nwhat is done by hand is then forgotten with: weir lab restore --forget", err)
	}
	return r, err
}

// restore undoes what is in a journal. One that cannot be read keeps nobody from the others.
func (v visits) restore(ctx context.Context, file string, w Restoring, r *Restored) error {
	j, err := settings.OpenJournal(file)
	var damaged *settings.DamagedError
	var other *settings.OtherVersionError
	switch {
	case errors.As(err, &damaged):
		return setAside(file, damaged)
	case errors.As(err, &other):
		warn(other.Error())
		return nil
	case err != nil:
		return err
	}
	j.Forced = w.Forget
	open := func(name string) (weir.Host, error) { return v.open(ctx, name) }
	of, err := j.Restore(ctx, open, w.Say)
	r.Undone, r.Gone, r.Forgotten = r.Undone+of.Undone, r.Gone+of.Gone, append(r.Forgotten, of.Forgotten...)
	if w.Forget && err != nil && ctx.Err() == nil {
		w.Say(err.Error())
		err = j.Forget(ctx, open)
	}
	if err != nil {
		r.Left = append(r.Left, j.Changes()...)
	}
	return err
}

// warn says on standard error what nobody may miss, whoever restores. Tests look at it.
var warn = func(line string) { fmt.Fprintln(os.Stderr, "weir: "+line) }

// damagedDir has journals that could not be read, which nobody undoes.
func damagedDir() string { return filepath.Join(stateDir(), "damaged") }

// setAside moves a journal that cannot be read to where it is in nobody's way.
func setAside(file string, why *settings.DamagedError) error {
	if err := os.MkdirAll(damagedDir(), 0o700); err != nil {
		return err
	}
	to := filepath.Join(damagedDir(), filepath.Base(file))
	data, err := os.ReadFile(file) // it may lie in another file system
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err == nil {
		err = os.Remove(file)
	}
	if err == nil {
		warn(fmt.Sprintf("%v; it is set aside as %s, and what it has of changes is not undone: look at it, set these back by hand, and remove it", why, to))
	}
	return err
}

// visits are the places that Restore has entered, by the names of their hosts.
type visits struct {
	spaces map[string]*netif.Namespace
	far    map[string]*far
	reach  func(context.Context, string) (weir.Host, func() error, error)
}

// far is a host that is not on this machine, or why it cannot be reached: nobody waits
// for that again for each of its changes.
type far struct {
	host  weir.Host
	close func() error
	err   error
}

// open is the host of a name that Here gave, or of another machine: fs.ErrNotExist when
// its namespace is gone, and all settings in it; settings.ErrLater where that is not known.
func (v visits) open(ctx context.Context, name string) (weir.Host, error) {
	if ns, here := v.spaces[name]; here {
		return Machine(name, ns), nil
	}
	if _, err := spaceOf(name); err != nil {
		return v.farther(ctx, name)
	}
	ns, err := enterSpace(name)
	if err != nil {
		return nil, err
	}
	v.spaces[name] = ns
	return Machine(name, ns), nil
}

// spaceOf is the network namespace of this machine of which Here gave the name.
func spaceOf(name string) (s space, err error) {
	_, err = fmt.Sscanf(name, hereName, &s.Inode, &s.Cookie)
	return s, err
}

// enterSpace enters it: fs.ErrNotExist where it is gone, settings.ErrLater where that is not
// known.
func enterSpace(name string) (*netif.Namespace, error) {
	s, err := spaceOf(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no network namespace of this machine: %w", name, err)
	}
	ns, err := netif.FindNamespace(s.Inode, s.Cookie)
	if errors.Is(err, errors.ErrUnsupported) {
		ns, err = lookFor(s)
	}
	return ns, err
}

// lookFor enters a namespace that a process of this machine is in, or that has a name: where
// the kernel does not find it by itself. Where some could not be looked at, and in a
// container, which does not see the processes of others, it may be another time's.
func lookFor(s space) (*netif.Namespace, error) {
	files, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/ns/net") // a lab's are those of threads
	if err != nil {
		return nil, err
	}
	all, err := seesAll()
	if err != nil {
		return nil, err
	}
	for _, file := range append(netif.Named(), files...) {
		ino, err := inode(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
			all = false
		}
		if err != nil || ino != s.Inode {
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
			return ns, nil
		}
		ns.Close() // the number was used again
	}
	if !all {
		return nil, settings.ErrLater
	}
	return nil, fs.ErrNotExist
}

// seesAll reports whether all processes of this machine are seen here: in the first
// namespace of processes, whose inode is the kernel's PROC_PID_INIT_INO.
func seesAll() (bool, error) {
	const first = 0xEFFFFFFC
	ino, err := inode("/proc/self/ns/pid")
	return ino == first, err
}

// farther is the host of a name that is not on this machine.
func (v visits) farther(ctx context.Context, name string) (weir.Host, error) {
	if v.reach == nil {
		return nil, settings.ErrLater
	}
	if v.far[name] == nil {
		f := &far{}
		f.host, f.close, f.err = v.reach(ctx, name)
		v.far[name] = f
	}
	return v.far[name].host, v.far[name].err
}

func (v visits) end() (err error) {
	for _, ns := range v.spaces {
		ns.Close()
	}
	for _, f := range v.far {
		if f.err == nil {
			err = errors.Join(err, f.close())
		}
	}
	return err
}
