package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"weir/internal/netif"
	"weir/internal/settings"
)

// What a host of this machine does itself (settings.Native).
const (
	recallPort  = "recall" // a port is where it was changed, with the name that it had then
	returnPort  = "return" // a port comes back, with its name and without its mark
	forgetSpace = "forget" // a network namespace loses its name, where nothing of others would go with it
)

var natives = map[string]func(settings.Native) error{recallPort: recall, returnPort: comeBack, forgetSpace: forget}

// Native does it in the host's namespace.
func (h nsHost) Native(_ context.Context, n settings.Native) error {
	do, known := natives[n.Do]
	if !known {
		return fmt.Errorf("this weir does not know how to %s %s", n.Do, n.Name)
	}
	return h.do(func() error { return do(n) })
}

// recall has a port of the calling thread's namespace with its name where it was changed. One
// that its owner has brought back stays there.
func recall(n settings.Native) error {
	if n.In == "" {
		return bringHere(n)
	}
	if err := portOf(n).Find(); !errors.Is(err, settings.ErrGone) {
		return err
	}
	space, err := enterSpace(n.In)
	if err != nil {
		return err
	}
	defer space.Close()
	return space.Do(func() error { return bringHere(n) })
}

// comeBack has a port in the calling thread's namespace again, as its owner had it there.
func comeBack(n settings.Native) error {
	if err := bringHere(n); err != nil {
		return err
	}
	return portOf(n).Unmark()
}

func portOf(n settings.Native) netif.Marked { return netif.Marked{Name: n.Name, Mark: n.Mark} }

// bringHere brings a port into the calling thread's namespace, where it may be already, with its
// name. It is settings.ErrGone where no namespace has it.
func bringHere(n settings.Native) error {
	err := portOf(n).Find()
	if errors.Is(err, settings.ErrGone) {
		err = moveHere(n)
	}
	if err != nil {
		return err
	}
	return nameAgain(n)
}

func nameAgain(n settings.Native) error {
	was, err := portOf(n).Rename(n.In != "") // where it comes back it is set up again
	if err == nil && was != "" {
		warn(fmt.Sprintf("somebody has called the port %s %s while a tester had it; it has its name again", n.Name, was))
	}
	return err
}

// moveHere moves a port into the calling thread's namespace from where it is.
func moveHere(n settings.Native) error {
	here, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer here.Close()
	move := func(from *netif.Namespace) error {
		defer from.Close()
		return from.Do(func() error {
			if err := nameAgain(n); err != nil {
				return err
			}
			return portOf(n).Move(int(here.Fd()))
		})
	}
	if n.In != "" {
		from, err := enterSpace(n.In)
		if err == nil {
			err = move(from)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, settings.ErrGone) {
			return err
		}
	}
	for _, file := range netif.Spaces() { // others may have moved it
		from, err := netif.OpenNamespace(file)
		if err != nil {
			continue // it is gone, or is a file alone
		}
		if err := move(from); !errors.Is(err, settings.ErrGone) {
			if err == nil {
				warn(fmt.Sprintf("somebody has moved the port %s to another network namespace while a tester had it; it is back, without what the kernel forgets of a port that is moved", n.Name))
			}
			return err
		}
	}
	return settings.ErrGone
}

// forget takes a name from a network namespace, unless something that weir has not made is
// still in one of some, with which it would go.
func forget(n settings.Native) error {
	if _, err := os.Lstat(netif.FileOf(netif.NamedPath(n.Name))); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return settings.ErrGone
		}
		return err
	}
	for _, name := range n.Spaces {
		space, err := enterSpace(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = space.Do(func() error {
			foreign, err := netif.Foreign(n.Own)
			if err == nil && foreign != "" {
				err = fmt.Errorf("%s is still in a network namespace that would go with the name %s", foreign, n.Name)
			}
			return err
		})
		space.Close()
		if err != nil {
			return err
		}
	}
	return netif.RemoveNamed(n.Name)
}
