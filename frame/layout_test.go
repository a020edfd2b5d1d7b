package frame

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// traffic is valid traffic that a test changes.
func traffic(family weir.Family, protocol weir.Protocol, tags int, sizes ...weir.Size) weir.Traffic {
	t := weir.Traffic{Sizes: sizes, Family: family, Protocol: protocol, Flows: 1, Bidirectional: true, Seed: 7}
	t.VLANs = []weir.VLAN{{TPID: 0x88a8, ID: 4094, PCP: 7}, {TPID: 0x8100, ID: 5, PCP: 3}}[2-tags:]
	t.Forward, t.Reverse = DefaultStreams(family)
	return t
}

func TestLayoutOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		traffic weir.Traffic
		want    Layout
	}{
		{"the smallest of all", traffic(weir.IPv4, weir.UDP, 0, 64), Layout{14, 34, 42, false, 64, false}},
		{"a tag takes the full signature's room", traffic(weir.IPv4, weir.UDP, 1, 64), Layout{18, 38, 46, true, 64, false}},
		{"one size decides for all", traffic(weir.IPv4, weir.UDP, 1, 1518, 64), Layout{18, 38, 46, true, 64, false}},
		{"17 octets", traffic(weir.IPv4, weir.UDP, 1, 67), Layout{18, 38, 46, true, 64, false}},
		{"18 octets", traffic(weir.IPv4, weir.UDP, 1, 68), Layout{18, 38, 46, false, 64, false}},
		{"two tags", traffic(weir.IPv4, weir.UDP, 2, 66), Layout{22, 42, 50, true, 66, false}},
		{"tcp", traffic(weir.IPv4, weir.TCP, 0, 70), Layout{14, 34, 54, true, 70, false}},
		{"ipv6", traffic(weir.IPv6, weir.UDP, 0, 78), Layout{14, 54, 62, true, 78, false}},
		{"ipv6 in full", traffic(weir.IPv6, weir.UDP, 0, 84), Layout{14, 54, 62, false, 78, false}},
		{"the longest headers", traffic(weir.IPv6, weir.TCP, 2, 128), Layout{22, 62, 82, false, 98, false}},
	} {
		got, err := LayoutOf(c.traffic)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

func TestLayoutTooSmall(t *testing.T) {
	_, err := LayoutOf(traffic(weir.IPv6, weir.UDP, 1, 1518, 64))
	want := "frame size 64 is too small: headers of 66 octets (ethernet, 1 vlan tag, ipv6, udp), a signature of 12 and the FCS of 4 need at least 82"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*weir.Traffic)
		want   string // "" for no error
	}{
		{"nothing", func(t *weir.Traffic) {}, ""},
		{"family", func(t *weir.Traffic) { t.Family = "ipx" }, `family "ipx" is not known`},
		{"protocol", func(t *weir.Traffic) { t.Protocol = "" }, `protocol "" is not known`},
		{"no sizes", func(t *weir.Traffic) { t.Sizes = nil }, "no frame sizes"},
		{"small size", func(t *weir.Traffic) { t.Sizes = []weir.Size{64, 63} }, "frame size 63"},
		{"large size", func(t *weir.Traffic) { t.Sizes = []weir.Size{65536} }, "frame size 65536"},
		{"three tags", func(t *weir.Traffic) { t.VLANs = make([]weir.VLAN, 3) }, "3 tags"},
		{"tpid", func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{TPID: 0x0800}} }, "vlans[0]: TPID 0x0800"},
		{"vlan id", func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{TPID: 0x8100, ID: 4095}} }, "vlans[0]: id 4095"},
		{"priority", func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{TPID: 0x8100, PCP: 8}} }, "vlans[0]: priority 8"},
		{"no flows", func(t *weir.Traffic) { t.Flows = 0 }, "flows: 0"},
		{"too many flows", func(t *weir.Traffic) { t.Flows = MaxFlows + 1 }, "flows: 1048577"},
		{"family of source", func(t *weir.Traffic) { t.Family = weir.IPv6 }, "forward: source: 198.18.0.2"},
		{"family of destination", func(t *weir.Traffic) { t.Forward.Destination.First = netip.MustParseAddr("::1") }, "forward: destination: ::1"},
		{"mapped address", func(t *weir.Traffic) { t.Forward.Source.First = netip.MustParseAddr("::ffff:198.18.0.2") }, "forward: source: ::ffff:198.18.0.2"},
		{"no address", func(t *weir.Traffic) { t.Reverse.Source.First = netip.Addr{} }, "reverse: source: invalid IP"},
		{"reverse unused", func(t *weir.Traffic) { t.Reverse, t.Bidirectional = weir.Stream{}, false }, ""},
		{"backward", func(t *weir.Traffic) {
			t.Bidirectional, t.Backward, t.Reverse.Source.First = false, true, netip.Addr{}
		}, "reverse: source: invalid IP"},
		{"forward unused", func(t *weir.Traffic) { t.Bidirectional, t.Backward, t.Forward = false, true, weir.Stream{} }, ""},
		{"backward in both directions", func(t *weir.Traffic) { t.Backward = true }, "backward: the frames go in both directions"},
		{"flows backward", func(t *weir.Traffic) {
			t.Bidirectional, t.Backward, t.Flows, t.Reverse = false, true, 2, t.Forward
			t.Reverse.SourcePort = weir.PortSet{First: 1, Last: 9, Order: weir.Fixed}
			t.Reverse.DestinationPort = t.Reverse.SourcePort
		}, "reverse: 2 flows are asked for"},
		{"count", func(t *weir.Traffic) { t.Forward.Source.Count = 0 }, "count 0"},
		{"past the last", func(t *weir.Traffic) {
			t.Forward.Source = weir.AddressSet{First: netip.MustParseAddr("255.255.255.255"), Count: 2, Order: weir.Increment}
		}, "beyond the last address"},
		{"order", func(t *weir.Traffic) { t.Forward.Source.Order = "" }, `order "" is not known`},
		{"ports", func(t *weir.Traffic) { t.Forward.SourcePort.Last = 7 }, "source port: last 7 is below first 1024"},
		{"port order", func(t *weir.Traffic) { t.Forward.DestinationPort.Order = "up" }, `destination port: order "up"`},
		{"too many sizes", func(t *weir.Traffic) { t.Sizes = slices.Repeat([]weir.Size{64}, MaxSizes+1) }, "16385 frame sizes"},
		{"stride", func(t *weir.Traffic) { t.Forward.Source.Stride = -1 }, "forward: source: stride -1"},
		{"strides past the last", func(t *weir.Traffic) {
			t.Forward.Source = weir.AddressSet{First: netip.MustParseAddr("198.18.0.0"), Count: 1 << 16, Stride: 1 << 16, Order: weir.Increment}
		}, "65536 apart, go beyond the last address"},
		{"pairs", func(t *weir.Traffic) { t.Pairs = 9 }, "pairs: 9 is not"},
		{"flows of pairs", func(t *weir.Traffic) { t.Pairs, t.Flows = 2, MaxFlows }, "flows: 2097152"},
		{"addresses of pairs", func(t *weir.Traffic) {
			t.Pairs, t.Reverse.Destination.First = 2, netip.MustParseAddr("198.18.32.0")
		}, "reverse: destination: with 2 pairs of ports it has to be in 198.18.0.0/19, the part of port 0"},
		{"broadcast", func(t *weir.Traffic) { t.Broadcast = 0.51 }, "broadcast: 0.51"},
		{"no number of broadcasts", func(t *weir.Traffic) { t.Broadcast = math.NaN() }, "broadcast: NaN"},
		{"blend", func(t *weir.Traffic) { *t = blended(*t, 1.1) }, "blend: 1.1 is no share"},
		{"stream of a blend", func(t *weir.Traffic) {
			*t = blended(*t, 0.1)
			t.Blend.Reverse = t.Reverse
		}, "blend: reverse: source: 198.19.0.2 is not an address of family ipv6"},
		{"unused blend", func(t *weir.Traffic) { t.Blend = &weir.Blend{} }, ""},
		{"extensions of IPv4", func(t *weir.Traffic) { t.Extensions, t.Extended = []weir.Extension{weir.HopByHop}, 1 }, "extensions are for IPv6 alone"},
		{"extensions for none", func(t *weir.Traffic) { t.Extensions = []weir.Extension{weir.HopByHop} }, "extended, the share of the frames that have them, is 0"},
		{"no extensions", func(t *weir.Traffic) { t.Extended = 0.1 }, "none is named in extensions"},
		{"extended", func(t *weir.Traffic) { t.Extended = -0.1 }, "extended: -0.1 is no share"},
		{"extension", func(t *weir.Traffic) {
			*t = blended(*t, 0.1)
			t.Extensions, t.Extended = []weir.Extension{"mobility"}, 1
		}, `extensions[0]: "mobility" is not known`},
		{"order of extensions", func(t *weir.Traffic) {
			*t = blended(*t, 0.1)
			t.Extensions, t.Extended = []weir.Extension{weir.DestinationOptions, weir.HopByHop}, 1
		}, "hop-by-hop has to be the first"},
		{"number of extensions", func(t *weir.Traffic) {
			*t = blended(*t, 0.1)
			t.Extensions, t.Extended = []weir.Extension{weir.RoutingHeader, weir.RoutingHeader}, 1
		}, "each can be there once"},
		{"routes", func(t *weir.Traffic) { t.Routes = weir.RouteSet{Family: weir.IPv4, Count: -1} }, "routes: -1"},
		{"routes of the other family", func(t *weir.Traffic) { t.Routes = weir.RouteSet{Family: weir.IPv6, Count: 1} }, "routes: they are of ipv6"},
		{"routes instead of destinations", func(t *weir.Traffic) {
			t.Routes = weir.RouteSet{Family: weir.IPv4, Count: 10}
			t.Forward.Destination = weir.AddressSet{}
		}, ""},
		{"routes do not lead back", func(t *weir.Traffic) {
			t.Routes = weir.RouteSet{Family: weir.IPv4, Count: 10}
			t.Reverse.Destination = weir.AddressSet{}
		}, "reverse: destination"},
		{"replay of no file", func(t *weir.Traffic) { t.Replay = &weir.Replay{Frames: 1} }, "replay: no file"},
		{"replay of another", func(t *weir.Traffic) { t.Replay = &weir.Replay{File: "x", Frames: 2} }, "replay: 2 frames of the capture are sent, but there are 1 frame sizes"},
		{"replay with tags", func(t *weir.Traffic) {
			t.Replay, t.VLANs = &weir.Replay{File: "x", Frames: 1}, []weir.VLAN{{TPID: 0x8100}}
		}, "replay: the frames of a capture keep their headers"},
		{"sets too small", func(t *weir.Traffic) {
			t.Flows = 13
			t.Forward.Source = weir.AddressSet{First: TesterAddr(weir.IPv4, 0), Count: 4, Order: weir.Increment}
			t.Forward.SourcePort = weir.PortSet{First: 1, Last: 6, Order: weir.Increment}
			t.Forward.DestinationPort.Order = weir.Fixed
		}, "13 flows are asked for, but the addresses and ports have only 12"},
	} {
		tr := traffic(weir.IPv4, weir.UDP, 0, 64)
		c.change(&tr)
		err := Validate(tr)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
