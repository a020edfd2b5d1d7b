package plan

import (
	"fmt"
	"net/netip"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// Witness is a switch between the ports and the box, or the box itself, that says by
// SNMP what it dropped.
type Witness struct {
	SNMP       netip.Addr
	Community  string
	Interfaces []string // by number (ifIndex) or name (ifName, ifDescr)
}

// Network is what the tester and the DUT are called at a port.
type Network struct {
	Tester, Tester6 netip.Prefix // the tester's address, in the network of the link
	Router, Router6 netip.Addr   // the DUT's, to which frames of other networks go
}

// mostPorts is how many ports a tester may have.
const mostPorts = 2 * frame.MaxPairs

// networkBits is the length of a link's prefix of IPv4, where a plan does not say.
const networkBits = 24

// What may be asked for in words, as it is refused otherwise.
const (
	allowDefaultRoute   = "default route"
	allowAnyDestination = "any destination"
)

// portFields are the fields of a testbed of kind ports.
func (r *reader) portFields(t *Testbed) []field {
	t.Isolate = true
	return []field{
		scalarList("ports", &t.Ports, asWritten).
			means("pairs of ports, the first with the second and so on: by name, Ethernet address or PCI address (`0000:03:00.1`, or `03:00.1`); `ssh://t1/eth1` is one of [another machine](labs.md#testers-ports-on-other-machines)", "has to be there, or `near` and `far`"),
		r.networksField(t).
			means("one for each port: `{tester: 198.18.0.2/24, router: 198.18.0.1, tester6: ..., router6: ...}`", "those of RFC 2544 and RFC 5180"),
		scalarField("isolate", &t.Isolate, schema.Bool).
			means("the ports are in a network namespace of their own meanwhile: nothing else on this machine sends through them, and no answer takes another way", "`yes`"),
		custom("allow", func() schema.Shape { return schema.ListOf(schema.Choice(allowDefaultRoute, allowAnyDestination)) }, func(r *reader, n node) {
			r.list(n, "allow", func(item node) {
				word := ""
				oneOf("allow", &word, allowDefaultRoute, allowAnyDestination).read(r, item)
				t.AllowDefaultRoute = t.AllowDefaultRoute || word == allowDefaultRoute
				t.AllowAnyDestination = t.AllowAnyDestination || word == allowAnyDestination
			})
		}).means("what is refused otherwise: `default route`, a port that leads to the networks that this machine lives on; `any destination`, frames to other networks than 198.18.0.0/15 and 2001:2::/48, those of `routes` among them", "nothing"),
		witnessField(&t.Witness).
			means("`{snmp: 192.0.2.10, community: public, interfaces: [1, 2]}`: a [switch that says](ports.md#a-switch-as-a-witness) what it dropped", "none"),
		endHostField(0, &t.Hosts[0]),
		endHostField(1, &t.Hosts[1]),
		endsField(t),
		cpusField(t),
	}
}

// networksField describes the networks of ports.
func (r *reader) networksField(t *Testbed) field {
	shape := func() schema.Shape { return schema.ListOf(objectOf("a network", networkFields(&Network{})...)) }
	return custom("networks", shape, func(r *reader, n node) {
		r.list(n, "networks", func(item node) { t.Networks = append(t.Networks, r.network(item, len(t.Networks))) })
	})
}

// mostWitnessed is how many interfaces of a witness are read: two for each pair.
const mostWitnessed = mostPorts

// witnessField describes who is asked what was dropped on the way.
func witnessField(w *Witness) field {
	const example = "{snmp: 192.0.2.10, community: public, interfaces: [1, 2]}"
	fields := []field{
		scalarField("snmp", &w.SNMP, familyAddress(netip.Addr.IsValid, "IP", "192.0.2.10")).means("its address", "").needed(),
		scalarField("community", &w.Community, schema.Line).means("of SNMP", "`public`"),
		scalarList("interfaces", &w.Interfaces, asWritten).means("those that the frames go through, by number or name", "").needed(),
	}
	return custom("witness", func() schema.Shape { return objectOf("a witness", fields...) }, func(r *reader, n node) {
		w.Community = "public"
		before := len(r.mistakes)
		r.object(n, "a witness", fields...)
		for _, name := range repeated(w.Interfaces) {
			r.wrong(n, "the interface %s of the witness is there twice: its drops would be counted twice", name)
		}
		switch {
		case len(r.mistakes) > before:
		case !w.SNMP.IsValid():
			r.wrong(n, "which address has the witness? %s, say", example)
		case len(w.Interfaces) == 0 || len(w.Interfaces) > mostWitnessed:
			r.wrong(n, "%d interfaces of the witness: name those that the frames go through, 1 to %d: %s", len(w.Interfaces), mostWitnessed, example)
		}
	})
}

// networkFields are the fields of a network: the tester's addresses, then the router's.
func networkFields(to *Network) []field {
	return []field{
		scalarField("tester", &to.Tester, familyPrefix(netip.Addr.Is4, "IPv4", "198.18.0.2/24")).means("the tester's address with the length of its prefix", "that of RFC 2544"),
		scalarField("router", &to.Router, familyAddress(netip.Addr.Is4, "IPv4", "198.18.0.1")).means("the box's address", "that of RFC 2544"),
		scalarField("tester6", &to.Tester6, familyPrefix(netip.Addr.Is6, "IPv6", "2001:2:0:1::2/64")).means("as `tester`, of IPv6", "that of RFC 5180"),
		scalarField("router6", &to.Router6, familyAddress(netip.Addr.Is6, "IPv6", "2001:2:0:1::1")).means("as `router`, of IPv6", "that of RFC 5180"),
	}
}

// network reads the networks of a port. What is left out is that of the benchmarks.
func (r *reader) network(n node, port int) Network {
	if r.cable {
		out := cableNetwork(min(port, 1))
		fields := networkFields(&out)
		r.object(n, "a network without a router", fields[0], fields[2])
		return out
	}
	out := networkOf(port)
	r.object(n, "a network", networkFields(&out)...)
	for _, pair := range []struct {
		tester netip.Prefix
		router netip.Addr
	}{{out.Tester, out.Router}, {out.Tester6, out.Router6}} {
		switch {
		case !pair.tester.Contains(pair.router):
			r.wrong(n, "the router %v is not in the network of the tester's address %v: no frame gets from one to the other", pair.router, pair.tester)
		case pair.tester.Addr() == pair.router:
			r.wrong(n, "the router and the tester have the same address, %v", pair.router)
		}
	}
	return out
}

// fillNetworks gives each port the network that a plan leaves out, and each end of a cable the
// other's address in place of a router's.
func (r *reader) fillNetworks(t *Testbed) {
	for i := len(t.Networks); i < t.sideCount(); i++ {
		t.Networks = append(t.Networks, r.usualNetwork(i))
	}
	if r.cable && len(t.Networks) == 2 {
		for i := range t.Networks {
			own, other := &t.Networks[i], t.Networks[1-i]
			own.Router, own.Router6 = other.Tester.Addr(), other.Tester6.Addr()
		}
	}
}

// usualNetwork is the network of a port where a plan does not say otherwise.
func (r *reader) usualNetwork(port int) Network {
	if r.cable {
		return cableNetwork(min(port, 1))
	}
	return networkOf(port)
}

// networkOf is the network of a port behind a router where a plan does not say otherwise: of those
// for benchmarks, with the DUT at node 1 and the tester at node 2 (RFC 2544 appendix
// C.2.2).
func networkOf(port int) Network {
	return Network{
		Tester: netip.PrefixFrom(frame.TesterAddr(weir.IPv4, port), networkBits), Router: frame.RouterAddr(weir.IPv4, port),
		Tester6: netip.PrefixFrom(frame.TesterAddr(weir.IPv6, port), frame.Network(weir.IPv6, 0).Bits()), Router6: frame.RouterAddr(weir.IPv6, port),
	}
}

// familyPrefix is an address with the length of its prefix.
func familyPrefix(is func(netip.Addr) bool, family, example string) schema.Word[netip.Prefix] {
	return schema.Custom(schema.Text, func(s string) (netip.Prefix, error) {
		p, err := netip.ParsePrefix(s)
		if err != nil || !is(p.Addr()) {
			return p, fmt.Errorf("%q is no %s address with the length of its prefix, such as %s", s, family, example)
		}
		return p, nil
	})
}

// familyAddress is an address.
func familyAddress(is func(netip.Addr) bool, family, example string) schema.Word[netip.Addr] {
	return schema.Custom(schema.Text, func(s string) (netip.Addr, error) {
		a, err := netip.ParseAddr(s)
		if err != nil || !is(a) {
			return a, fmt.Errorf("%q is no %s address such as %s", s, family, example)
		}
		return a, nil
	})
}

// settleDUT settles what the DUT of a plan is: ports say nothing of what is behind them, unless it
// has a host.
func (r *reader) settleDUT(d *draft) {
	d.at, _ = d.root.find("dut")
	platform, _ := d.at.find("platform")
	_, hosted := d.at.find("host") // though perhaps wrongly
	if own := &d.plan.DUT; own.Platform != NoDUT && platform.kind == empty && d.plan.Testbed.Kind == Ports {
		own.Platform = Opaque
		if hosted {
			own.Platform = "" // its host says so
		}
	}
	r.checkRules(afterDUT, d)
	if d.plan.DUT.Layer == 2 {
		r.layer = 2
	}
}

// throughNetworks gives streams between the tester's usual addresses those that it
// has at its ports.
func (t Testbed) throughNetworks(traffic *weir.Traffic) {
	if t.Kind != Ports && t.Kind != VM || len(t.Networks) < 2 {
		return
	}
	streams := []*weir.Stream{&traffic.Forward, &traffic.Reverse}
	if traffic.Blend != nil {
		own := *traffic.Blend
		traffic.Blend = &own
		streams = append(streams, &own.Forward, &own.Reverse)
	}
	for _, s := range streams {
		s.Source.First, s.Destination.First = t.own(s.Source.First), t.own(s.Destination.First)
	}
}

// own is the tester's address at a port in place of the usual one.
func (t Testbed) own(a netip.Addr) netip.Addr {
	for i, n := range t.Networks {
		switch a {
		case frame.TesterAddr(weir.IPv4, i):
			return n.Tester.Addr()
		case frame.TesterAddr(weir.IPv6, i):
			return n.Tester6.Addr()
		}
	}
	return a
}

// FarPort splits a port of another machine, "ssh://user@name:port/eth1"; far is false
// for one of this machine.
func FarPort(s string) (host, port string, far bool) {
	if !strings.HasPrefix(s, "ssh:") {
		return "", s, false
	}
	if at := strings.LastIndex(s, "/"); at > len("ssh://") {
		return s[:at], s[at+1:], true
	}
	return s, "", true
}

// FarHosts are the machines that have the ports with even numbers and those with odd ones;
// far is false where the ports are of this machine.
func (t Testbed) FarHosts() (hosts [2]string, far bool) {
	for i, p := range t.Ports[:min(2, len(t.Ports))] {
		hosts[i], _, far = FarPort(p)
	}
	return hosts, far && t.Kind == Ports
}
