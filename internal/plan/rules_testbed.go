package plan

import (
	"net/netip"
	"slices"
	"strings"

	"weir"
)

// testbedRules are those of testbeds and DUTs.
var testbedRules = []rule{
	{"sessions are those of end hosts in namespaces", afterAccess, func(d *draft) weir.Problems {
		return d.at.when(d.access != (weir.Access{}) && !d.r.spaces, "PPPoE sessions are those of end hosts in network namespaces of this machine (testbed: {kind: %s})", NetNS)
	}},
	{"ports come in pairs", afterPorts, func(d *draft) weir.Problems {
		at, n := d.at.first("ports"), len(d.bed.Ports)
		switch _, hosted := d.at.find(sides[:]...); {
		case hosted:
		case n == 0:
			return at.wrong("which ports?").Advise("{ports: [eth1, eth2]}, say: by name, Ethernet address or PCI address")
		case n%2 != 0 || n > mostPorts:
			return at.wrong("%d ports: they come in pairs, 0 with 1 and 2 with 3, at most %d of them", n, mostPorts)
		}
		return nil
	}},
	{"end hosts come in pairs", afterPorts, checkEnds},
	{"a port is there once", afterPorts, func(d *draft) (out weir.Problems) {
		for _, name := range repeated(d.bed.Ports) {
			out = append(out, d.at.first("ports").wrong("the port %s is there twice: what leaves through a port comes back through another one", name)...)
		}
		return out
	}},
	{"ports are of this machine or of two others", afterPorts, checkMachines},
	{"each port has a network", afterPorts, func(d *draft) weir.Problems {
		at, given := d.at.find("networks")
		return at.when(given && d.given != d.bed.sideCount(), "%d networks of %d ports", d.given, d.bed.sideCount()).Advise("give each port its own, or leave networks out")
	}},
	{"a cable is one network", afterPorts, func(d *draft) weir.Problems {
		if !d.r.cable || len(d.bed.Networks) != 2 {
			return nil
		}
		at, near, far := d.at.first("networks"), d.bed.Networks[0], d.bed.Networks[1]
		for _, pair := range [][2]netip.Prefix{{near.Tester, far.Tester}, {near.Tester6, far.Tester6}} {
			switch {
			case pair[0].Addr() == pair[1].Addr():
				return at.wrong("both ends of the cable have the address %v", pair[0].Addr())
			case pair[0].Masked() != pair[1].Masked():
				return at.wrong("%v and %v are in two networks, and a cable without a DUT has one: nobody leads from one to the other", pair[0], pair[1])
			}
		}
		return nil
	}},
	{"several pairs have the usual addresses", afterPorts, func(d *draft) weir.Problems {
		for i, own := range d.bed.Networks {
			if usual := networkOf(i); len(d.bed.Ports) > 2 && (own.Tester.Addr() != usual.Tester.Addr() || own.Tester6.Addr() != usual.Tester6.Addr()) {
				return d.at.wrong("the tester's address at port %d is %v: with several pairs of ports it has to be %v and %v, from which the addresses of the frames are made",
					i, own.Tester.Addr(), usual.Tester.Addr(), usual.Tester6.Addr())
			}
		}
		return nil
	}},
	{"without a DUT there is a cable", afterDUT, func(d *draft) weir.Problems {
		t, dut := d.plan.Testbed, d.plan.DUT
		switch {
		case dut.Platform != NoDUT:
		case t.Kind != Ports && t.Kind != NetNS:
			return d.at.wrong("the DUT of a testbed of kind %s is there: none is for two end hosts on one cable (testbed: {kind: netns}, or {kind: ports, ports: [eth1, eth2]})", t.Kind)
		case t.Kind == Ports && t.sideCount() != 2:
			return d.at.wrong("without a DUT there is one cable, and %d ports", t.sideCount()).Advise("name its two")
		case dut.Host != "" || len(dut.Ports) > 0 || dut.Layer > 0 || dut.Policer.Kind != "" || len(dut.ResetHook) > 0:
			return d.at.wrong("there is no DUT that could have a host, ports, a layer, a policer or a reset hook: the end hosts have napi and access alone")
		}
		return nil
	}},
	{"a DUT is what its testbed has", afterDUT, checkDUT},
	{"a DUT with a host is a router", afterDUT, func(d *draft) weir.Problems {
		dut := d.plan.DUT
		return d.at.when(dut.Platform != NoDUT && dut.Layer == 2 && dut.Host != "", "a DUT with a host is told to forward as a router, and not as a switch").Advise("leave layer out, or host")
	}},
	{"a port of the DUT is there once", afterDUT, func(d *draft) (out weir.Problems) {
		for _, name := range repeated(d.plan.DUT.Ports) {
			out = append(out, d.at.when(d.plan.DUT.Platform != NoDUT, "the DUT's port %s is there twice", name)...)
		}
		return out
	}},
}

// repeated are the words that were there before.
func repeated(words []string) (out []string) {
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			out = append(out, w)
		}
	}
	return out
}

// ofMachine are the fields of a testbed of kind ports that are of ports of this machine.
var ofMachine = []string{"ports", "isolate", "allow", "witness", "cpus"}

// checkEnds demands two end hosts that differ, and nothing that is of ports of this machine.
func checkEnds(d *draft) weir.Problems {
	if _, hosted := d.at.find(sides[:]...); !hosted {
		return nil
	}
	for i, side := range sides {
		if _, given := d.at.find(side); !given {
			return d.at.first(sides[1-i]).wrong("and the other end?").Advise("%s: {host: \"ssh://root@h%d\", port: eth1}; SSH reaches this machine as localhost", side, i+1)
		}
		if d.bed.Hosts[i].Host == "" || d.bed.Hosts[i].Port == "" {
			return nil // which is a mistake already
		}
	}
	at, near, far := d.at.first(sides[1]), d.bed.Hosts[0], d.bed.Hosts[1]
	out := slices.Concat(at.when(near.Host == far.Host, "both end hosts are %s: what it sends to itself leaves it through no port", far.Host),
		at.when(near.Name == far.Name, "both end hosts are called %s: reports could not tell them apart", far.Name))
	for _, e := range d.at.entries {
		out = append(out, e.key.when(slices.Contains(ofMachine, e.key.text), "%s is of ports of this machine, and near and far are hosts that SSH reaches", e.key.text).Advise("leave one of the two out")...)
	}
	return out
}

// checkMachines demands that ports of other machines are all of them, and of two machines.
func checkMachines(d *draft) weir.Problems {
	at, count, third := d.at.first("ports"), 0, ""
	hosts, _ := d.bed.FarHosts()
	for i, p := range d.bed.Ports {
		host, port, far := FarPort(p)
		if _, err := parseHost(host); far && err != nil {
			return at.wrong("%q: %v", p, err)
		}
		if far && port == "" {
			return at.wrong("%q: which port of it?", p).Advise("ssh://root@t1/eth1, say")
		}
		if far {
			count++
		}
		if host != hosts[i%2] && third == "" {
			third = p
		}
	}
	switch {
	case count == 0:
		return nil
	case count < len(d.bed.Ports):
		return at.wrong("some ports are of this machine and some of others").Advise("name all of them as ssh://host/eth1, this machine's too (SSH reaches it as localhost)")
	}
	return at.when(third != "", "the port %s is of a third machine: one machine has the first port of each pair, %s, and one the second, %s", third, hosts[0], hosts[1])
}

// checkDUT compares what a plan says of the DUT with what its testbed has: weir makes the DUT in
// namespaces and machines, and knows nothing of one behind ports, unless that has a host.
func checkDUT(d *draft) weir.Problems {
	t, dut := d.plan.Testbed, d.plan.DUT
	_, hosted := d.at.find("host") // though perhaps wrongly
	ports, opaque := t.Kind == Ports, dut.Platform == Opaque
	switch {
	case dut.Platform == NoDUT:
	case dut.Host != "" && !ports:
		return d.at.wrong("the DUT of a testbed of kind %s is on this machine", t.Kind).Advise("host is for one behind ports (testbed: {kind: ports, ports: [eth1, eth2]})")
	case hosted && dut.Host == "":
	case len(dut.Ports) > 0 && !hosted:
		return d.at.wrong("the DUT's ports are named for a DUT that weir tells to forward, at its host").Advise("dut: {host: \"ssh://root@r1\", ports: [%s]}", strings.Join(dut.Ports, ", "))
	case dut.Host != "" && opaque:
		return d.at.wrong("a DUT with a host is not %s", Opaque).Advise("leave the platform out, and weir asks which it is, or leave host out")
	case dut.Host != "" && len(dut.Ports) != t.sideCount():
		return d.at.wrong("the DUT has %d ports and the tester %d", len(dut.Ports), t.sideCount()).
			Advise("name those of the DUT in the order of the tester's that they are connected with: {host: %q, ports: [eth1, eth2]}", dut.Host)
	case dut.Host != "":
		return d.at.when(dut.Host == t.Hosts[0].Host || dut.Host == t.Hosts[1].Host, "%s is the DUT and an end host: its programs would talk past its ports", dut.Host)
	case opaque && t.Kind == VM && t.Machine.Debian == "": // an image
	case opaque && !ports:
		return d.at.wrong("the DUT of a testbed of kind %s is no %s one: weir makes it;", t.Kind, Opaque).Advise("{kind: ports, ports: [eth1, eth2]} measures a box that is there")
	case !ports && dut.Platform != "linux":
		return d.at.wrong("the DUT of a testbed of kind %s is on this machine, which has no %s", t.Kind, dut.Platform).
			Advise("that is for a DUT behind ports, at its host (testbed: {kind: ports, ports: [eth1, eth2]}; dut: {host: \"ssh://root@r1\", ports: [em0, em1]})")
	case ports && !opaque:
		return d.at.wrong("what is behind ports is %s to weir, whatever it runs", Opaque).Advise("leave the platform out, or say where it can be told things (host: \"ssh://root@r1\")")
	case opaque && dut.Policer.Kind != "":
		return d.at.wrong("weir cannot set a policer at a DUT that is %s", Opaque).Advise("set it there, and leave it out here")
	case dut.Layer == 2 && !opaque:
		return d.at.wrong("layer 2 is for a switch or a bridge at ports (testbed: {kind: ports})")
	}
	return nil
}
