package xdp

import (
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf"

	"weir/frame"
)

// fillSessions writes what of its session the frames of each flow have into the
// program's map.
func (g *Generator) fillSessions(b *frame.Builder) error {
	entries := b.Kinds()[0].Sessions
	if entries == nil {
		return nil
	}
	keys, values := make([]uint32, len(entries)), make([]generatorSessionEntry, len(entries))
	for i, e := range entries {
		keys[i], values[i] = uint32(i), generatorSessionEntry{Ethernet: e.Ethernet, Id: uint16(network16(e.ID))}
	}
	if _, err := g.objects.Sessions.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("fill the table of sessions: %w", err)
	}
	return nil
}

// putClients writes whose sessions these are into a receiver's map, which has nobody's.
func putClients(to *ebpf.Map, sessions *[]frame.Session) error {
	if sessions == nil || len(*sessions) == 0 {
		return nil
	}
	keys, values := make([]uint32, len(*sessions)), make([]receiverClient, len(*sessions))
	for i, s := range *sessions {
		keys[i] = uint32(s.ID)
		c := &values[i]
		c.There = 1
		copy(c.Ethernet[:], s.Client)
		if s.IPv4.IsValid() {
			a := s.IPv4.As4()
			c.Ipv4 = binary.NativeEndian.Uint32(a[:])
		}
		if s.IPv6.IsValid() {
			a := s.IPv6.As16()
			for k := range c.Ipv6 {
				c.Ipv6[k] = binary.NativeEndian.Uint32(a[4*k:])
			}
		}
	}
	if _, err := to.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("fill the receiver's table of sessions: %w", err)
	}
	return nil
}
