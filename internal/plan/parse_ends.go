package plan

import (
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"

	"weir"
	"weir/internal/schema"
)

// NoDUT is the platform where there is no DUT: two end hosts on one cable.
const NoDUT = weir.NoDUT

// EndHost is a host that SSH reaches, at one side of the DUT.
type EndHost struct {
	Host   string // "ssh://user@name:port"
	Port   string // that is connected with the DUT, or with the other end host
	Folder string // below which files are kept, with what its storage is; "": weir chooses, by what a method asks for
	Name   string // for people
}

// sides are what a plan calls the two end hosts.
var sides = [2]string{weir.Near, weir.Far}

// Hosted reports whether the end hosts are at hosts of their own, which SSH reaches.
func (t Testbed) Hosted() bool { return t.Hosts[0].Host != "" }

// sideCount is how many ports are connected with the DUT.
func (t Testbed) sideCount() int {
	if t.Hosted() {
		return len(t.Hosts)
	}
	return len(t.Ports)
}

// endHostField describes one of the end hosts.
func endHostField(side int, e *EndHost) field {
	return nested(sides[side], "an end host", func(r *reader, n node) {
		if e.Host == "" || e.Port == "" {
			r.wrong(n, "an end host needs where SSH reaches it, and its port there: {host: \"ssh://root@h%d\", port: eth1}", side+1)
		}
	},
		scalarField("host", &e.Host, host).means("where SSH reaches it, as for a DUT: configuration, rights and lock are the same", "").needed(),
		scalarField("port", &e.Port, schema.Line).means("its port on the path; never that of the SSH session", "").needed(),
		scalarField("folder", &e.Folder, schema.Custom(schema.Text, parseFolder)).means("below which the files of `ftp`, `smb`, `http` and so on are. What it is on has to be the method's `storage`", "`/dev/shm` and `/var/tmp`"),
		scalarField("name", &e.Name, schema.Line).means("what reports call it", "the host's"),
	).checked(func(*reader, node) {
		if e.Name == "" {
			e.Name = strings.TrimPrefix(e.Host, "ssh://")
		}
	}).means("in place of `ports`: an [end host that SSH reaches](labs.md#end-hosts-that-ssh-reaches), `{host: \"ssh://root@h1\", port: eth1}`", "none")
}

// parseFolder reads a folder of another machine.
func parseFolder(s string) (string, error) {
	if !path.IsAbs(s) || path.Clean(s) == "/" {
		return "", fmt.Errorf("%q is no folder of a host, by its whole path: /srv/t, say", s)
	}
	return path.Clean(s), nil
}

// ofMachine are the fields of a testbed of kind ports that are of ports of this machine.
var ofMachine = []string{"ports", "isolate", "allow", "witness", "cpus"}

// atEnds checks the end hosts of a testbed as a whole; n is where it stands.
func (r *reader) atEnds(n node, t *Testbed) {
	for i, side := range sides {
		at, said := n.find(side)
		other, _ := n.find(sides[1-i])
		if !said {
			r.wrong(other, "and the other end? %s: {host: \"ssh://root@h%d\", port: eth1}; SSH reaches this machine as localhost", side, i+1)
			return
		}
		if t.Hosts[i].Host == "" || t.Hosts[i].Port == "" {
			return // it was said
		}
		if i == 1 && t.Hosts[0].Host == t.Hosts[1].Host {
			r.wrong(at, "both end hosts are %s: what it sends to itself leaves it through no port", t.Hosts[1].Host)
		}
		if i == 1 && t.Hosts[0].Name == t.Hosts[1].Name {
			r.wrong(at, "both end hosts are called %s: reports could not tell them apart", t.Hosts[1].Name)
		}
	}
	for _, e := range n.entries {
		if slices.Contains(ofMachine, e.key.text) {
			r.wrong(e.key, "%s is of ports of this machine, and near and far are hosts that SSH reaches: leave one of the two out", e.key.text)
		}
	}
}

// onCable gives each end of a cable the other's address in place of a router's; n is where
// the networks stand.
func (r *reader) onCable(n node, t *Testbed) {
	for i := range t.Networks {
		own, other := &t.Networks[i], t.Networks[1-i]
		own.Router, own.Router6 = other.Tester.Addr(), other.Tester6.Addr()
		for _, pair := range [][2]netip.Prefix{{own.Tester, other.Tester}, {own.Tester6, other.Tester6}} {
			switch {
			case pair[0].Addr() == pair[1].Addr():
				r.wrong(n, "both ends of the cable have the address %v", pair[0].Addr())
			case pair[0].Masked() != pair[1].Masked():
				r.wrong(n, "%v and %v are in two networks, and a cable without a DUT has one: nobody leads from one to the other", pair[0], pair[1])
			default:
				continue
			}
			return // once
		}
	}
}

// cableNetwork is the network of an end host on a cable where a plan does not say otherwise:
// the first of those for benchmarks, at nodes 2 and 3.
func cableNetwork(side int) Network {
	n := networkOf(0)
	if side == 1 {
		n.Tester = netip.PrefixFrom(n.Tester.Addr().Next(), n.Tester.Bits())
		n.Tester6 = netip.PrefixFrom(n.Tester6.Addr().Next(), n.Tester6.Bits())
	}
	return n
}

// withoutDUT checks a plan for two end hosts on one cable; n is where the DUT would be.
func (r *reader) withoutDUT(n node, p Plan) {
	t := p.Testbed
	switch {
	case t.Kind != Ports && t.Kind != NetNS:
		r.wrong(n, "the DUT of a testbed of kind %s is there: none is for two end hosts on one cable (testbed: {kind: netns}, or {kind: ports, ports: [eth1, eth2]})", t.Kind)
	case t.Kind == Ports && t.sideCount() != 2:
		r.wrong(n, "without a DUT there is one cable, and %d ports: name its two", t.sideCount())
	case p.DUT.Host != "" || len(p.DUT.Ports) > 0 || p.DUT.Layer > 0 || p.DUT.Policer.Kind != "" || len(p.DUT.ResetHook) > 0:
		r.wrong(n, "there is no DUT that could have a host, ports, a layer, a policer or a reset hook: the end hosts have napi and access alone")
	}
}

// sendsFrames notes test frames where there are none: of end hosts at hosts of their own,
// and on a cable without a DUT.
func (r *reader) sendsFrames(p Plan) {
	for _, s := range p.Steps {
		m := s.At
		switch {
		case s.Method.Application:
			continue
		case p.DUT.Platform == NoDUT:
			m.Message = fmt.Sprintf("%s measures a DUT, and there is none: a cable between two end hosts takes transfers (tcp, ftp, ...)", s.Method.Name)
		case p.Testbed.Hosted():
			m.Message = fmt.Sprintf("%s sends test frames, and near and far are end hosts, whose programs send: name ports (ports: [eth1, eth2]), or take transfers (tcp, ftp, ...)", s.Method.Name)
		case slices.ContainsFunc(p.Levels, Level.pastSessions):
			m.Message = fmt.Sprintf("%s sends test frames, and PPPoE sessions are those of end hosts unless frames have some: say so (traffic: {sessions: 1}), or take transfers (tcp, netperf, ...)", s.Method.Name)
		default:
			continue
		}
		r.note(&m)
	}
}
