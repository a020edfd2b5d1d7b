package tester

import (
	"errors"
	"fmt"
	"net"

	"weir"
	"weir/frame"
	"weir/internal/xdp"
)

// sessions are those that a trial's frames go through; nil: none. Where it bypasses the
// DUT nobody has opened them. The list is the same one while they are the same.
func (t *XDP) sessions(trial weir.Trial) (*[]frame.Session, error) {
	n := trial.Traffic.Sessions
	if n <= 0 {
		return nil, nil
	}
	if trial.Bypass {
		return t.sessionsOfSelf(n)
	}
	if t.config.Sessions == nil {
		return nil, errors.New("this testbed has no PPPoE sessions that test frames could go through")
	}
	open := t.config.Sessions()
	if len(open) < n {
		return nil, fmt.Errorf("test frames in %d PPPoE sessions: there are %d", n, len(open))
	}
	if t.opened == nil || len(*t.opened) != n || &(*t.opened)[0] != &open[0] {
		open = open[:n]
		t.opened = &open
	}
	return t.opened, nil
}

// sessionsOfSelf are n sessions of the link from the tester to itself.
func (t *XDP) sessionsOfSelf(n int) (*[]frame.Session, error) {
	if t.unopened != nil && len(*t.unopened) == n {
		return t.unopened, nil
	}
	client, err := net.ParseMAC(t.config.Self.TesterMAC)
	if err != nil {
		return nil, err
	}
	concentrator, err := net.ParseMAC(t.config.Self.DUTMAC)
	all := frame.UnopenedSessions(n, client, concentrator)
	t.unopened = &all
	return t.unopened, err
}

// listed are the sessions of a list that may not be there.
func listed(sessions *[]frame.Session) []frame.Session {
	if sessions == nil {
		return nil
	}
	return *sessions
}

// comesInside reports whether the frames of a trial come to one of its receivers as the
// concentrator puts them into sessions: at port 0. Those that bypass the DUT come as they
// have left.
func (t *XDP) comesInside(trial weir.Trial, r *xdp.Receiver) bool {
	if trial.Bypass {
		return source(trial, 0) == 0
	}
	return r == t.receivers[0]
}
