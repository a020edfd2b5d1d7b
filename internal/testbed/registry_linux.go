package testbed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"weir"
	"weir/internal/netif"
)

// RunDir is the folder of what weir has to know until the machine is started anew:
// which labs there are, one file each, and what was changed. WEIR_RUN names
// another one, of labs that see each other alone.
func RunDir() string {
	if dir := os.Getenv("WEIR_RUN"); dir != "" {
		return filepath.Clean(dir)
	}
	return usualRunDir
}

const usualRunDir = "/run/weir"

// Entry is a lab as others see it.
type Entry struct {
	ID       string          `json:"id"`
	PID      int             `json:"pid"`                // of the process that made it, in its namespace of processes
	Process  string          `json:"process"`            // that made it, by a name that no other has
	Kept     bool            `json:"kept"`               // outlives the process
	Made     time.Time       `json:"made"`               //
	Tester   string          `json:"tester"`             // file of the namespace
	DUT      string          `json:"dut"`                // file of the namespace
	Ports    []weir.Port     `json:"ports"`              //
	CPUs     weir.CPUs       `json:"cpus"`               //
	Spaces   []space         `json:"spaces,omitempty"`   // its namespaces
	Session  netif.Autogroup `json:"session,omitzero"`   // how the session of its process was before it, and before others that are measured in this session
	Folders  folders         `json:"folders,omitempty"`  // of its end hosts' files
	Campaign string          `json:"campaign,omitempty"` // that is measured in it; "": not said
	Running  bool            `json:"running"`            // the process that made it lives; not stored
	Own      bool            `json:"-"`                  // this process made it
}

// newID is a short name, different for each lab.
func newID() string {
	return strings.ToLower(rand.Text()[:5])
}

// enrol enters the lab before there is anything of it: if this process is killed
// while it makes it, whoever comes next knows what to clear away. Where somebody is to
// measure in the lab, the session of this process goes first from then on: on a machine
// that others fill, making a lab takes minutes otherwise.
func (l *Netns) enrol(ctx context.Context) (err error) {
	if l.release, err = hold(l.ID); err != nil {
		return err
	}
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		l.release()
		return err
	}
	if !l.keep {
		l.session, err = sessionBefore(l.ID)
	}
	if err == nil {
		err = Entry{ID: l.ID, PID: os.Getpid(), Process: process, Made: time.Now(), Session: l.session}.write()
	}
	if err != nil {
		l.release()
		return err
	}
	if err = l.session.Prefer(); err != nil {
		err = errors.Join(err, os.Remove(entryFile(l.ID)))
		l.release()
	}
	return err
}

// register lets others know of the lab. One that is to be kept is entered
// before its namespaces get their names, so that none is ever unknown, and
// marked as kept when they have them.
func (l *Netns) register() error {
	e := l.entry()
	if err := e.write(); err != nil || !l.keep {
		return err
	}
	for role, ns := range map[string]*netif.Namespace{"tester": l.Tester, "dut": l.dut} {
		if err := ns.Keep(keptName(l.ID, role)); err != nil {
			return err
		}
	}
	e.Kept = true
	e.Tester, e.DUT = netif.NamedPath(keptName(l.ID, "tester")), netif.NamedPath(keptName(l.ID, "dut"))
	return e.write()
}

// entry is the lab as others see it while its process lives.
func (l *Netns) entry() Entry {
	return Entry{ID: l.ID, PID: os.Getpid(), Process: process, Made: time.Now(),
		Tester: l.Tester.Path(), DUT: l.dut.Path(), Ports: l.ports, CPUs: l.cpus, Spaces: l.spaces, Session: l.session, Folders: l.folders}
}

// Announce lets others know which campaign is measured in the lab.
func (l *Netns) Announce(ctx context.Context, campaign string) error {
	e := l.entry()
	e.Campaign = campaign
	return e.renew(ctx)
}

// renew writes the entry of a lab that is known already.
func (e Entry) renew(ctx context.Context) error {
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		return err
	}
	return e.write()
}

// unfinished is the end of the names of entries that are being written.
const unfinished = ".new"

// write replaces the entry as a whole: nobody sees half of one. The registry is
// locked.
func (e Entry) write() error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	temporary := entryFile(e.ID) + unfinished
	for range 3 { // another weir may remove the empty folder in this moment
		if err = MakeRunDir(); err == nil {
			err = os.WriteFile(temporary, data, 0o600)
		}
		if err == nil {
			err = os.Rename(temporary, entryFile(e.ID))
		}
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("register the lab: %w", err)
}

func (l *Netns) unregister() error {
	defer l.release()
	e := Entry{ID: l.ID, PID: os.Getpid(), Session: l.session, Spaces: l.spaces, Folders: l.folders}
	l.session = netif.Autogroup{}
	return remove(context.Background(), e)
}

func keptName(id, role string) string { return "weir-" + id + "-" + role }

// labFolder is for the files of a lab, and goes with it.
func labFolder(id string) string { return filepath.Join(RunDir(), id) }

func entryFile(id string) string { return filepath.Join(RunDir(), id+".json") }

// Labs lists the labs of this machine, also those whose process was killed.
func Labs() ([]Entry, error) {
	files, err := os.ReadDir(RunDir())
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("list the labs of this machine, which root alone may: %w", err)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list the labs of this machine: %w", err)
	}
	var labs []Entry
	for _, f := range files {
		id, is := strings.CutSuffix(f.Name(), ".json")
		if !is {
			continue
		}
		data, err := os.ReadFile(entryFile(id))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed in this moment
		}
		if err != nil {
			return nil, err
		}
		var e Entry
		if json.Unmarshal(data, &e) != nil {
			continue // not one of ours
		}
		e.ID = id
		if e.Running, err = lives(e.ID); err != nil {
			return nil, err
		}
		e.Own = e.Process == process
		labs = append(labs, e)
	}
	sort.Slice(labs, func(i, j int) bool { return labs[i].Made.Before(labs[j].Made) })
	return labs, nil
}

// Sweep undoes and removes what killed processes left behind: kept labs stay.
func Sweep(ctx context.Context) error {
	r, err := Restore(ctx, Restoring{Say: func(string) {}})
	for _, line := range r.Forgotten {
		warn(line)
	}
	if err != nil {
		return err
	}
	labs, err := Labs()
	if err != nil {
		return err
	}
	for _, e := range labs {
		if !e.Kept && !e.Running {
			err = errors.Join(err, remove(ctx, e))
		}
	}
	return errors.Join(err, clearUnfinished(ctx))
}

// clearUnfinished removes entries whose writers were killed.
func clearUnfinished(ctx context.Context) error {
	if _, err := os.Stat(RunDir()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(RunDir(), "*"+unfinished))
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return errors.Join(err, clearSockets(), clearDead())
}

// Down removes kept labs and what killed processes left: the one with this ID,
// or all of them. The lab of a running process is its own; naming it is an
// error.
func Down(ctx context.Context, id string, all bool) ([]string, error) {
	labs, err := Labs()
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, e := range labs {
		if !all && e.ID != id {
			continue
		}
		if e.Running && !e.Kept {
			if all {
				continue
			}
			return gone, fmt.Errorf("lab %s belongs to the running process %d; end that one", e.ID, e.PID)
		}
		if err := remove(ctx, e); err != nil {
			return gone, err
		}
		gone = append(gone, e.ID)
	}
	if all {
		return gone, clearUnfinished(ctx)
	}
	if len(gone) == 0 {
		return nil, fmt.Errorf("there is no lab %q; weir lab list shows those there are", id)
	}
	return gone, nil
}

// remove removes a lab, its files while the registry is not locked, as these take as long as
// there are many, and its entry last. It stays where there are so many that whoever comes next is to
// go on.
func remove(ctx context.Context, e Entry) error {
	unlock, err := lockRegistry(ctx)
	if err != nil {
		return err
	}
	stray := endStrays(e.Spaces, e.PID)
	err = errors.Join(stray,
		netif.RemoveNamed(keptName(e.ID, "tester")),
		netif.RemoveNamed(keptName(e.ID, "dut")),
	)
	unlock()
	err = errors.Join(err, os.RemoveAll(labFolder(e.ID)))
	files := e.Folders.remove()
	left := errors.Is(files, errLeft)
	if !left {
		err = errors.Join(err, files)
	}
	if stray != nil {
		return err // whoever comes next tries again
	}
	unlock, locked := lockRegistry(ctx)
	defer unlock()
	if locked != nil {
		return errors.Join(err, locked)
	}
	err = errors.Join(err, e.leaveSession()) // with the entry, by which others of the session know of it
	if left {
		warn(fmt.Sprintf("the files of lab %s are so many that they are not removed after %v; whoever runs weir next goes on with that", e.ID, removalLimit))
		return errors.Join(err, Entry{ID: e.ID, PID: e.PID, Made: e.Made, Folders: e.Folders}.write())
	}
	if rm := os.Remove(entryFile(e.ID)); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}

// OwnPort reports whether a port of the calling thread's network namespace
// belongs to a lab that weir made.
func OwnPort(name string) (bool, error) {
	labs, err := Labs()
	if err != nil {
		return false, err
	}
	here, err := os.Stat("/proc/thread-self/ns/net")
	if err != nil {
		return false, err
	}
	for _, e := range labs {
		for _, path := range []string{e.Tester, e.DUT} {
			there, err := os.Stat(netif.FileOf(path))
			if err != nil || !os.SameFile(here, there) {
				continue
			}
			for _, p := range e.Ports {
				if name == p.Tester || name == p.DUT {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
