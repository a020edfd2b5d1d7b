package wiring

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
	"weir/frame"
)

// planned are the frames of a plan from the ports of two.
func planned(family weir.Family, change func(*weir.Traffic)) weir.Traffic {
	t := weir.Traffic{Sizes: []weir.Size{84}, Family: family, Protocol: weir.UDP, Flows: 20, Bidirectional: true, Seed: 1}
	t.Forward, t.Reverse = frame.DefaultStreams(family)
	change(&t)
	return t
}

// Each answer of a router is told by its type and code, with what it means for the address that
// the frame went to, and none but those of a filter is called one.
func TestAnswers(t *testing.T) {
	a := two(t)
	nonce := [4]byte{1, 2, 3, 4}
	small, err := a.probe(0, false, nonce)
	if err != nil {
		t.Fatal(err)
	}
	a.Traffic = []weir.Traffic{planned(weir.IPv4, func(t *weir.Traffic) {
		t.Forward.DestinationPort = weir.PortSet{First: 53, Last: 53, Order: weir.Fixed}
	})}
	own, _, err := a.ownProbes(0, nonce)
	if err != nil || len(own) == 0 {
		t.Fatal(err)
	}
	brief := bytes.Clone(own[0]) // with a hop limit of 1
	brief[14+8] = 1
	brief[bytes.Index(brief, []byte(ownMark))+len(ownMark)+len(nonce)+2] = 1
	for _, c := range []struct {
		name       string
		kind, code uint8
		rest       uint32 // of the header of ICMP
		from       string
		quoted     []byte
		want       string
		filter     bool
	}{
		{"a loop", 11, 0, 0, "198.18.0.1", small, "(the box says: time exceeded in transit): its hop limit ran out on the way to 198.19.0.2, which is no filter", false},
		{"a loop, told from behind", 11, 0, 0, "10.9.9.2", small, "(10.9.9.2 says: time exceeded in transit)", false},
		{"a hop limit of one", 11, 0, 0, "198.18.0.1", brief, "the hop limit of the frames, 1, ran out on the way to 198.19.0.2, which is no filter: it is too small", false},
		{"a frame of the plan", 3, 13, 0, "198.18.0.1", own[0], "(the box says: administratively prohibited): a filter of the box rejects it", true},
		{"no network", 3, 0, 0, "198.18.0.1", small, "(the box says: network unreachable): the box has no route to 198.19.0.2", false},
		{"no host", 3, 1, 0, "198.18.0.1", small, "(the box says: host unreachable): the box has no route to 198.19.0.2, or a route and nobody there", false},
		{"no port", 3, 3, 0, "198.18.0.1", small, "(the box says: port unreachable): a filter of the box rejects it (most answer so), or 198.19.0.2 is an address of the box", true},
		{"a host that is prohibited", 3, 10, 0, "198.18.0.1", small, "host administratively prohibited", true},
		{"too large", 3, 4, 1400, "198.18.0.1", small, "(the box says: too big, the MTU is 1400)", false},
		{"a redirect", 5, 1, 0, "198.18.0.1", small, "(the box says: redirect for the host): its route to 198.19.0.2 leads back", false},
		{"a header", 12, 0, 0, "198.18.0.1", small, "(the box says: parameter problem): it takes a header", false},
		{"what is of no RFC", 3, 99, 0, "198.18.0.1", small, "(the box says: ICMP type 3 code 99): look at its log", false},
	} {
		ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolICMPv4, SrcIP: net.ParseIP(c.from), DstIP: net.IP{198, 18, 0, 2}}
		icmp := &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(c.kind, c.code), Id: uint16(c.rest >> 16), Seq: uint16(c.rest)}
		b := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
			&layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 9, 9}, DstMAC: a.Ports[0].MAC, EthernetType: layers.EthernetTypeIPv4}, ip, icmp, gopacket.Payload(c.quoted[14:])); err != nil {
			t.Fatal(err)
		}
		s := read(b.Bytes(), 0, nonce)
		if s == nil || s.kind != refusal {
			t.Fatalf("%s: read as %+v", c.name, s)
		}
		got := strings.Join(a.judge([]sighting{*s}), "; ")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if first, _, _ := strings.Cut(got, "; "); strings.Contains(first, "a filter of the box") != c.filter || strings.ContainsAny(first, "%") {
			t.Errorf("%s: %q", c.name, first)
		}
	}
}

// Those of ICMPv6, which has other types.
func TestAnswers6(t *testing.T) {
	a := two(t)
	for i, tester := range []string{"2001:2:0:1::2", "2001:2:0:2::2", "2001:2:0:3::2", "2001:2:0:4::2"} {
		a.Ports[i].Tester, a.Ports[i].Router = netip.MustParseAddr(tester), netip.MustParseAddr(strings.TrimSuffix(tester, "2")+"1")
	}
	nonce := [4]byte{1, 2, 3, 4}
	small, err := a.probe(0, false, nonce)
	if err != nil {
		t.Fatal(err)
	}
	for want, kind := range map[string][2]uint8{
		"hop limit exceeded in transit): its hop limit ran out on the way to 2001:2:0:2::2":  {3, 0},
		"no route to destination): the box has no route to 2001:2:0:2::2":                    {1, 0},
		"administratively prohibited): a filter of the box rejects it":                       {1, 1},
		"address unreachable): the box has no route to 2001:2:0:2::2, or a route and nobody": {1, 3},
		"port unreachable): a filter of the box rejects it (most answer so)":                 {1, 4},
		"a route to reject): the box has a route that rejects frames to 2001:2:0:2::2":       {1, 6},
		"too big, the MTU is 1280)":                    {2, 0},
		"unrecognized next header): it takes a header": {4, 1},
		"ICMPv6 type 9 code 9): look at its log":       {9, 9},
	} {
		ip := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolICMPv6, SrcIP: a.Ports[0].Router.AsSlice(), DstIP: a.Ports[0].Tester.AsSlice()}
		icmp := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(kind[0], kind[1])}
		if err := icmp.SetNetworkLayerForChecksum(ip); err != nil {
			t.Fatal(err)
		}
		b := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
			&layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 9, 9}, DstMAC: a.Ports[0].MAC, EthernetType: layers.EthernetTypeIPv6}, ip, icmp,
			gopacket.Payload(slices.Concat([]byte{0, 0, 5, 0}, small[14:]))); err != nil {
			t.Fatal(err)
		}
		s := read(b.Bytes(), 0, nonce)
		if s == nil || s.kind != refusal {
			t.Fatalf("%s: read as %+v", want, s)
		}
		if got := strings.Join(a.judge([]sighting{*s}), "; "); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Some frames of the plan are probes, which are known again, and those of a service are beside
// them: what differs names what is wrong.
func TestOwnProbes(t *testing.T) {
	nonce := [4]byte{1, 2, 3, 4}
	for _, c := range []struct {
		name         string
		traffic      weir.Traffic
		from0, from1 int    // probes of each port
		words        string // of the first from port 0
	}{
		{"random ports", planned(weir.IPv4, func(t *weir.Traffic) { t.Sizes = []weir.Size{64} }), 8, 8, "UDP from 198.18.0.2 port"},
		{"one flow", planned(weir.IPv4, func(t *weir.Traffic) {
			t.Flows = 1
			t.Forward.DestinationPort = weir.PortSet{First: 53, Last: 53, Order: weir.Fixed}
		}), 1, 1, "to 198.19.0.2 port 53"},
		{"one way", planned(weir.IPv4, func(t *weir.Traffic) { t.Bidirectional = false }), 8, 8, "UDP from"},
		{"back alone", planned(weir.IPv4, func(t *weir.Traffic) { t.Bidirectional, t.Backward = false, true }), 8, 8, ""},
		{"more flows than there are", planned(weir.IPv4, func(t *weir.Traffic) { t.Flows = frame.MaxFlows + 1 }), 8, 8, "UDP from"},
		{"tcp", planned(weir.IPv4, func(t *weir.Traffic) { t.Protocol = weir.TCP }), 8, 8, "TCP from"},
		{"tags", planned(weir.IPv4, func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{TPID: 0x8100, ID: 5}} }), 8, 8, "UDP from"},
		{"routes that the box may not have yet", planned(weir.IPv4, func(t *weir.Traffic) { t.Routes = weir.RouteSet{Count: 10, Family: weir.IPv4} }), 0, 0, ""},
		{"the other family", planned(weir.IPv6, func(*weir.Traffic) {}), 0, 0, ""},
		{"programs", weir.Traffic{Application: true, Family: weir.IPv4}, 0, 0, ""},
	} {
		a := two(t)
		a.Size, a.Traffic = 84, []weir.Traffic{c.traffic}
		if probes, _, err := a.ownProbes(2, nonce); err != nil || len(probes) > 0 {
			t.Errorf("%s: a port that no pair has sends %d probes (%v)", c.name, len(probes), err)
		}
		for i, want := range []int{c.from0, c.from1} {
			probes, words, err := a.ownProbes(i, nonce)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if len(probes) < want || want == 0 && len(probes) > 0 || len(words) > len(probes) || i == 0 && c.words != "" && !strings.Contains(strings.Join(words, " "), c.words) {
				t.Errorf("%s: port %d sends %d probes (%q), want %d", c.name, i, len(probes), words, want)
			}
			for _, data := range probes {
				if _, isTest := frame.Parse(data); isTest {
					t.Errorf("%s: a receiver takes a probe for a test frame", c.name)
				}
				if s := read(data, i^1, nonce); s == nil || !s.own || s.kind != probed || s.from != i || !s.unpassed() || s.large != (len(data)+4 == a.Size) {
					t.Errorf("%s: it is read as %+v", c.name, s)
				}
				if part := bytes.Clone(data); !strings.Contains(c.name, "tags") {
					if part[14+6] |= 0x20; read(part, i^1, nonce) != nil {
						t.Errorf("%s: the first fragment of a probe is taken for it", c.name)
					}
				}
				if read(data, i^1, [4]byte{9}) != nil {
					t.Errorf("%s: one of another time is taken for ours", c.name)
				}
			}
		}
	}
}

// What comes through tells a box that forwards nothing from one that drops the plan's frames,
// and one that drops others alone.
func TestJudgeOwn(t *testing.T) {
	a := two(t)
	a.Ports, a.Size = a.Ports[:2], 84
	a.sent = [][]string{{"UDP from 198.18.0.2 port 4000 to 198.19.0.2 port 53"}, nil}
	through := func(from int, own bool) []sighting {
		s := sighting{kind: probed, own: own, from: from, at: from ^ 1, sent: firstHops, hops: firstHops - 1, mac: net.HardwareAddr{2, 0, 0, 0, 9, 9}}
		l := s
		l.large = true
		return []sighting{s, l}
	}
	back := through(1, false)
	for _, c := range []struct {
		name, want string
		to         string
		seen       []sighting
	}{
		{"all", "", "", slices.Concat(back, through(0, true), through(0, false))},
		{"the plan's alone, as a filter drops port 9", "", "", slices.Concat(back, through(0, true))},
		{"the service's alone", "datagrams to UDP port 9 get from a to b, and the frames of the plan do not (UDP from 198.18.0.2 port 4000 to 198.19.0.2 port 53): a filter of the box drops them by their ports or protocol", "", slices.Concat(back, through(0, false))},
		{"the service's alone, and the plan's go elsewhere", "has the box a route to 198.51.100.7, and does a filter", "198.51.100.7", slices.Concat(back, through(0, false))},
		{"the service's alone, as the plan's are rejected", "(the box says: network unreachable): the box has no route to 198.19.0.2", "", slices.Concat(back, through(0, false),
			[]sighting{{kind: refusal, own: true, from: 0, answer: answers4[[2]byte{3, 0}]}})},
		{"none that is large", "frames of 84 octets do not get from a to b, and small ones do", "", slices.Concat(back, through(0, false)[:1])},
		{"none", "neither frames of the plan (UDP from 198.18.0.2 port 4000 to 198.19.0.2 port 53) nor datagrams to UDP port 9: does the box forward at all", "", nil},
	} {
		asked := a
		if c.to != "" {
			asked.sent = [][]string{{"UDP from 203.0.113.5 port 4000 to " + c.to + " port 53", "more"}, nil}
		}
		got := strings.Join(asked.judge(c.seen), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A switch with a spanning tree is heard, and says how long its ports forward nothing.
func TestSpanningTree(t *testing.T) {
	bpdu := func(to, head []byte, delay uint16, length int) []byte {
		b := slices.Concat(to, []byte{2, 0, 0, 0, 9, 9, 0, 38}, head, make([]byte, 33))
		b[len(b)-2], b[len(b)-1] = byte(delay>>8), byte(delay)
		return b[:min(length, len(b))]
	}
	for _, c := range []struct {
		name  string
		data  []byte
		delay time.Duration
		ok    bool
	}{
		{"the usual one", bpdu(bridges, toBridges, 15<<8, 99), 15 * time.Second, true},
		{"a fast one", bpdu(bridges, toBridges, 4<<8, 99), 4 * time.Second, true},
		{"a word of a change", bpdu(bridges, toBridges, 0, 14+7), usualDelay, true},
		{"one that cannot be", bpdu(bridges, toBridges, 0xffff, 99), usualDelay, true},
		{"of a VLAN", bpdu(bridgesCisco, toCisco, 20<<8, 99), 20 * time.Second, true},
		{"of something else to the group", bpdu(bridges, []byte{1, 2, 3, 4, 5}, 15<<8, 99), 0, false},
		{"to somebody else", bpdu([]byte{2, 0, 0, 0, 0, 1}, toBridges, 15<<8, 99), 0, false},
		{"cut", []byte{1, 0x80}, 0, false},
	} {
		if delay, ok := spanningTree(c.data); delay != c.delay || ok != c.ok {
			t.Errorf("%s: %v, %v", c.name, delay, ok)
		}
		if s := read(c.data, 0, [4]byte{}); c.ok && (s == nil || s.kind != tree || s.delay != c.delay) {
			t.Errorf("%s: read as %+v", c.name, s)
		}
	}
	a := two(t)
	for _, c := range []struct {
		name string
		seen sighting
		want time.Duration
	}{
		{"nothing", sighting{kind: wanted}, 4 * time.Second},
		{"another pair's", sighting{kind: probed, from: 2, at: 3}, 4 * time.Second},
		{"a small frame", sighting{kind: probed, from: 0, at: 1}, 0},
		{"a refusal", sighting{kind: refusal, from: 1, at: 1}, 0},
		{"an address in use", sighting{kind: claimed, at: 0, who: a.Ports[0].Tester}, 0},
		{"swapped cables", sighting{kind: claimed, at: 1, who: a.Ports[0].Router}, 0},
	} {
		if e := a.wrong([]string{"wrong"}, []sighting{c.seen, {kind: tree, delay: 4 * time.Second}}, 0); e.Delay != c.want {
			t.Errorf("%s: the error has a delay of %v", c.name, e.Delay)
		}
	}
}

// Answers to the plan's frames leave for the networks for benchmarks alone: nobody has allowed
// frames to the plan's sources.
func TestAnswersStayInTestNetworks(t *testing.T) {
	for source, want := range map[string]bool{"8.8.8.8": false, "198.18.1.7": true} {
		a := two(t)
		a.Size, a.Traffic = 84, []weir.Traffic{planned(weir.IPv4, func(t *weir.Traffic) {
			t.Bidirectional, t.Forward.Source.First = false, netip.MustParseAddr(source)
		})}
		for i, sends := range []bool{true, want} {
			if probes, _, err := a.ownProbes(i, [4]byte{1}); err != nil || (len(probes) > 0) != sends {
				t.Errorf("from %s: port %d sends %d probes (%v)", source, i, len(probes), err)
			}
		}
	}
}

// Answers that come back say nothing of the plan, and a frame of the plan that comes back names
// its own destination.
func TestJudgeReturned(t *testing.T) {
	a := two(t)
	a.Ports, a.Size = a.Ports[:2], 84
	a.sent = [][]string{{"UDP from 198.18.1.2 port 4000 to 198.19.1.9 port 53"}, nil}
	box := net.HardwareAddr{2, 0, 0, 0, 9, 9}
	var fine []sighting
	for from := range 2 {
		for _, large := range []bool{false, true} {
			fine = append(fine, sighting{kind: probed, from: from, at: from ^ 1, large: large, sent: firstHops, hops: firstHops - 1, mac: box})
		}
	}
	fine = append(fine, sighting{kind: probed, own: true, from: 0, at: 1, sent: firstHops, hops: firstHops - 1, mac: box})
	for port, want := range []string{"its route to 198.19.1.9 leads to where the frames come from", ""} {
		returned := sighting{kind: probed, own: true, from: port, at: port, sent: firstHops, hops: firstHops - 1, mac: box}
		got := strings.Join(a.judge(append(slices.Clone(fine), returned)), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("port %d: %q, want %q", port, got, want)
		}
	}
}
