package lab

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/service"
	"weir/internal/settings"
	"weir/internal/workload"
)

const (
	// accessDevice is the tun device of a session, at both of its ends.
	accessDevice = "ppp0"
	// accessUser is who the client says that it is; its secret is another one each time.
	accessUser = "weir"
)

// cannotAccess says why an end host cannot be connected as a condition asks for. It
// changes nothing.
func (l *netnsLab) cannotAccess(c weir.Condition) error {
	switch a := c.Access(); {
	case a.PPPoE == "" || a.PPPoE == weir.Userland:
	case a.PPPoE == weir.KernelPPP && l.ends == nil:
		return weir.Wrong("test frames do not go through sessions of {pppoe: %s}, yet", a.PPPoE).Advise("take {pppoe: %s}, or programs of end hosts", weir.Userland)
	case a.PPPoE == weir.KernelPPP:
		return kernelPPP()
	case a.PPPoE == weir.XDP:
		if err := l.cannotInDriver(c); err != nil {
			return err
		}
	default:
		return fmt.Errorf("nothing moves the octets of PPPoE sessions that is called %q; there are: %s, %s, %s", a.PPPoE, weir.Userland, weir.XDP, weir.KernelPPP)
	}
	return nil
}

// setAccess connects the near end host as a condition asks for, or opens the sessions that
// test frames go through.
func (l *netnsLab) setAccess(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	if err := l.cannotAccess(c); err != nil || c.Access().PPPoE == "" {
		return nil, err
	}
	line := &accessLine{ends: l.lineEnds(c.Access())}
	if n := l.manySessions(); n > 1 {
		line.crowd = crowded(&line.ends, n)
	}
	if line.ends[0].bare {
		if err := l.apart(ctx, line); err != nil {
			return line.hangUp, err
		}
	}
	if c.Access().PPPoE == weir.XDP {
		if err := l.takePast(line); err != nil {
			return line.hangUp, err
		}
	}
	dial := line.dial
	switch {
	case line.crowd != nil:
		dial = line.dialMany
	case c.Access().PPPoE == weir.KernelPPP:
		dial = func(ctx context.Context) error { return line.dialKernel(ctx, l.bed.Folder()) }
	}
	if err := dial(ctx); err != nil {
		return line.hangUp, err
	}
	l.line = line
	if l.ends == nil {
		return func(ctx context.Context) error { // frames come through in the trials, or do not
			l.line = nil
			return line.hangUp(ctx)
		}, nil
	}
	l.ends.path.Line = line.workloadEnds()
	hangUp := func(ctx context.Context) error {
		l.line, l.ends.path.Line = nil, nil
		return line.hangUp(ctx)
	}
	for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
		if err := l.ends.path.ProveMTU(ctx, f, line.mtu); err != nil {
			return hangUp, fmt.Errorf("prove the session: %w", err)
		}
	}
	return hangUp, nil
}

// accessLine is a session of PPPoE between two places of a lab, with routes that lead
// through it.
type accessLine struct {
	ends [2]lineEnd // the client, and the concentrator
	mtu  int        // of the session, what the ports carry less the eight octets of its headers
	undo settings.Undo

	sessions []frame.Session // for test frames; none for the datagrams of end hosts
	crowd    *crowd          // of which each has one of them; nil: there is one session
}

// lineEnd is one end of it.
type lineEnd struct {
	name    string // for people
	place   agent.Place
	port    string
	driver  string              // the port itself, where that is a device over it; "": it is none
	past    *endhost.PastAccess // the way of data frames past its program; nil: there is none
	dut     bool                // whether it is the DUT, and no end host
	bare    bool                // whether it keeps the session up, and test frames go through: nothing is led there
	mac     string              // of its port, if so
	own     map[weir.Family]netip.Addr
	behind  []netip.Prefix // what is reached through the session
	routes  string         // attributes of the routes to that
	plain   string         // what ip(8) is told that sets the end back to IP
	agent   *agent.Agent
	service *service.Service // in place of that, where the kernel has the session
}

// lineEnds are where the ends of a session are: the client is the near end host, or the
// tester, and the concentrator the DUT. Of two end hosts on a cable each may be either.
func (l *netnsLab) lineEnds(a weir.Access) [2]lineEnd {
	if l.ends == nil {
		client := l.bareEnd()
		return [2]lineEnd{client, l.concentrator(client, l.bed.TestPorts()[0], 0)}
	}
	hosts := l.bed.Ends()
	near := l.ends.lineEnd(hosts[0], 0)
	if l.platform == nil {
		far := l.ends.lineEnd(hosts[1], 1)
		if a.Concentrator == weir.Near {
			return [2]lineEnd{far, near}
		}
		return [2]lineEnd{near, far}
	}
	return [2]lineEnd{near, l.concentrator(near, hosts[0].Port, len(l.bed.TestPorts()))}
}

// concentrator is the DUT as the other end of a client's line, at its port of a number.
func (l *netnsLab) concentrator(client lineEnd, port weir.Port, number int) lineEnd {
	dut := lineEnd{
		name: "DUT", dut: true, place: agent.Place{Host: l.bed.DUT().Host, CPUs: l.bed.CPUs().DUT}, port: port.DUT,
		own: map[weir.Family]netip.Addr{},
	}
	for f, own := range client.own {
		dut.own[f] = frame.RouterAddr(f, number)
		dut.behind = append(dut.behind, host(own))
	}
	return dut
}

// workloadEnds are the ends for programs that have subscribers on the line.
func (l *accessLine) workloadEnds() *[2]workload.End {
	var out [2]workload.End
	for i, e := range l.ends {
		out[i] = workload.End{Host: e.place.Host, CPUs: e.place.CPUs, Port: e.port, Self: e.place.Self}
	}
	return &out
}

// host is an address as a network of its own.
func host(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// dial has the ends set a session up, and gives both what they need to use it.
func (l *accessLine) dial(ctx context.Context) error {
	client, concentrator := &l.ends[0], &l.ends[1]
	secret := rand.Text()
	err := l.start(ctx, concentrator, "pppoe-concentrator", endhost.AccessConcentrator{
		Access: endhost.Access{Port: concentrator.port, Device: accessDevice, XDP: concentrator.past}, Name: concentrator.name, Address: concentrator.own[weir.IPv4],
		Secrets: fmt.Sprintf("%s %s %s", accessUser, secret, client.own[weir.IPv4]),
	}, nil)
	if err != nil {
		return err
	}
	var there, here endhost.AccessSession
	err = l.start(ctx, client, "pppoe-client", endhost.AccessClient{
		Access: endhost.Access{Port: client.port, Device: accessDevice, XDP: client.past}, User: accessUser, Secret: secret, Urgent: client.bare,
	}, &here)
	if err != nil {
		return err
	}
	if err := concentrator.agent.Ask(ctx, "session", nil, &there); err != nil {
		return err
	}
	if own := client.own[weir.IPv4]; here.Local != own || there.User != accessUser {
		return fmt.Errorf("the session is that of %q with the address %v, and not of %q with %v: does somebody else serve there?", there.User, here.Local, accessUser, own)
	}
	l.mtu = int(min(here.MRU, here.OwnMRU))
	if client.bare {
		if err := l.carry(here); err != nil {
			return err
		}
	}
	return l.leadAll(ctx)
}

// start starts the program at an end. It is plain: it runs where the programs of its host do.
func (l *accessLine) start(ctx context.Context, e *lineEnd, role string, settings, value any) (err error) {
	e.place.Env = []string{endhost.Env}
	if e.agent, err = agent.Start(ctx, e.place, role, settings, value); err != nil {
		return err
	}
	one := e.agent
	l.undo.Add(one.Stop)
	return nil
}

// lead gives an end's device its addresses, and the routes to what is behind the other end.
// They go with the device.
func (l *accessLine) lead(ctx context.Context, e *lineEnd) error {
	if e.plain != "" {
		l.undo.Add(func(ctx context.Context) error { return e.ip(ctx, e.plain) })
	}
	var batch strings.Builder
	fmt.Fprintf(&batch, "link set dev %s addrgenmode none\nlink set dev %[1]s mtu %d up\n", accessDevice, l.mtu)
	for f, a := range e.own {
		fmt.Fprintf(&batch, "address add %s dev %s%s\n", host(a), accessDevice, noDAD(f))
	}
	for _, network := range e.behind {
		fmt.Fprintf(&batch, "route replace %s dev %s%s\n", network, accessDevice, e.routes)
	}
	return e.ip(ctx, batch.String())
}

// leadAll does that at both ends, but not at one that test frames go through.
func (l *accessLine) leadAll(ctx context.Context) error {
	for i := range l.ends {
		if l.ends[i].bare {
			continue
		}
		if err := l.lead(ctx, &l.ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// ip has ip(8) do some things at an end.
func (e *lineEnd) ip(ctx context.Context, batch string) error {
	if _, err := e.place.Host.Run(ctx, batch, "ip", "-batch", "-"); err != nil {
		return fmt.Errorf("set the routes of the access line: %w", err)
	}
	return nil
}

// hangUp ends the session, and leads to its ends as before.
func (l *accessLine) hangUp(ctx context.Context) error { return l.undo.Run(ctx) }
