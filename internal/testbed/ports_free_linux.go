package testbed

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/locks"
	"weir/internal/netif"
)

// own finds the ports, says which of them a tester cannot have, and keeps other weirs
// from them.
func (p *Ports) own(c PortsConfig) (names []string, err error) {
	p.local = true
	for _, said := range c.Ports {
		name, err := netif.FindPort(said)
		if err != nil {
			return nil, fmt.Errorf("%w%s", err, p.elsewhere(said))
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("%s and another name are the same port, %s: what leaves through a port comes back through another one", said, name)
		}
		names = append(names, name)
		if err := p.lock(name); err != nil { // before an XDP program of another weir is taken for somebody's
			return nil, err
		}
		if err := free(name, c); err != nil {
			return nil, err
		}
		virtual, err := netif.Virtual(name)
		if err != nil {
			return nil, err
		}
		p.local = p.local && virtual
	}
	return names, nil
}

// elsewhere says whose namespace a port is in that another weir has taken.
func (p *Ports) elsewhere(name string) string {
	labs, _ := Labs()
	for _, e := range labs {
		if e.Running && slices.ContainsFunc(e.Ports, func(o weir.Port) bool { return o.Tester == name }) {
			return fmt.Sprintf("; process %d measures with it: wait for its end", e.PID)
		}
	}
	return ""
}

// free says why a tester cannot have a port.
func free(name string, c PortsConfig) error {
	if !c.Uplinks {
		why, leads, err := netif.Uplink(name)
		if err != nil {
			return err
		}
		if leads {
			return fmt.Errorf("refused: %s %s, and test traffic would flood the network behind it; use another port, or say {allow: default route}", name, why)
		}
	}
	used, err := netif.InUse(name)
	if err != nil {
		return err
	}
	if used != "" {
		return fmt.Errorf("refused: %s %s", name, used)
	}
	talks, err := netif.Connected(name)
	if err != nil {
		return err
	}
	if talks != "" {
		return fmt.Errorf("refused: %s carries the connection %s of this machine, which would break off; use another port", name, talks)
	}
	if c.Isolate {
		if own, err := netif.OwnQueueing(name); err != nil || own {
			return errors.Join(err, fmt.Errorf("refused: %s has a queueing discipline that somebody set, and would lose it in a namespace of its own: tc qdisc delete dev %s root, or {isolate: no}", name, name))
		}
	}
	return nil
}

// lock keeps other weirs from a port until Close.
func (p *Ports) lock(name string) error {
	index, err := netif.Index(name)
	if err != nil {
		return err
	}
	here, err := spaceHere()
	if err != nil {
		return err
	}
	file := fmt.Sprintf("%d-%d", here.Cookie, index)
	release, err := locks.Claim(filepath.Join(portsDir, file), func() error { return makeOwn(portsDir, 0o700) })
	if errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission) {
		release, err = locks.Claim(filepath.Join(ownPortsDir(), file), func() error {
			if err := MakeRunDir(); err != nil {
				return err
			}
			return makeOwn(ownPortsDir(), 0o700)
		})
	}
	var taken *locks.TakenError
	if errors.As(err, &taken) {
		return fmt.Errorf("another weir measures with the port %s: wait for its end (%s)", name, taken.By)
	}
	if err != nil {
		return fmt.Errorf("keep others from the port %s: %w", name, err)
	}
	p.undo.AddClose(func() error {
		release()
		leaveRunDir() // when it was the last one
		return nil
	})
	return nil
}
