package lab

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/fib"
	"weir/frame"
	"weir/internal/dut"
)

// diagnose says what the DUT knows that it needs for forwarding a traffic: the
// state and counters of its ports, what it would do with a frame of each
// direction, and the neighbour that it would send it to.
func (l *netnsLab) diagnose(ctx context.Context, t weir.Traffic) []string {
	d := l.bed.DUT()
	var said []string
	for i, port := range d.Ports {
		counters := make([]string, 0, 3)
		for _, name := range []string{"operstate", "statistics/rx_packets", "statistics/tx_packets"} {
			text, err := d.Host.ReadFile(ctx, "/sys/class/net/"+port.DUT+"/"+name)
			if err != nil {
				text = "unknown"
			}
			counters = append(counters, strings.TrimSpace(text))
		}
		said = append(said, fmt.Sprintf("DUT port %d is %s, has received %s frames and sent %s", i, counters[0], counters[1], counters[2]))
	}
	for _, w := range ways(t) {
		said = append(said, l.follow(ctx, w)...)
	}
	return said
}

// way is how the first frame of a stream goes.
type way struct {
	from, to netip.Addr
	port     int // of the DUT that it comes to
}

// ways are those of a traffic, both families and directions of it; of a capture those of the
// first frames with different destinations.
func ways(t weir.Traffic) []way {
	if t.Replay != nil {
		return capturedWays(t)
	}
	streams := [2][]weir.Stream{{t.Forward}, {t.Reverse}}
	if t.Blend != nil {
		streams[0], streams[1] = append(streams[0], t.Blend.Forward), append(streams[1], t.Blend.Reverse)
	}
	switch {
	case t.Backward:
		streams[0] = nil
	case !t.Bidirectional:
		streams[1] = nil
	}
	var out []way
	for port, both := range streams {
		for _, s := range both {
			w := way{from: s.Source.First, to: s.Destination.First, port: port}
			// Routes lead away from the first port alone.
			if t.Routes.Count > 0 && port == 0 && w.from.Is4() == (t.Routes.Family == weir.IPv4) {
				if first, err := fib.Destinations(t.Routes, 1); err == nil && len(first) > 0 {
					w.to = first[0]
				}
			}
			if w.from.IsValid() && w.to.IsValid() {
				out = append(out, w)
			}
		}
	}
	return out
}

// capturedWays are those of some frames of a capture.
func capturedWays(t weir.Traffic) (out []way) {
	const most = 3
	c, err := frame.ReadCapture(t.Replay.File)
	if err != nil {
		return nil // whoever sends it says so
	}
	for _, f := range c.Flows() {
		if len(out) < most && !slices.ContainsFunc(out, func(w way) bool { return w.to == f.Destination }) {
			out = append(out, way{from: f.Source, to: f.Destination, port: t.Direction()})
		}
	}
	return out
}

// follow says where the DUT would send a frame.
func (l *netnsLab) follow(ctx context.Context, w way) (said []string) {
	for _, a := range []netip.Addr{w.from, w.to} {
		if own(l.setup, a) {
			said = append(said, fmt.Sprintf("%v is an address of the DUT itself, which forwards no frames from or to it: take another one", a))
		}
	}
	d := l.bed.DUT()
	route := l.ask(ctx, "route", "get", w.to.String(), "from", w.from.String(), "iif", d.Ports[w.port].DUT)
	said = append(said, fmt.Sprintf("route of %v to %v: %s", w.from, w.to, route))
	port := slices.IndexFunc(d.Ports, func(p weir.Port) bool { return p.DUT == after(route, "dev") })
	if port < 0 { // there is none, or it leads elsewhere
		via := frame.TesterAddr(familyOf(w.to), (w.port+1)%2)
		return append(said, fmt.Sprintf("the DUT has no route to %v through a port of the tester's: give it one, dut: {command: {name: routed, do: \"ip route add %v via %v\", undo: \"ip route del %v\"}}", w.to, w.to, via, w.to))
	}
	next := after(route, "via")
	if next == "" {
		next = w.to.String()
	}
	return append(said, fmt.Sprintf("neighbour %s at port %d: %s", next, port, l.ask(ctx, "neighbor", "show", next, "dev", d.Ports[port].DUT)))
}

func familyOf(a netip.Addr) weir.Family {
	if a.Is6() {
		return weir.IPv6
	}
	return weir.IPv4
}

// own reports whether an address is one of the DUT's.
func own(s dut.Setup, a netip.Addr) bool {
	for _, addresses := range s.Address {
		if slices.ContainsFunc(addresses, func(p netip.Prefix) bool { return p.Addr() == a }) {
			return true
		}
	}
	return false
}

// after is the word that follows a key in what the ip command says; "" without
// one.
func after(said, key string) string {
	words := strings.Fields(said)
	if i := slices.Index(words, key); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// ask is what the ip command of the DUT answers, on one line.
func (l *netnsLab) ask(ctx context.Context, argv ...string) string {
	said, err := l.bed.DUT().Host.Run(ctx, "", append([]string{"ip"}, argv...)...)
	if err != nil {
		return err.Error()
	}
	if said = strings.Join(strings.Fields(said), " "); said == "" {
		return "none"
	}
	return said
}
