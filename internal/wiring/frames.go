package wiring

import (
	"bytes"
	"net"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// mark begins the payload of a probe; who sent it and how large it is follows. It
// begins unlike the signature of a test frame, which receivers would take.
const mark = "What is connected here? asks weir "

// discard is the port of a service that throws away what it gets (RFC 863).
const discard = 9

// probe is a frame from a port to its pair, so many octets long with the FCS, or as
// short as it can be.
func (a Asked) probe(i int, large bool, nonce [4]byte) ([]byte, error) {
	from, to := a.Ports[i], a.Ports[i^1]
	payload := append([]byte(mark), nonce[:]...)
	payload = append(payload, byte(i), 0)
	if large {
		payload[len(payload)-1] = 1
		headers := 14 + 20 + 8 + 4
		if to.Tester.Is6() {
			headers += 20
		}
		payload = append(payload, make([]byte, max(0, a.Size-headers-len(payload)))...)
	}
	eth := &layers.Ethernet{SrcMAC: from.MAC, DstMAC: from.NextHop, EthernetType: layers.EthernetTypeIPv4}
	udp := &layers.UDP{SrcPort: discard, DstPort: discard}
	src, dst := net.IP(from.Tester.AsSlice()), net.IP(to.Tester.AsSlice())
	if to.Tester.Is6() {
		eth.EthernetType = layers.EthernetTypeIPv6
		ip := &layers.IPv6{Version: 6, HopLimit: firstHops, NextHeader: layers.IPProtocolUDP, SrcIP: src, DstIP: dst}
		return built(eth, ip, udp, ip, payload)
	}
	ip := &layers.IPv4{Version: 4, TTL: firstHops, Protocol: layers.IPProtocolUDP, Flags: layers.IPv4DontFragment, SrcIP: src, DstIP: dst}
	return built(eth, ip, udp, ip, payload)
}

func built(eth *layers.Ethernet, ip gopacket.SerializableLayer, udp *layers.UDP, network gopacket.NetworkLayer, payload []byte) ([]byte, error) {
	if err := udp.SetNetworkLayerForChecksum(network); err != nil {
		return nil, err
	}
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, ip, udp, gopacket.Payload(payload))
	return b.Bytes(), err
}

// question asks who has an address; sender is whom the answer is for, or, where the own
// address may be in use, nobody: the zero address (RFC 5227, RFC 4862 section 5.4).
func question(from Port, sender, target netip.Addr) ([]byte, error) {
	if target.Is6() {
		return solicitation(from, sender, target)
	}
	ip := sender.As4()
	who := target.As4()
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true},
		&layers.Ethernet{SrcMAC: from.MAC, DstMAC: layers.EthernetBroadcast, EthernetType: layers.EthernetTypeARP},
		&layers.ARP{AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4, Operation: layers.ARPRequest,
			SourceHwAddress: from.MAC, SourceProtAddress: ip[:], DstHwAddress: make([]byte, 6), DstProtAddress: who[:]})
	return b.Bytes(), err
}

// solicitation is the question of IPv6 (RFC 4861 section 4.3).
func solicitation(from Port, sender, target netip.Addr) ([]byte, error) {
	who := target.As16()
	group := append(netip.MustParseAddr("ff02::1:ff00:0").AsSlice()[:13], who[13:]...) // of the node that has it
	ip := &layers.IPv6{Version: 6, HopLimit: 255, NextHeader: layers.IPProtocolICMPv6, SrcIP: sender.AsSlice(), DstIP: group}
	icmp := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(layers.ICMPv6TypeNeighborSolicitation, 0)}
	if err := icmp.SetNetworkLayerForChecksum(ip); err != nil {
		return nil, err
	}
	ask := &layers.ICMPv6NeighborSolicitation{TargetAddress: who[:]}
	if !sender.IsUnspecified() {
		ask.Options = layers.ICMPv6Options{{Type: layers.ICMPv6OptSourceAddress, Data: from.MAC}}
	}
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		&layers.Ethernet{SrcMAC: from.MAC, DstMAC: append(net.HardwareAddr{0x33, 0x33}, group[12:]...), EthernetType: layers.EthernetTypeIPv6}, ip, icmp, ask)
	return b.Bytes(), err
}

// nobody is the sender of a question that is not to be answered to the own address.
func nobody(target netip.Addr) netip.Addr {
	if target.Is6() {
		return netip.IPv6Unspecified()
	}
	return netip.IPv4Unspecified()
}

// read says what of a frame that arrived at a port tells something; nil: nothing.
func read(data []byte, at int, nonce [4]byte) *sighting {
	p := gopacket.NewPacket(data, layers.LayerTypeEthernet, gopacket.DecodeOptions{NoCopy: true, Lazy: true})
	eth, ok := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
	if !ok {
		return nil
	}
	s := sighting{at: at, mac: eth.SrcMAC}
	if delay, ok := spanningTree(data); ok {
		s.kind, s.delay = tree, delay
		return &s
	}
	if arp, ok := p.Layer(layers.LayerTypeARP).(*layers.ARP); ok {
		return ofARP(s, arp)
	}
	if ask, ok := p.Layer(layers.LayerTypeICMPv6NeighborSolicitation).(*layers.ICMPv6NeighborSolicitation); ok {
		s.kind = wanted
		s.who, _ = netip.AddrFromSlice(ask.TargetAddress)
		return &s
	}
	if has, ok := p.Layer(layers.LayerTypeICMPv6NeighborAdvertisement).(*layers.ICMPv6NeighborAdvertisement); ok {
		s.kind = claimed
		s.who, _ = netip.AddrFromSlice(has.TargetAddress)
		return &s
	}
	ours, sent := false, uint8(firstHops)
	if s.from, s.large, ours = ofProbe(data, nonce); !ours {
		own, isOwn := ofOwn(data, nonce)
		if !isOwn {
			return nil
		}
		s.own, s.from, s.large, sent = true, own.from, own.large, own.sent
	}
	s.sent = sent
	switch ip := p.NetworkLayer().(type) {
	case *layers.IPv4:
		if ip.Flags&layers.IPv4MoreFragments != 0 || ip.FragOffset > 0 {
			return nil // a part of a frame that was too large does not count as it
		}
		s.hops = ip.TTL
	case *layers.IPv6:
		s.hops = ip.HopLimit
	}
	s.answered(p)
	return &s
}

func ofARP(s sighting, arp *layers.ARP) *sighting {
	s.mac = arp.SourceHwAddress
	if arp.Operation == layers.ARPRequest {
		s.kind = wanted
		s.who, _ = netip.AddrFromSlice(arp.DstProtAddress)
		return &s
	}
	s.kind = claimed
	s.who, _ = netip.AddrFromSlice(arp.SourceProtAddress)
	return &s
}

// ofProbe finds a probe of ours in a frame, also where a router quotes it: its first
// octets are enough.
func ofProbe(data []byte, nonce [4]byte) (from int, large, ours bool) {
	i := bytes.Index(data, append([]byte(mark), nonce[:]...))
	if at := i + len(mark) + len(nonce); i >= 0 && at+1 < len(data) {
		return int(data[at]), data[at+1] == 1, true
	}
	return 0, false, false
}
