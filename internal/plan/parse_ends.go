package plan

import (
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
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

// streamsName is the name of what programs of end hosts say to each other, where
// results have the size of frames.
const streamsName = "streams"

// senders says who sends in the methods of a plan: the tester, with test frames,
// or programs of end hosts.
func senders(methods node) (frames, programs bool) {
	frames = methods.kind == empty
	for _, n := range methods.items {
		name := n
		if n.kind == object {
			name, _ = n.find("method")
		}
		m, _ := method.ByName(name.text)
		frames, programs = frames || !m.Application, programs || m.Application
	}
	return frames, programs
}

// sizesFor adapts the sizes of a plan to who sends: where only programs do there are none.
func sizesFor(sizes []size, methods node) []size {
	frames, programs := senders(methods)
	streams := size{at: methods, name: streamsName, application: true}
	switch {
	case !programs:
		return sizes
	case frames:
		return append(slices.Clone(sizes), streams)
	}
	return []size{streams}
}

// application is what programs of end hosts send while other traffic would be s.
func (s sending) application(name string) weir.Traffic {
	return weir.Traffic{
		Name: name, Application: true, Family: s.Family, Server: s.Server,
		Bidirectional: s.Bidirectional, Backward: s.Backward, Seed: s.Seed,
	}
}

// Congestion is the name of an end host's setting that says how its TCP holds
// back (RFC 5681 and others).
const Congestion = "congestion"

// endsField describes how the end hosts are set.
func endsField(t *Testbed) field {
	shape := func() schema.Shape {
		return schema.Object("ends", append(described([]field{tuningField(congestion, &weir.Condition{})}),
			schema.Described{Key: sysctlPrefix + "net[.]", Prefixed: true, Shape: schema.Line.Shape})...)
	}
	return custom("ends", shape, func(r *reader, n node) { t.Ends = r.ends(n) }).
		means("of `netns` and `ports`: how the [end hosts](transfers.md) of transfers are set, `{congestion: reno, sysctl net.ipv4.tcp_timestamps: 0}`: the congestion control of their TCP, and sysctls below `net`", "`cubic`, whatever the machine uses; sysctls as a new namespace has them")
}

// congestion is the setting of that name.
var congestion = weir.TuningInfo{Name: Congestion, Summary: "how TCP of the end hosts holds back"}

// ends reads how the end hosts are set: {congestion: reno, sysctl
// net.ipv4.tcp_timestamps: 0}.
func (r *reader) ends(n node) []weir.Tuning {
	var c weir.Condition
	fields := []field{tuningField(congestion, &c)}
	for _, e := range n.entries {
		name, is := strings.CutPrefix(e.key.text, sysctlPrefix)
		if is && (!strings.HasPrefix(name, "net.") || strings.Contains(name, "/")) {
			r.wrong(e.key, "%s is not of a host's network alone (net.ipv4.tcp_timestamps, say), and an end host shares its machine", name)
		}
		if is {
			fields = append(fields, tuningField(weir.TuningInfo{Name: e.key.text}, &c))
		}
	}
	r.object(n, "ends", fields...)
	return c.Tunings()
}
