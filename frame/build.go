package frame

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"

	"weir"
)

// Builder makes the frames of one stream. It may be used by several goroutines
// at once.
type Builder struct {
	template Template
	sizes    []SizeEntry
	flows    []FlowEntry
	initial  []byte
	ipv6     bool
	tcp      bool
}

// NewBuilder is a builder of the frames of t in the direction of s, from the
// given source to the given destination, the next hop's. It is an error when
// LayoutOf or Flows refuse t and s, or an Ethernet address has not 6 octets.
func NewBuilder(t weir.Traffic, s weir.Stream, source, destination net.HardwareAddr) (*Builder, error) {
	for _, a := range []net.HardwareAddr{source, destination} {
		if len(a) != 6 {
			return nil, fmt.Errorf("%q is not an Ethernet address of 6 octets", a)
		}
	}
	layout, err := LayoutOf(t)
	if err != nil {
		return nil, err
	}
	flows, err := Flows(t, s)
	if err != nil {
		return nil, err
	}
	b := &Builder{
		template: Template{Headers: headers(t, layout, source, destination, t.Sizes[0], flows[0]), Layout: layout},
		sizes:    make([]SizeEntry, len(t.Sizes)),
		flows:    make([]FlowEntry, len(flows)),
		ipv6:     t.Family == weir.IPv6,
		tcp:      t.Protocol == weir.TCP,
	}
	payload := Payload(t.Seed, int(slices.Max(t.Sizes))-FCS-layout.Payload)
	for i, size := range t.Sizes {
		b.sizes[i] = sizeEntry(t, layout, size, payload)
	}
	for i, f := range flows {
		b.flows[i] = flowEntry(f)
	}
	b.initial = slices.Concat(b.template.Headers, payload)
	return b, nil
}

// Template is what all frames have in common. It must not be changed.
func (b *Builder) Template() Template { return b.template }

// SizeEntries are the entries of Traffic.Sizes, in the same order. They must
// not be changed.
func (b *Builder) SizeEntries() []SizeEntry { return b.sizes }

// FlowEntries are the entries of the flows, in the order of Flows. They must
// not be changed.
func (b *Builder) FlowEntries() []FlowEntry { return b.flows }

// Initial is a copy of the octets that frames are made of: the template's
// headers and the filler of the largest size. It is no valid frame itself; one
// of size i is its first SizeEntry.Frame octets, finished.
func (b *Builder) Initial() []byte { return slices.Clone(b.initial) }

// Frame builds frame i without FCS: of size i modulo their number, of flow i
// modulo their number. It overwrites dst from its start and returns it with the
// frame's length; only a dst whose capacity is too small is replaced.
func (b *Builder) Frame(dst []byte, i uint64, sig Signature) []byte {
	size := &b.sizes[i%uint64(len(b.sizes))]
	flow := &b.flows[i%uint64(len(b.flows))]
	l := &b.template.Layout
	n := int(size.Frame)
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	dst = dst[:n]
	copy(dst, b.initial)
	PutSignature(dst[l.Payload:], sig, l.Short)
	b.finishNetwork(dst[l.L3:l.L4], size, flow)
	signature := addWords(0, dst[l.Payload:l.Payload+signatureSize(l.Short)])
	b.finishTransport(dst[l.L4:l.Payload], size, flow, signature)
	return dst
}

func (b *Builder) finishNetwork(h []byte, size *SizeEntry, flow *FlowEntry) {
	if b.ipv6 {
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

func (b *Builder) finishTransport(h []byte, size *SizeEntry, flow *FlowEntry, signature uint64) {
	binary.BigEndian.PutUint16(h[sourcePort:], flow.SourcePort)
	binary.BigEndian.PutUint16(h[destinationPort:], flow.DestinationPort)
	checksum := ^fold(uint64(size.L4Sum) + uint64(flow.L4Sum) + signature)
	if b.tcp {
		binary.BigEndian.PutUint16(h[tcpChecksum:], checksum)
		return
	}
	if checksum == 0 {
		checksum = 0xffff // 0 would mean that there is none (RFC 768)
	}
	binary.BigEndian.PutUint16(h[udpLength:], size.L4Length)
	binary.BigEndian.PutUint16(h[udpChecksum:], checksum)
}
