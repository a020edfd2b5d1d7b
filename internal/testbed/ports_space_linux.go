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
func (p *Ports) space(ctx context.Context, here weir.Host, name string) (own portPlace, err error) {
	if err := p.undo.Do(ctx, here, ip("netns", "add", name), emptied(name, []string{name}, p.ownLinks())); err != nil {
		return own, err
	}
	if own.ns, err = netif.OpenNamespace(netif.NamedPath(name)); err != nil {
		return own, err
	}
	p.undo.AddClose(func() error { own.ns.Close(); return nil })
	own.host, err = furnish(own.ns)
	return own, err
}

// ownLinks begins the names of the links that weir makes beside the ports.
func (p *Ports) ownLinks() string { return "w" + p.id }

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

// emptied is the command that removes the name of a namespace, unless something that weir
// has not made is still in one of spaces, by whatever name, with which it would go, or it is
// not known what is in them: then it stays, and so does what has to be done. Weir's own links
// have names that begin so; the kernel makes some by itself.
func emptied(name string, spaces []string, own string) settings.Command {
	const script = `name=$1 spaces=$2 own=$3
named=$(ip netns list) || exit 1
for space in $spaces; do
	there=
	while read -r one rest; do
		[ "$one" != "$space" ] || there=yes
	done <<END
$named
END
	[ "$there" ] || continue
	links=$(ip -n "$space" -o link show) || exit 1
	while read -r number link rest; do
		link=${link%:}
		link=${link%@*}
		case $link in
		lo | "$own"* | tunl0 | gre0 | gretap0 | erspan0 | ip_vti0 | ip6_vti0 | sit0 | ip6tnl0 | ip6gre0) ;;
		*)
			echo "$link is still in the network namespace $space" >&2
			exit 1
			;;
		esac
	done <<END
$links
END
done
ip netns delete "$name"`
	return settings.Command{Argv: []string{"sh", "-c", script, "sh", name, strings.Join(spaces, " "), own}, Hand: "ip netns delete " + name, If: settings.Present{settings.Namespace(name)}}
}
