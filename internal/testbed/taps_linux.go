package testbed

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"weir/internal/netif"
)

// Taps are ports for a machine that is still to be started: tap devices in a network
// namespace of their own, which go with this process.
type Taps struct {
	Space *netif.Namespace
	Names []string
	Files [][]*os.File // their other ends, a file for each queue
}

// OpenTaps makes n of them, of so many queues each.
func OpenTaps(n, queues int) (_ *Taps, err error) {
	t := &Taps{}
	if t.Space, err = netif.NewNamespace(); err != nil {
		return nil, err
	}
	err = t.Space.Do(func() error {
		if err := netif.NoLinkLocal(); err != nil {
			return err
		}
		id := newID()
		for i := range n {
			name := fmt.Sprintf("w%st%d", id, i)
			files, err := netif.Tap(name, queues)
			if err != nil {
				return err
			}
			t.Names, t.Files = append(t.Names, name), append(t.Files, files)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Leave leaves the other ends to the machine that has them by now: the ports go with it.
func (t *Taps) Leave() (err error) {
	for _, f := range slices.Concat(t.Files...) {
		err = errors.Join(err, f.Close())
	}
	t.Files = nil
	return err
}

// Close ends the namespace, and with it what is left.
func (t *Taps) Close() error {
	err := t.Leave()
	t.Space.Close()
	return err
}

// MachineMAC is the address that a machine has at a port.
func MachineMAC(port int) string { return mac(0xdd, port) }
