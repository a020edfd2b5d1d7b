package plan

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"weir"
	"weir/fib"
	"weir/internal/dut"
	"weir/internal/schema"
)

// DUT is how the device under test is set up.
type DUT struct {
	Platform string   // of those that package dut knows, or Opaque, or NoDUT; "": what its host says
	Host     string   // where it takes commands, "ssh://user@name:port"; "": this machine, or nowhere
	Ports    []string // of it at its host, in the order of the tester's
	Layer    int      // 2: it forwards by Ethernet addresses, as a switch; 0: it is a router
	Policer  Policer  // none when its Kind is ""
	// Condition is how the DUT is set in addition to forwarding, where a level does not
	// say otherwise.
	Condition weir.Condition
	// ResetHook is a command that resets the DUT, run in its place; none: there
	// is no such event.
	ResetHook []string
}

// Opaque is the platform of a DUT of which nothing is known but what comes out of it.
const Opaque = "opaque"

// Policer is a known limit put into the DUT, which a search must find.
type Policer struct {
	Kind string  // "nft", "tbf" or ""
	Rate float64 // frames/s
}

// dut reads how the device under test is set up.
func (r *reader) dut(n node, d *DUT) {
	if n.kind == scalar && n.text == NoDUT {
		d.Platform = NoDUT
		return
	}
	r.object(n, "dut", append(r.dutFields(d), r.conditionFields(n, &d.Condition)...)...)
}

// dutFields are the fields of a DUT that are the same at all levels.
func (r *reader) dutFields(d *DUT) []field {
	return []field{
		oneOf("platform", &d.Platform, append(dut.Names(), Opaque, NoDUT)...).
			means("the operating system that forwards: `linux`; behind SSH `freebsd`, `openbsd` or `netbsd`, too ([labs.md](labs.md))", "`linux`; with a host what that says"),
		scalarField("host", &d.Host, host).means("of a DUT behind [ports](ports.md) that SSH reaches: `\"ssh://root@r1\"` ([labs.md](labs.md))", "none: weir knows nothing of it"),
		scalarList("ports", &d.Ports, asWritten).means("of a DUT with a `host`: its ports in the order of the tester's that they are connected with", "none"),
		scalarField("layer", &d.Layer, schema.Within(schema.Int, 2, 3)).means("2: a switch or a bridge [behind ports](ports.md), which forwards by Ethernet addresses", "3"),
		nested("policer", "policer", func(r *reader, n node) {
			if d.Policer.Kind == "" || d.Policer.Rate == 0 {
				r.wrong(n, "a policer needs a kind (nft or tbf) and a rate in frames/s")
			}
		},
			oneOf("kind", &d.Policer.Kind, "nft", "tbf").means("`nft`: a limit rule of nftables; `tbf`: a queueing discipline, on an ifb that each port's frames pass, for plans with a single size", "").needed(),
			scalarField("rate", &d.Policer.Rate, schema.Rate).means("frames/s and direction", "").needed(),
		).means("`{kind: nft, rate: 50k}`: a known limit in frames/s and direction that the search must find. `nft` is a limit rule of nftables; `tbf` a queueing discipline, on an ifb that each port's frames pass, for plans with a single size. A simulated router takes it as its capacity", "none"),
		scalarList("reset_hook", &d.ResetHook, asWritten).
			means("`[/usr/local/bin/power-cycle, port7]`: a command that resets the DUT: the event `reset hook` of the method `reset`, and `runs: {reset: power}` of a box behind ports. It is run on the tester's machine. In a trial it has to end within the length of that and 10 s, between runs within 15 minutes", "none"),
	}
}

// dutShape describes a DUT.
func (r *reader) dutShape() schema.Shape {
	fields := append(described(r.dutFields(&DUT{})), r.conditionDescribed()...)
	return schema.Either(schema.Choice(NoDUT), schema.Object("dut", fields...))
}

// host is where SSH reaches a machine, as OpenSSH writes that.
var host = schema.Custom(schema.Text, parseHost)

func parseHost(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "ssh" || u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-"):
		return "", fmt.Errorf("%q is no host that SSH reaches, such as ssh://root@r1 or ssh://admin@192.0.2.1:2222", s)
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has more than a user, a name and a port: ssh://root@r1:22", s)
	case u.User != nil && hasPassword(u.User):
		return "", fmt.Errorf("a password does not belong into a plan: give the host a key (ssh-copy-id), and write ssh://%s@%s", u.User.Username(), u.Host)
	}
	return s, nil
}

func hasPassword(u *url.Userinfo) bool {
	_, has := u.Password()
	return has
}

// conditionFields are how a DUT can be set, for all of the plan and for a level
// of it; n is where they are.
func (r *reader) conditionFields(n node, c *weir.Condition) []field {
	filters, management, updates, routes := c.Filters(), c.Management(), c.Updates(), c.Routes()
	napi, path, firewall, access := c.NAPI(), c.Path(), c.Firewall(), c.Access()
	put := func(of func() weir.DUTSetting) func(*reader, node) { return func(*reader, node) { c.Put(of()) } }
	return append([]field{
		scalarField("filters", &filters, schema.Within(schema.Int, 0, mostFilters)).checked(put(func() weir.DUTSetting { return weir.Filters(filters) })).
			means("rules that every frame is held against, the last of which permits it, 1 and 25 by RFC 2544 section 11.4; at most 1000", "0").
			varies(variation{rfc: "RFC 2544 section 11.4", modifier: "{filters: 25}"}),
		scalarField("management", &management, schema.Bool).checked(put(func() weir.DUTSetting { return weir.Management(management) })).
			means("an SNMP agent answers a query at the beginning of each second (RFC 2544 section 11.2)", "`false`").
			varies(variation{rfc: "RFC 2544 section 11.2", modifier: "management"}),
		scalarField("updates", &updates, schema.Bool).checked(put(func() weir.DUTSetting { return weir.Updates(updates) })).
			means("a routing update is sent at the beginning of each trial (RFC 2544 section 11.3)", "`false`").
			varies(variation{rfc: "RFC 2544 section 11.3", modifier: "updates"}),
		r.routesField(&routes).checked(put(func() weir.DUTSetting { return routes })).
			varies(variation{rfc: "RFC 3222", modifier: "{routes: 10k}"}),
		oneOf("napi", &napi, weir.Softirq, weir.Threaded, weir.BusyPoll).checked(put(func() weir.DUTSetting { return napi })).
			means("how a Linux DUT takes frames from its ports: `softirq`, `threaded` or `busy-poll`", "as the testbed does").
			varies(variation{modifier: "{napi: threaded}"}),
		forwardingField(&path).checked(put(func() weir.DUTSetting { return path })).
			varies(variation{levels: "[kernel, xdp]"}),
		r.firewallField(&firewall).checked(put(func() weir.DUTSetting { return firewall })).
			varies(variation{levels: "[none, stateless, stateful, nat]"}),
		r.accessField(&access).checked(put(func() weir.DUTSetting { return access })).
			varies(variation{levels: "[ip, {pppoe: userland}, {pppoe: xdp}]"}),
		r.concentratorField(&access).checked(put(func() weir.DUTSetting { return access })).
			varies(variation{levels: "[near, far]"}),
	}, r.tuningFields(n, c)...)
}

// conditionDescribed describes how a DUT of any kind can be set.
func (r *reader) conditionDescribed() []schema.Described {
	var c weir.Condition
	out := append(described(r.conditionFields(node{}, &c)), schema.Described{
		Key: sysctlPrefix, Prefixed: true, Shape: schema.Line.Shape, Means: "any setting of the kernel by its name",
	})
	for _, t := range tunings(!r.sim) {
		if !slices.ContainsFunc(out, func(d schema.Described) bool { return d.Key == t.Name }) {
			out = append(out, described([]field{tuningField(t, &c)})...)
		}
	}
	return out
}

// forwardingField describes who forwards.
func forwardingField(p *weir.Path) field {
	return oneOf("forwarding", p, weir.PathStack, weir.PathXDP).checked(func(*reader, node) {
		if *p == weir.PathStack {
			*p = "" // which is the same
		}
	}).means("who forwards: the operating system's own path, `kernel`, or a program at the driver that looks routes up in the kernel's table, `xdp`; behind that nothing sees the frame", "`kernel`")
}

// routesField describes made-up routes: their number, or an object.
func (r *reader) routesField(s *weir.RouteSet) field {
	count := scalarField("count", &s.Count, schema.Count).means("how many", "of a modifier: those of the DUT")
	fields := []field{
		oneOf("family", &s.Family, weir.IPv4, weir.IPv6).means("of the routes, which is that of the traffic", "that of the traffic"),
		count,
		scalarField("seed", &s.Seed, schema.Uint64).means("of what is made up", "1"),
		oneOf("via", &s.Via, weir.ViaNetlink, weir.ViaBGP).means("`bgp`: they are learnt from a BGP neighbour", "`netlink`"),
	}
	return custom("routes", func() schema.Shape { return schema.Either(schema.Count.Shape, objectOf("routes", fields...)) },
		func(r *reader, n node) { r.routes(n, s, fields) }).
		means("made-up routes that are installed, and that the frames go to, in turn: `10k`, or `{count: 10k, family: ipv4, seed: 1, via: netlink}`. At most 1,000,000, of `ipv6` 200,000; the family is that of the traffic. `via: bgp`: learnt from a BGP neighbour", "none")
}

// routes reads a number of routes, or an object.
func (r *reader) routes(n node, s *weir.RouteSet, fields []field) {
	if s.Family == "" {
		s.Family = r.family
	}
	if s.Seed == 0 {
		s.Seed = 1
	}
	before := len(r.mistakes)
	if n.kind == scalar {
		scalarField("routes", &s.Count, schema.Count).read(r, n)
	} else {
		r.object(n, "routes", fields...)
		if _, ok := n.find("count"); !ok && s.Count == 0 {
			r.wrong(n, "how many routes? {count: 10k}, say")
		}
	}
	switch {
	case len(r.mistakes) > before:
	case s.Count == 0:
		*s = weir.RouteSet{}
	case s.Family != r.family:
		r.wrong(n, "these are routes of %s, and the traffic is %s: the frames go to the routes", s.Family, r.family)
	default:
		if err := fib.Check(*s); err != nil {
			r.wrong(n, "%v", err)
		}
	}
}

// noFirewall is how a plan says that there is none.
const noFirewall = "none"

// firewallField describes a firewall: its kind, or an object.
func (r *reader) firewallField(f *weir.Firewall) field {
	kind := oneOf("kind", &f.Kind, noFirewall, weir.Stateless, weir.Stateful, weir.NAT).means("see [experiments](experiments.md)", "").needed()
	fields := []field{kind,
		scalarField("rules", &f.Rules, schema.Within(schema.Count, 0, mostRules)).means("so many rules that a frame is held against in vain", "0"),
		oneOf("with", &f.With, weir.NFTables, weir.IPTables, weir.PF, weir.IPFW, weir.NPF).means("whose rules", "the system's own: `nftables` of Linux"),
	}
	shape := func() schema.Shape { return schema.Either(kind.shape(), objectOf("a firewall", fields...)) }
	return custom("firewall", shape, func(r *reader, n node) { r.firewall(n, f, fields) }).
		means("what is done with each frame before it is forwarded, or `{kind: stateful, rules: 25, with: iptables}`; `none`, `stateless`, `stateful`, `nat`, see [experiments](experiments.md)", "`none`")
}

// firewall reads a kind, or an object of fields, of which the kind is the first.
func (r *reader) firewall(n node, f *weir.Firewall, fields []field) {
	*f = weir.Firewall{}
	before := len(r.mistakes)
	if n.kind == object {
		r.object(n, "a firewall", fields...)
		if _, ok := n.find("kind"); !ok && len(r.mistakes) == before {
			r.wrong(n, "which firewall? {kind: stateful, rules: 25}, say")
		}
	} else {
		fields[0].read(r, n)
	}
	if known := dut.LinuxFirewalls(); r.spaces && f.With != "" && !slices.Contains(known, f.With) {
		r.wrong(n.first("with"), "Linux has no program %q for firewalls: there are %s", f.With, strings.Join(known, " and "))
	}
	if f.Kind == noFirewall {
		f.Kind = ""
		if *f != (weir.Firewall{}) && len(r.mistakes) == before {
			r.wrong(n, "no firewall has no rules: give it a kind (stateless, stateful or nat), or leave the rest out")
		}
	}
}

// byIP is how a plan says that an end host is connected by IP on Ethernet.
const byIP = "ip"

// accessField describes how the near end host is connected: a word, or an object.
func (r *reader) accessField(a *weir.Access) field {
	session := oneOf("pppoe", &a.PPPoE, weir.Userland, weir.XDP, weir.KernelPPP).means("who moves its octets: see [access](access.md)", "").needed()
	shape := func() schema.Shape { return schema.Either(schema.Choice(byIP), objectOf("an access", session)) }
	return custom("access", shape, func(r *reader, n node) {
		a.PPPoE = ""
		if n.kind == object {
			r.object(n, "an access", session)
			if _, ok := n.find("pppoe"); !ok {
				r.wrong(n, "by what? {pppoe: %s}, say, or %s", weir.Userland, byIP)
			}
		} else {
			path := byIP
			oneOf("access", &path, byIP).read(r, n)
		}
		r.checkRules(afterAccess, &draft{at: n, access: *a})
	}).means("how the near end host of transfers is connected, or the tester whose frames go through `sessions`; `ip`, or by [a PPPoE session](access.md): `{pppoe: userland}`, `{pppoe: xdp}` or `{pppoe: kernel}`", "`ip`")
}

// concentratorField describes which of two end hosts on one cable is it.
func (r *reader) concentratorField(a *weir.Access) field {
	return oneOf("concentrator", &a.Concentrator, sides[:]...).checked(func(r *reader, n node) {
		if !r.cable {
			r.wrong(n, "the concentrator of sessions through a DUT is the DUT: that it is one of the end hosts is for a cable between them (dut: none); leave it out")
		}
		r.checkRules(afterAccess, &draft{at: n, access: *a})
	}).means("which end of [one cable](access.md) is the concentrator of that session: `near` or `far`", "`far`; through a DUT, that is it")
}

// sessionless are traffics whose frames go through no session, each once.
func sessionless(all []weir.Traffic) []weir.Traffic {
	all = slices.Clone(all)
	for i := range all {
		all[i].Sessions = 0
	}
	return unique(all)
}
