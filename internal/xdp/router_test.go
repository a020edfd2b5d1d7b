//go:build linux

package xdp

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// router is a DUT with three ports that forward and one that does not, and the
// forwarder at them.
type router struct {
	*testbed.Netns
	ports     []weir.Port
	forwarder *Forwarder
}

const routerSettings = `
address replace 198.18.0.1/30 dev d0
address replace 198.19.0.1/30 dev d1
address replace 203.0.113.1/30 dev d2
address replace 2001:2:0:0::1/64 dev d0 nodad
address replace 2001:2:0:1::1/64 dev d1 nodad
neighbor replace 198.18.0.2 lladdr t0 dev d0 nud permanent
neighbor replace 198.19.0.2 lladdr t1 dev d1 nud permanent
neighbor replace 203.0.113.2 lladdr t2 dev d2 nud permanent
neighbor replace 2001:2:0:0::2 lladdr t0 dev d0 nud permanent
neighbor replace 2001:2:0:1::2 lladdr t1 dev d1 nud permanent
route replace 198.18.0.0/16 via 198.18.0.2 dev d0
route replace 198.19.0.0/16 via 198.19.0.2 dev d1
route replace 2001:2:0:1:8000::/80 via 2001:2:0:1::2 dev d1
route replace 203.0.112.0/24 via 203.0.113.2 dev d2
route replace blackhole 198.19.66.0/24
route replace unreachable 198.19.67.0/24
route replace 198.19.68.0/24 via 198.19.0.2 dev d1 mtu lock 500
`

func openRouter(t *testing.T) *router {
	t.Helper()
	r := openStack(t)
	// Port 2 has routes and neighbours, and no forwarder.
	if err := r.InDUT(func() (err error) {
		r.forwarder, err = Forward([]string{r.ports[0].DUT, r.ports[1].DUT, r.ports[3].DUT})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.forwarder.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// openStack is a router of which the stack alone forwards.
func openStack(t *testing.T) *router {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	t.Setenv("WEIR_RUN", t.TempDir())
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{Pairs: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
	})
	// Nothing arrives but what the test feeds: no neighbour discovery.
	if err := bed.TesterHost().WriteFile(t.Context(), "/proc/sys/net/ipv6/conf/all/disable_ipv6", "1"); err != nil {
		t.Fatal(err)
	}
	r := &router{Netns: bed, ports: bed.DUT().Ports}
	var names []string
	for i, p := range r.ports {
		names = append(names, fmt.Sprintf(" d%d", i), " "+p.DUT, fmt.Sprintf(" t%d", i), " "+p.TesterMAC)
	}
	said, err := bed.DUT().Host.Run(t.Context(), strings.NewReplacer(names...).Replace(routerSettings), "ip", "-batch", "-")
	if err != nil {
		t.Fatal(err, said)
	}
	r.turn(t, "1")
	return r
}

// turn turns forwarding on ("1") or off.
func (r *router) turn(t *testing.T, value string) {
	t.Helper()
	for _, file := range []string{"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"} {
		if err := r.DUT().Host.WriteFile(t.Context(), file, value); err != nil {
			t.Fatal(err)
		}
	}
}

// feed runs the forwarder on a frame that arrived at a port.
func (r *router) feed(t *testing.T, port int, in []byte) (verdict uint32, out []byte) {
	t.Helper()
	return r.run(t, r.forwarder.ports[port].Forward, port, in)
}

// run runs a program on a frame that arrived at a port.
func (r *router) run(t *testing.T, program *ebpf.Program, port int, in []byte) (verdict uint32, out []byte) {
	t.Helper()
	err := r.InDUT(func() error {
		index, err := netif.Index(r.ports[port].DUT)
		if err != nil {
			return err
		}
		type context struct{ Data, DataEnd, DataMeta, IngressIfindex, RxQueueIndex, EgressIfindex uint32 }
		out = make([]byte, len(in)+256)
		run := ebpf.RunOptions{Data: in, DataOut: out, Context: context{DataEnd: uint32(len(in)), IngressIfindex: uint32(index)}}
		verdict, err = program.Run(&run)
		out = run.DataOut
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdict, out
}

// parcel is a packet with all that a router looks at.
type parcel struct {
	from, to       string // Ethernet addresses
	source, target string
	ttl, tos       uint8
	label          uint32
	size           int // octets of payload
	options        []layers.IPv4Option
	fragment       uint16 // offset
	more           bool   // fragments follow
	next           layers.IPProtocol
	tag            uint16
	id             uint16
	session        uint16 // of PPPoE that it is in
}

func hardware(s string) net.HardwareAddr {
	a, err := net.ParseMAC(s)
	if err != nil {
		panic(err) // a mistake in a test
	}
	return a
}

// octets are the frame, by a library that knows nothing of the program.
func (p parcel) octets(t *testing.T) []byte {
	t.Helper()
	ethernet := &layers.Ethernet{SrcMAC: hardware(p.from), DstMAC: hardware(p.to), EthernetType: layers.EthernetTypeIPv4}
	stack := []gopacket.SerializableLayer{ethernet}
	source, target := netip.MustParseAddr(p.source), netip.MustParseAddr(p.target)
	kind := layers.EthernetTypeIPv4
	if source.Is6() {
		kind = layers.EthernetTypeIPv6
	}
	ethernet.EthernetType = kind
	if p.tag > 0 {
		ethernet.EthernetType = layers.EthernetTypeDot1Q
		stack = append(stack, &layers.Dot1Q{VLANIdentifier: p.tag, Type: kind})
	}
	if p.session > 0 {
		ethernet.EthernetType = layers.EthernetTypePPPoESession
		proto := layers.PPPTypeIPv4
		if kind == layers.EthernetTypeIPv6 {
			proto = layers.PPPTypeIPv6
		}
		stack = append(stack, &layers.PPPoE{Version: 1, Type: 1, SessionId: p.session}, &layers.PPP{PPPType: proto})
	}
	if p.next == 0 {
		p.next = layers.IPProtocolUDP
	}
	if source.Is4() {
		ip := &layers.IPv4{Version: 4, TOS: p.tos, Id: p.id, TTL: p.ttl, Protocol: p.next, SrcIP: source.AsSlice(), DstIP: target.AsSlice(),
			Options: p.options, FragOffset: p.fragment}
		if p.more {
			ip.Flags = layers.IPv4MoreFragments
		}
		stack = append(stack, ip)
	} else {
		stack = append(stack, &layers.IPv6{Version: 6, TrafficClass: p.tos, FlowLabel: p.label, HopLimit: p.ttl, NextHeader: p.next,
			SrcIP: source.AsSlice(), DstIP: target.AsSlice()})
	}
	payload := bytes.Repeat([]byte{0x5a}, p.size)
	b := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(b, options, append(stack, gopacket.Payload(payload))...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
