package netif

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"weir/internal/settings"
)

// Marked is a port that is known by an alternative name, its mark, whatever it is called. A mark is
// what begins the names of its tester's own links, "-" and the name of the port.
type Marked struct{ Name, Mark string }

// own begins the names of the links that its tester has made.
func (m Marked) own() string {
	own, _, _ := strings.Cut(m.Mark, "-")
	return own
}

// Take gives a port of the calling thread's namespace its mark, and moves it into another
// namespace; nil: it stays.
func (m Marked) Take(to *Namespace) error {
	link, err := netlink.LinkByName(m.Name)
	if err == nil {
		err = netlink.LinkAddAltName(link, m.Mark)
	}
	if err == nil && to != nil {
		err = netlink.LinkSetNsFd(link, to.FD())
	}
	if err != nil {
		return fmt.Errorf("take the port %s: %w", m.Name, err)
	}
	return nil
}

// find is the port where it is in the calling thread's namespace; settings.ErrGone where it is not.
func (m Marked) find() (netlink.Link, error) {
	links, err := allLinks()
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if slices.Contains(link.Attrs().AltNames, m.Mark) {
			return link, nil
		}
	}
	return nil, settings.ErrGone
}

// Find is an error where the port is not in the calling thread's namespace: settings.ErrGone.
func (m Marked) Find() error {
	_, err := m.find()
	return err
}

// Move moves the port from the calling thread's namespace into that of a file descriptor.
func (m Marked) Move(to int) error {
	link, err := m.find()
	if err != nil {
		return err
	}
	if err := netlink.LinkSetNsFd(link, to); err != nil {
		return fmt.Errorf("move %s to another network namespace: %w", m.Name, err)
	}
	return nil
}

// Unmark takes the mark from the port, which is in the calling thread's namespace.
func (m Marked) Unmark() error {
	link, err := m.find()
	if err != nil {
		return err
	}
	if err := netlink.LinkDelAltName(link, m.Mark); err != nil {
		return fmt.Errorf("remove the name %s of %s: %w", m.Mark, m.Name, err)
	}
	return nil
}

// Rename gives the port, which is in the calling thread's namespace, its name back where somebody
// has changed it, and returns what it was called then. down says that it may be set down for a
// moment, which Linux before 6.2 needs.
func (m Marked) Rename(down bool) (was string, err error) {
	link, err := m.find()
	if err != nil {
		return "", err
	}
	is := link.Attrs().Name
	if is == m.Name {
		return "", nil
	}
	if other, err := netlink.LinkByName(m.Name); err == nil && hasMark(other, m.own()) { // of the same tester, whose turn comes
		if err := rename(other, fmt.Sprintf("%sx%d", m.own(), other.Attrs().Index), down); err != nil {
			return "", err
		}
	}
	if strings.HasPrefix(is, m.own()+"x") { // it is its turn
		return "", rename(link, m.Name, down)
	}
	return is, rename(link, m.Name, down)
}

func rename(link netlink.Link, name string, down bool) error {
	err := netlink.LinkSetName(link, name)
	if errors.Is(err, unix.EBUSY) && down {
		err = errors.Join(netlink.LinkSetDown(link), netlink.LinkSetName(link, name), netlink.LinkSetUp(link))
	}
	if err != nil {
		return fmt.Errorf("give %s the name %s: %w", link.Attrs().Name, name, err)
	}
	return nil
}

// hasMark reports whether a tester whose links' names begin so has marked a link.
func hasMark(link netlink.Link, own string) bool {
	return slices.ContainsFunc(link.Attrs().AltNames, func(mark string) bool { return strings.HasPrefix(mark, own+"-") })
}

// kernelLinks are the links that the kernel makes in each network namespace, as far as it has what
// they are for.
var kernelLinks = []string{"lo", "tunl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "sit0", "ip6tnl0", "ip6gre0"}

// Foreign is a link of the calling thread's namespace that neither the kernel has made nor the
// tester whose links' names begin so; "": there is none.
func Foreign(own string) (string, error) {
	links, err := allLinks()
	if err != nil {
		return "", err
	}
	for _, link := range links {
		name := link.Attrs().Name
		if hasMark(link, own) || !slices.Contains(kernelLinks, name) && !strings.HasPrefix(name, own) {
			return name, nil
		}
	}
	return "", nil
}

// allLinks are the links of the calling thread's namespace, all of one moment.
func allLinks() (links []netlink.Link, err error) {
	for range 100 { // others may make some and remove them
		if links, err = netlink.LinkList(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list the network interfaces: %w", err)
	}
	return links, nil
}
