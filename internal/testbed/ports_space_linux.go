package testbed

import (
	"context"
	"strings"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
)

// portPlace is a namespace in which ports are while they are the tester's.
type portPlace struct {
	ns   *netif.Namespace
	host weir.Host // by a name that Restore knows
}

// of is where a port is.
func (p *Ports) of(port string) portPlace { return p.places[port] }

// HostOf is the namespace that a port of the tester's is in, as a place to run commands.
func (p *Ports) HostOf(port string) weir.Host { return p.of(port).host }

// Do runs f on a thread of the namespace that a port of the tester's is in.
func (p *Ports) Do(port string, f func() error) error { return p.of(port).ns.Do(f) }

// space makes a namespace for ports.
func (p *Ports) space(ctx context.Context, here weir.Host, name string, ports []string) (own portPlace, err error) {
	if err := p.undo.Do(ctx, here, ip("netns", "add", name), emptied(name, []string{name}, ports)); err != nil {
		return own, err
	}
	if own.ns, err = netif.OpenNamespace(netif.NamedPath(name)); err != nil {
		return own, err
	}
	p.undo.AddClose(func() error { own.ns.Close(); return nil })
	own.host, err = furnish(own.ns)
	return own, err
}

// alone has the ports in the namespace that they are in, which is theirs.
func (p *Ports) alone(c PortsConfig, names []string) (err error) {
	if p.Tester, err = netif.OpenNamespace(c.Space.Path()); err != nil {
		return err
	}
	p.undo.AddClose(func() error { p.Tester.Close(); return nil })
	host, err := furnish(p.Tester)
	if err != nil {
		return err
	}
	for _, name := range names {
		p.places[name] = portPlace{p.Tester, host}
	}
	if !c.Apart {
		return p.loop(c.MTU)
	}
	far, err := netif.NewNamespace()
	if err != nil {
		return err
	}
	p.undo.AddClose(func() error { far.Close(); return nil })
	other, err := furnish(far)
	if err != nil {
		return err
	}
	for i := 1; i < len(names); i += 2 { // they go with their namespace, and need not come back
		if _, err := host.Run(context.Background(), "", "ip", "link", "set", "dev", names[i], "netns", far.Path()); err != nil {
			return err
		}
		p.places[names[i]] = portPlace{far, other}
	}
	return nil
}

// furnish makes a namespace of the tester's own one, and returns it as a place to run
// commands.
func furnish(ns *netif.Namespace) (host weir.Host, err error) {
	err = ns.Do(func() (err error) {
		if err = netif.SetUp("lo"); err == nil {
			err = netif.NoLinkLocal()
		}
		if err == nil {
			err = netif.OwnAnswersOnly()
		}
		if err == nil {
			host, err = Here()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return Machine(host.Name(), ns), nil
}

// emptied is the command that removes the name of a namespace, unless a port is still in
// one of spaces, with which it would go: then it stays, and so does what has to be done.
func emptied(name string, spaces, ports []string) settings.Command {
	const script = `name=$1 spaces=$2
shift 2
for port in "$@"; do
	for space in $spaces; do
		if ip -n "$space" link show dev "$port" >/dev/null 2>&1; then
			echo "$port is still in the network namespace $space" >&2
			exit 1
		fi
	done
done
ip netns delete "$name"`
	return settings.Command{Argv: append([]string{"sh", "-c", script, "sh", name, strings.Join(spaces, " ")}, ports...)}
}
