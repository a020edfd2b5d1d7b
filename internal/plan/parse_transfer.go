package plan

import (
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/schema"
)

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

// suited adapts the sizes of a plan to who sends: where only programs do there are none.
func suited(sizes []size, methods node) []size {
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
	return c.Tunings
}
