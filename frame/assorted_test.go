package frame

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
)

func portBuilder(t testing.TB, tr weir.Traffic, port int) *Builder {
	t.Helper()
	b, err := NewPortBuilder(tr, port, here, there, UnopenedSessions(tr.Sessions, here, there)...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// blended is traffic with a share of frames of the other family.
func blended(tr weir.Traffic, share float64) weir.Traffic {
	tr.Blend = &weir.Blend{Share: share}
	tr.Blend.Forward, tr.Blend.Reverse = DefaultStreams(otherFamily(tr.Family))
	return tr
}

// mustParse parses a frame that a builder has made.
func mustParse(t testing.TB, f []byte) Parsed {
	t.Helper()
	p, ok := Parse(f)
	if !ok || !p.Intact {
		t.Fatalf("ok %v, %+v: %x", ok, p, f)
	}
	return p
}

// The frames of a port that has one kind are those of its stream.
func TestPortBuilderOfOneKind(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 1, 128, 1518)
	tr.Flows = 3
	for port, s := range []weir.Stream{tr.Forward, tr.Reverse} {
		want, err := NewBuilder(tr, s, here, there)
		if err != nil {
			t.Fatal(err)
		}
		got := portBuilder(t, tr, port)
		if got.Assorted() {
			t.Error("one kind of frame is assorted")
		}
		for i := range uint64(6) {
			sig := Signature{Sequence: i}
			if !bytes.Equal(want.Frame(nil, i, sig), got.Frame(nil, i, sig)) {
				t.Errorf("port %d: frame %d differs", port, i)
			}
		}
	}
}

// What needs the packet path's other program, even with one kind of frames.
func TestAssorted(t *testing.T) {
	one := record(t, "pcap", layers.LinkTypeEthernet, sendable(t)[0])
	c, err := ReadCapture(one)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*weir.Traffic){
		"all extended":        func(t *weir.Traffic) { t.Extensions, t.Extended = []weir.Extension{weir.HopByHop}, 1 },
		"broadcast":           func(t *weir.Traffic) { t.Broadcast = 0.01 },
		"one frame to replay": func(t *weir.Traffic) { t.Sizes, t.Replay = c.Sizes(), c.Replay() },
	} {
		tr := traffic(weir.IPv6, weir.UDP, 0, 128)
		if portBuilder(t, tr, 0).Assorted() {
			t.Fatal("plain frames are assorted")
		}
		if change(&tr); !portBuilder(t, tr, 0).Assorted() {
			t.Errorf("%s: not assorted", name)
		}
	}
}

func TestPortBuilderRefuses(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 128)
	for _, port := range []int{-1, 2} {
		if _, err := NewPortBuilder(tr, port, here, there); err == nil {
			t.Errorf("port %d is accepted", port)
		}
	}
	if _, err := NewPortBuilder(tr, 0, net.HardwareAddr{1}, there); err == nil {
		t.Error("an Ethernet address of one octet is accepted")
	}
	blend := blended(tr, 0.5)
	if _, err := NewBuilder(blend, blend.Forward, here, there); err == nil {
		t.Error("a blend without a port is accepted")
	}
}

// A blend has its share of each family, evenly spread, and each family walks
// through all sizes and flows.
func TestBlend(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5, 0.9, 1, 1. / 3, 0.123456} {
		tr := blended(traffic(weir.IPv4, weir.UDP, 0, 128, 1518), share)
		tr.Flows = 2
		b := portBuilder(t, tr, 1)
		other := 0
		seen := make(map[weir.Family]map[string]bool)
		const n = 40_000
		var f []byte
		for i := range uint64(n) {
			f = b.Frame(f, i, Signature{Sequence: i})
			p := mustParse(t, f)
			if p.Family == weir.IPv6 {
				other++
			}
			if want := share * float64(i+1); math.Abs(float64(other)-want) > 1.01+float64(i)/maxCycle/2 {
				t.Fatalf("share %g: after %d frames there are %d IPv6 ones", share, i+1, other)
			}
			if seen[p.Family] == nil {
				seen[p.Family] = make(map[string]bool)
			}
			if p.Flow.Source != TesterAddr(p.Family, 1) {
				t.Fatalf("port 1 sends from %v", p.Flow.Source)
			}
			seen[p.Family][fmt.Sprint(len(f), p.Flow)] = true
		}
		for family, combinations := range seen {
			if len(combinations) != 2 { // sizes and flows are walked together
				t.Errorf("share %g: %s has %d combinations of size and flow, want 2", share, family, len(combinations))
			}
		}
		if want := len(seen) > 1; b.Assorted() != want {
			t.Errorf("share %g: assorted %v", share, b.Assorted())
		}
	}
}

// Extension headers stand in their share of the frames, in order, as another
// implementation reads them.
func TestExtensions(t *testing.T) {
	for _, c := range []struct {
		list   []weir.Extension
		want   []gopacket.LayerType
		octets int
	}{
		{[]weir.Extension{weir.HopByHop}, []gopacket.LayerType{layers.LayerTypeIPv6HopByHop}, 8},
		{[]weir.Extension{weir.DestinationOptions}, []gopacket.LayerType{layers.LayerTypeIPv6Destination}, 8},
		{[]weir.Extension{weir.HopByHop, weir.DestinationOptions}, []gopacket.LayerType{layers.LayerTypeIPv6HopByHop, layers.LayerTypeIPv6Destination}, 16},
		// The other implementation does not know the routing header's type.
		{[]weir.Extension{weir.RoutingHeader, weir.DestinationOptions}, nil, 40},
		{[]weir.Extension{weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader, weir.DestinationOptions}, nil, 56},
	} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			tr := traffic(weir.IPv6, protocol, 1, 256, 151)
			tr.Extensions, tr.Extended = c.list, 0.25
			b := portBuilder(t, tr, 0)
			long := 0
			for i := range uint64(80) {
				f := b.Frame(nil, i, Signature{Sequence: i})
				p := mustParse(t, f)
				if p.Signature.Sequence != i || p.Protocol != protocol {
					t.Fatalf("frame %d: %+v", i, p)
				}
				plain := 18 + 40 + transportHeader(protocol)
				if p.Payload == plain {
					continue
				}
				long++
				if p.Payload != plain+c.octets {
					t.Fatalf("%v: the payload begins at %d", c.list, p.Payload)
				}
				if c.want == nil {
					continue
				}
				packet := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.DecodeOptions{})
				var got []gopacket.LayerType
				for _, l := range packet.Layers() {
					got = append(got, l.LayerType())
				}
				if diff := cmp.Diff(c.want, got[3:3+len(c.want)]); diff != "" || packet.ErrorLayer() != nil {
					t.Fatalf("%v: error %v (-want +got):\n%s", c.list, packet.ErrorLayer(), diff)
				}
			}
			if long != 20 {
				t.Errorf("%v: %d of 80 frames have them, want 20", c.list, long)
			}
		}
	}
}

func TestExtensionsTooSmall(t *testing.T) {
	tr := blended(traffic(weir.IPv4, weir.UDP, 0, 64), 0.1)
	tr.Extensions, tr.Extended = []weir.Extension{weir.HopByHop, weir.DestinationOptions}, 0.5
	const plain = "frame size 64 is too small: headers of 62 octets (ethernet, ipv6, udp), a signature of 12 and the FCS of 4 need at least 78"
	if _, err := LayoutOf(tr); err == nil || err.Error() != plain {
		t.Errorf("error %v, want %s", err, plain)
	}
	tr.Sizes[0] = 78
	const long = "frame size 78 is too small: headers of 78 octets (ethernet, ipv6, hop-by-hop, destination, udp), a signature of 12 and the FCS of 4 need at least 94"
	if _, err := LayoutOf(tr); err == nil || err.Error() != long {
		t.Errorf("error %v, want %s", err, long)
	}
	tr.Sizes[0] = 94
	if l, err := LayoutOf(tr); err != nil || l.Smallest != 94 || l.Payload != 42 {
		t.Errorf("%+v, error %v", l, err)
	}
}

// Every hundredth frame is a broadcast frame, of the sizes in turn, and nobody
// takes it for a test frame.
func TestBroadcast(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		tr := traffic(family, weir.TCP, 1, 100, 1518)
		tr.Broadcast = 0.01
		b := portBuilder(t, tr, 0)
		for i, want := range map[uint64]uint64{0: 0, 98: 0, 99: 1, 197: 1, 198: 2, 99e6: 1e6} {
			if got := b.Broadcasts(i); got != want {
				t.Errorf("%d broadcast frames go before frame %d, want %d", got, i, want)
			}
		}
		for i, size := range []int{100, 1518, 100} {
			f := b.BroadcastFrame(nil, uint64(i))
			if len(f) != size-FCS {
				t.Errorf("broadcast frame %d has %d octets", i, len(f))
			}
			if p, ok := Parse(f); ok {
				t.Errorf("broadcast frame %d is a test frame: %+v", i, p)
			}
			packet := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.DecodeOptions{})
			if err := packet.TransportLayer().(*layers.UDP).SetNetworkLayerForChecksum(packet.NetworkLayer()); err != nil {
				t.Fatal(err)
			}
			if err, mismatches := packet.VerifyChecksums(); err != nil || len(mismatches) > 0 || packet.ErrorLayer() != nil {
				t.Errorf("checksums: %v %+v %v", err, mismatches, packet.ErrorLayer())
			}
			ethernet := packet.LinkLayer().(*layers.Ethernet)
			ip, udp := packet.NetworkLayer().(*layers.IPv4), packet.TransportLayer().(*layers.UDP)
			if !slices.Equal(ethernet.DstMAC, net.HardwareAddr{255, 255, 255, 255, 255, 255}) || !slices.Equal(ethernet.SrcMAC, here) ||
				!ip.DstIP.Equal(net.IPv4bcast) || !ip.SrcIP.Equal(net.IPv4zero) || udp.DstPort != 9 {
				t.Errorf("%v", packet)
			}
		}
	}
	for _, share := range []float64{0.5, 0.25, 0.1, 0.001} {
		tr := traffic(weir.IPv4, weir.UDP, 0, 64)
		tr.Broadcast = share
		b := portBuilder(t, tr, 0)
		others := uint64(1e9)
		got := float64(b.Broadcasts(others))
		if want := share / (1 - share) * 1e9; math.Abs(got-want) > 1+want*1e-6 {
			t.Errorf("share %g: %g broadcast frames go with %d others, want %g", share, got, others, want)
		}
	}
}
