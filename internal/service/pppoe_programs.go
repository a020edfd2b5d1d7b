package service

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"weir/internal/settings"
)

// PPPoEProgram is an end of a PPPoE line that people run.
type PPPoEProgram struct {
	Name   string
	System string // as uname(1) says it
	Server bool   // it is the concentrator, and a client otherwise
	// Documented says that its configuration is made of what its documentation says alone:
	// it was not run yet.
	Documented bool
	// Configured is what is started for a line.
	Configured func(PPPoE) (Program, error)
}

// PPPoEPrograms is the table of them.
var PPPoEPrograms = []PPPoEProgram{
	{"pppd", "Linux", false, false, PPPD},
	{"rp-pppoe", "Linux", true, false, PPPDServer},
	{"accel-ppp", "Linux", true, true, AccelPPP},
	{"ppp", "FreeBSD", false, true, UserPPP},
	{"pppoed", "FreeBSD", true, true, UserPPPServer},
	{"mpd5", "FreeBSD", false, true, MPD},
	{"mpd5", "FreeBSD", true, true, MPDServer},
}

// Start starts the program at a place, and has undo stop it and remove what it needed. The
// error is a *weir.UnsupportedError when it is not installed.
func (p PPPoEProgram) Start(ctx context.Context, at Place, l PPPoE, undo *settings.Undo) (*Service, error) {
	if err := l.check(p.Server); err != nil {
		return nil, fmt.Errorf("configure %s: %w", p.Name, err)
	}
	program, err := p.Configured(l)
	if err != nil {
		return nil, fmt.Errorf("configure %s: %w", p.Name, err)
	}
	if at.Folder == "" { // nobody else removes what has secrets in it, where the host outlives weir
		at.Folder = "/tmp/weir-pppoe-" + rand.Text()
		mkdir, remove := settings.Command{Argv: []string{"mkdir", "-m", "700", at.Folder}}, settings.Command{Argv: []string{"rm", "-rf", at.Folder}}
		if err := undo.Do(ctx, at.Host, mkdir, remove); err != nil {
			return nil, fmt.Errorf("configure %s: %w", p.Name, err)
		}
	}
	s, err := configured(ctx, at, program)
	if err != nil {
		return nil, err
	}
	undo.Add(s.clear)
	if p.System == "FreeBSD" && s.Instead != "" { // where a program has no mounts of its own, all see its folder there
		mount := settings.Command{Argv: []string{"mount_nullfs", "-o", "ro", s.Folder, s.Instead}}
		if err := undo.Do(ctx, at.Host, mount, settings.Command{Argv: []string{"umount", s.Instead}}); err != nil {
			return nil, fmt.Errorf("configure %s: %w", p.Name, err)
		}
		s.Instead = ""
	}
	if err := s.Run(ctx); err != nil {
		return nil, err
	}
	undo.Add(s.end)
	return s, nil
}

// check says what of a description a program cannot be told.
func (l PPPoE) check(server bool) error {
	errs := []error{l.told()}
	lacks := func(is bool, what string) {
		if is {
			errs = append(errs, errors.New(what))
		}
	}
	lacks(l.Interface == "", "the line has no interface")
	lacks(len(l.Proofs) == 0, "the line has no proof by which users say who they are: chap, pap")
	if server {
		lacks(l.Name == "", "a concentrator has a name")
		lacks(!l.Local.Is4() || !l.Pool.Is4() || l.Sessions <= 0, "a concentrator has an IPv4 address of its own, and a pool of them")
	} else {
		lacks(len(l.Users) != 1, fmt.Sprintf("a client is one user, and not %d", len(l.Users)))
	}
	return errors.Join(errs...)
}
