package frame

import (
	"encoding/binary"
	"net"

	"weir"
)

// Kind is what the frames of one kind have in common: they differ in size, flow
// and signature alone. Homogeneous traffic has one kind.
type Kind struct {
	Template Template
	IPv6     bool
	TCP      bool
	Signed   bool        // false: broadcast frames
	Sizes    []SizeEntry // walked by the frames of this kind, and again
	Flows    []FlowEntry // likewise
	// Sessions are what of its session the frames of each flow have; none where they
	// leave in none.
	Sessions []SessionEntry

	// Octets is what the packet path writes to the start of a frame, as far as
	// the frame reaches, before it puts addresses, lengths, signature and
	// checksums in: whatever frames of other kinds may have left there is then
	// gone. It begins with the template's headers, or is a whole frame from a
	// capture.
	Octets []byte
}

// flowTable are the flows of a kind; those of one family share one.
type flowTable struct {
	first    Flow
	entries  []FlowEntry
	sessions []SessionEntry // of each, or none
}

func newFlowTable(flows []Flow, sessions []SessionEntry) flowTable {
	t := flowTable{flows[0], make([]FlowEntry, len(flows)), sessions}
	for i, f := range flows {
		t.entries[i] = flowEntry(f)
	}
	return t
}

// newKind is a kind of the frames of a variant in a layout, without Octets. The
// page has the filler in its place.
func newKind(t weir.Traffic, l Layout, signed bool, flows flowTable, source, destination net.HardwareAddr, page []byte) *Kind {
	k := &Kind{
		Template: Template{Headers: headers(t, l, source, destination, t.Sizes[0], flows.first), Layout: l},
		IPv6:     t.Family == weir.IPv6,
		TCP:      t.Protocol == weir.TCP,
		Signed:   signed,
		Sizes:    make([]SizeEntry, len(t.Sizes)),
		Flows:    flows.entries,
		Sessions: flows.sessions,
	}
	if k.Sessions != nil {
		k.Sessions[0].put(k.Template.Headers)
	}
	for i, size := range t.Sizes {
		k.Sizes[i] = sizeEntry(t, l, size, page[k.SignatureEnd():size-FCS])
	}
	return k
}

// SignatureEnd is where the filler begins, in octets.
func (k *Kind) SignatureEnd() int {
	if !k.Signed {
		return k.Template.Layout.Payload
	}
	return k.Template.Layout.Payload + signatureSize(k.Template.Layout.Short)
}

// finish puts into a frame of the kind what differs. The frame is as long as
// its size says, and begins with the kind's octets.
func (k *Kind) finish(frame []byte, n uint64, sig Signature) {
	size, flow := &k.Sizes[n%uint64(len(k.Sizes))], &k.Flows[n%uint64(len(k.Flows))]
	l := &k.Template.Layout
	if k.Sessions != nil {
		k.Sessions[n%uint64(len(k.Sessions))].put(frame)
		binary.BigEndian.PutUint16(frame[ethernetHeader+pppoeLength:], size.IPLength+2)
	}
	signature := uint64(0)
	if k.Signed {
		PutSignature(frame[l.Payload:], sig, l.Short)
		signature = addWords(0, frame[l.Payload:l.Payload+signatureSize(l.Short)])
	}
	k.finishNetwork(frame[l.L3:l.L4], size, flow)
	k.finishTransport(frame[l.L4:l.Payload], size, flow, signature)
}

func (k *Kind) finishNetwork(h []byte, size *SizeEntry, flow *FlowEntry) {
	if k.IPv6 {
		binary.BigEndian.PutUint16(h[ipv6Length:], size.IPLength-ipv6Header)
		copy(h[ipv6Source:ipv6Destination], flow.Source[:])
		copy(h[ipv6Destination:], flow.Destination[:])
		return
	}
	binary.BigEndian.PutUint16(h[ipv4Length:], size.IPLength)
	binary.BigEndian.PutUint16(h[ipv4Checksum:], ^fold(uint64(size.IPSum)+uint64(flow.IPSum)))
	copy(h[ipv4Source:ipv4Destination], flow.Source[:4])
	copy(h[ipv4Destination:], flow.Destination[:4])
}

func (k *Kind) finishTransport(h []byte, size *SizeEntry, flow *FlowEntry, signature uint64) {
	binary.BigEndian.PutUint16(h[sourcePort:], flow.SourcePort)
	binary.BigEndian.PutUint16(h[destinationPort:], flow.DestinationPort)
	checksum := ^fold(uint64(size.L4Sum) + uint64(flow.L4Sum) + signature)
	if k.TCP {
		binary.BigEndian.PutUint16(h[tcpChecksum:], checksum)
		return
	}
	if checksum == 0 {
		checksum = 0xffff // 0 would mean that there is none (RFC 768)
	}
	binary.BigEndian.PutUint16(h[udpLength:], size.L4Length)
	binary.BigEndian.PutUint16(h[udpChecksum:], checksum)
}
