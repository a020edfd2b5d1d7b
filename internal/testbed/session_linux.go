package testbed

import (
	"context"
	"os"

	"weir/internal/netif"
)

// Labs of one session, which several processes or one may have opened, share
// how that session has the CPU: it goes first as long as one of them is measured.
// Each lab's entry has how the session was before the first of them, so that
// whichever ends last restores that, or whoever clears it away.

// goesFirst is the environment variable that keeps a session from going first where it is
// "no". A session that does takes 87 times as much of a CPU as the kernel's own workers,
// which have no session: programs that never sleep hold these up for minutes.
const goesFirst = "WEIR_GOES_FIRST"

// enter makes the lab known as it is.
func (l *Netns) enter(ctx context.Context) error {
	unlock, err := lockRegistry(ctx)
	defer unlock()
	if err != nil {
		return err
	}
	if !l.keep {
		if l.spaces, err = l.inhabited(); err != nil {
			return err
		}
	}
	return l.register()
}

// sessionBefore is how the session of this process was before all labs that are
// in the registry but the one of this ID: as it is now, or as another lab found it that let it go first.
// None when it goes first for another reason, which is nobody's here to undo, and where
// the environment asks to leave sessions as they are.
func sessionBefore(id string) (netif.Autogroup, error) {
	if os.Getenv(goesFirst) == "no" {
		return netif.Autogroup{}, nil
	}
	is, err := netif.OwnAutogroup()
	if err != nil || !is.Foremost() {
		return is, err
	}
	labs, err := Labs()
	if err != nil {
		return netif.Autogroup{}, err
	}
	for _, e := range labs { // also that of a killed process
		if e.ID != id && e.Session.Name == is.Name {
			return e.Session, nil
		}
	}
	return netif.Autogroup{}, nil
}

// leaveSession restores the session of a lab that ends, unless another one is
// measured in it.
func (e Entry) leaveSession() error {
	if e.Session.Name == "" {
		return nil
	}
	labs, err := Labs()
	if err != nil {
		return err
	}
	for _, other := range labs {
		if other.ID != e.ID && other.Running && other.Session.Name == e.Session.Name {
			return nil
		}
	}
	return e.Session.Restore()
}
