package testbed

import (
	"context"

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

// space makes a namespace for ports, which outlives weir by its name.
func (p *Ports) space(ctx context.Context, here weir.Host, name string) (own portPlace, err error) {
	if own.ns, err = netif.NewNamespace(); err != nil {
		return own, err
	}
	p.undo.AddClose(func() error { own.ns.Close(); return nil })
	if own.host, err = furnish(own.ns); err != nil {
		return own, err
	}
	return own, p.keep(ctx, here, name, own.ns, own.host.Name())
}

// keep gives a namespace a name, until spaces have nothing in them but what weir made.
func (p *Ports) keep(ctx context.Context, here weir.Host, name string, ns *netif.Namespace, spaces ...string) error {
	forget := ip("netns", "delete", name)
	forget.Native = &settings.Native{Do: forgetSpace, Name: name, Spaces: spaces, Own: p.ownLinks()}
	forget.Hand = forget.String() + " # when nothing of yours is in it"
	return p.undo.Do(ctx, here, settings.Func(func() error { return ns.Keep(name) }), forget)
}

// mark gives a port another name, by which it is found whatever others call it and wherever they
// move it, and has it in a namespace of the tester's; nil: it stays.
func (p *Ports) mark(ctx context.Context, here weir.Host, port string, in *portPlace, space, home string) error {
	n := settings.Native{Do: returnPort, First: recallPort, Name: port, Mark: p.ownLinks() + "-" + port, Last: true}
	var to *netif.Namespace
	back := ip("link", "property", "del", "dev", port, "altname", n.Mark)
	if in != nil {
		n.In, to = in.host.Name(), in.ns
		back.Hand = ip("-n", space, "link", "set", "dev", port, "netns", home).String() + "; " + back.String()
	}
	back.Native = &n
	return p.undo.Try(ctx, here, settings.Func(func() error { return portOf(n).Take(to) }), back)
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
