package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/audit"
	"weir/internal/netif"
	"weir/internal/testbed"
)

// auditedPlace is where an audit looks, and where it remembers what it changed.
type auditedPlace struct {
	host  weir.Host
	leave func() // it
	role  audit.Role
	file  string // of the memory
	flag  string // that names the place on a command line; "": none is needed
}

func (p auditedPlace) undo() string { return "weir audit --undo" + p.flag }

// reserve keeps others from changing things at this place meanwhile.
func (p auditedPlace) reserve() (release func(), err error) {
	dir := filepath.Dir(p.file)
	if err = testbed.MakeRunDir(); err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("a folder to remember changes in: %w", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another weir audit changes things here (%s): %w", dir, err)
	}
	return func() {
		os.Remove(dir) // when nothing is remembered
		os.Remove(filepath.Dir(dir))
		f.Close()
	}, nil
}

// auditPlace finds the place: a lab that is named, or one that weir was started
// in, or this machine. What is remembered of a lab goes with it.
func auditPlace(f auditFlags) (auditedPlace, error) {
	role := audit.Role(f.role)
	if role == "" {
		role = audit.DUT
	}
	here, err := os.Stat("/proc/self/ns/net")
	if err != nil {
		return auditedPlace{}, err
	}
	if f.lab != "" {
		path, err := namespaceOf(string(role), f.lab)
		if err != nil {
			return auditedPlace{}, err
		}
		ns, err := netif.OpenNamespace(path)
		if err != nil {
			return auditedPlace{}, err
		}
		p := inLab(f.lab, role, ns)
		p.leave = ns.Close
		return p, nil
	}
	labs, err := testbed.Labs()
	if err != nil && !errors.Is(err, fs.ErrPermission) { // those of root are none that this user is in
		return auditedPlace{}, err
	}
	for _, e := range labs {
		for side, path := range map[audit.Role]string{audit.DUT: e.DUT, audit.Tester: e.Tester} {
			if there, err := os.Stat(netif.FileOf(path)); err == nil && os.SameFile(here, there) {
				if f.role != "" {
					side = role
				}
				return inLab(e.ID, side, nil), nil
			}
		}
	}
	name, err := os.Hostname()
	if err != nil {
		return auditedPlace{}, err
	}
	// Devices belong to a network namespace, and so does what is remembered.
	ns, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return auditedPlace{}, err
	}
	file := filepath.Join(testbed.RunDir(), "audited", strings.Trim(strings.NewReplacer(":", "-", "[", "", "]", "").Replace(ns), "-")+".json")
	return auditedPlace{testbed.Machine(name, nil), func() {}, role, file, ""}, nil
}

// inLab is a side of a lab, in a namespace; nil: weir runs in it.
func inLab(lab string, role audit.Role, ns *netif.Namespace) auditedPlace {
	return auditedPlace{testbed.Machine(string(role)+" of lab "+lab, ns), func() {}, role,
		filepath.Join(testbed.RunDir(), lab, "audited", string(role)+".json"), fmt.Sprintf(" --lab %s --role %s", lab, role)}
}
