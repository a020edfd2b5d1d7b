//go:build linux

package xdp

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/layers"
)

// Plain packets leave with the next hop's address, a hop less and a right
// checksum, and nothing else of them changes.
func TestForwarderForwards(t *testing.T) {
	r := openRouter(t)
	for name, c := range map[string]struct {
		in, out int // ports
		parcel
	}{
		"IPv4":                        {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 64, size: 26}},
		"IPv4 back":                   {1, 0, parcel{source: "198.19.0.2", target: "198.18.0.2", ttl: 64, size: 26}},
		"behind the neighbour":        {0, 1, parcel{source: "198.18.77.1", target: "198.19.200.9", ttl: 2, tos: 0xb9, size: 1480}},
		"last but one hop":            {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 2, size: 26}},
		"most hops":                   {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 255, size: 26}},
		"no payload":                  {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 9, size: 0}},
		"a fragment":                  {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 64, size: 64, fragment: 8, more: true}},
		"as large as its route takes": {0, 1, parcel{source: "198.18.0.2", target: "198.19.68.1", ttl: 64, size: 480}},
		"other protocol":              {0, 1, parcel{source: "198.18.0.2", target: "198.19.0.2", ttl: 64, size: 26, next: layers.IPProtocolESP}},
		"IPv6":                        {0, 1, parcel{source: "2001:2::2", target: "2001:2:0:1::2", ttl: 64, size: 20}},
		"IPv6 back":                   {1, 0, parcel{source: "2001:2:0:1::2", target: "2001:2::2", ttl: 2, size: 1460}},
		"IPv6 route":                  {0, 1, parcel{source: "2001:2::2", target: "2001:2:0:1:8000::9", ttl: 255, tos: 0xff, label: 0xfffff, size: 20}},
		"IPv6 routing header":         {0, 1, parcel{source: "2001:2::2", target: "2001:2:0:1::2", ttl: 64, size: 40, next: layers.IPProtocolIPv6Routing}},
		"IPv6 fragment":               {0, 1, parcel{source: "2001:2::2", target: "2001:2:0:1::2", ttl: 64, size: 40, next: layers.IPProtocolIPv6Fragment}},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := r.forwarder.Counts()
			if err != nil {
				t.Fatal(err)
			}
			p := c.parcel
			p.from, p.to = r.ports[c.in].TesterMAC, r.ports[c.in].DUTMAC
			verdict, got := r.feed(t, c.in, p.octets(t))
			p.from, p.to = r.ports[c.out].DUTMAC, r.ports[c.out].TesterMAC
			p.ttl--
			if want := p.octets(t); verdict != verdictRedirect || !bytes.Equal(got, want) {
				t.Errorf("verdict %d\n got %x\nwant %x", verdict, got, want)
			}
			after, err := r.forwarder.Counts()
			if err != nil {
				t.Fatal(err)
			}
			before[c.in].Frames++
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("counted (-want +got):\n%s", d)
			}
		})
	}
}

// The checksum is right whatever it was: all values of it that there are.
func TestForwarderChecksums(t *testing.T) {
	r := openRouter(t)
	p := parcel{source: "198.18.0.2", target: "198.19.0.2", size: 26, from: r.ports[0].TesterMAC, to: r.ports[0].DUTMAC}
	for i := range 1 << 16 {
		if i%7 > 0 && i > 512 && i < 1<<16-512 { // those about the carry, and some of the others
			continue
		}
		p.id, p.ttl = uint16(i), uint8(2+i%254)
		in := p.octets(t)
		verdict, out := r.feed(t, 0, in)
		if verdict != verdictRedirect || headerSum(out[14:34]) != 0xffff || out[22] != in[22]-1 {
			t.Fatalf("packet %d: verdict %d, sum %x, %x", i, verdict, headerSum(out[14:34]), out[14:34])
		}
		// Of the two forms of zero it has the one that a header's sum gives.
		if out[24] == 0xff && out[25] == 0xff {
			t.Fatalf("packet %d has the checksum ffff: %x", i, out[14:34])
		}
	}
}

// headerSum is the sum of RFC 1071.
func headerSum(header []byte) uint32 {
	var sum uint32
	for i := 0; i < len(header); i += 2 {
		sum += uint32(header[i])<<8 | uint32(header[i+1])
	}
	for sum>>16 > 0 {
		sum = sum&0xffff + sum>>16
	}
	return sum
}

// Everything else goes to the stack, as it came.
func TestForwarderPasses(t *testing.T) {
	r := openRouter(t)
	from, to := r.ports[0].TesterMAC, r.ports[0].DUTMAC
	plain := parcel{from: from, to: to, source: "198.18.0.2", target: "198.19.0.2", ttl: 64, size: 26}
	plain6 := parcel{from: from, to: to, source: "2001:2::2", target: "2001:2:0:1::2", ttl: 64, size: 20}
	with := func(p parcel, change func(*parcel)) []byte {
		change(&p)
		return p.octets(t)
	}
	at := func(p parcel, source, target string) []byte {
		return with(p, func(p *parcel) { p.source, p.target = source, target })
	}
	raw := func(p parcel, change func([]byte)) []byte {
		f := p.octets(t)
		change(f)
		return f
	}
	arp := make([]byte, 60)
	copy(arp, plain.octets(t)[:12])
	arp[12], arp[13] = 8, 6
	link := func(p *Passed) *uint64 { return &p.Link }
	header := func(p *Passed) *uint64 { return &p.Header }
	address := func(p *Passed) *uint64 { return &p.Address }
	route := func(p *Passed) *uint64 { return &p.Route }
	port := func(p *Passed) *uint64 { return &p.Port }
	for name, c := range map[string]struct {
		frame []byte
		why   func(*Passed) *uint64
	}{
		"ARP":                    {arp, link},
		"ARP to all":             {append(bytes.Repeat([]byte{0xff}, 6), arp[6:]...), link},
		"VLAN":                   {with(plain, func(p *parcel) { p.tag = 7 }), link},
		"VLAN IPv6":              {with(plain6, func(p *parcel) { p.tag = 7 }), link},
		"to all stations":        {with(plain, func(p *parcel) { p.to = "ff:ff:ff:ff:ff:ff" }), link},
		"to a group of stations": {with(plain6, func(p *parcel) { p.to = "33:33:00:00:00:01" }), link},
		"to another station":     {with(plain, func(p *parcel) { p.to = r.ports[1].DUTMAC }), link},
		"too short":              {plain.octets(t)[:33], link},
		"TTL 1":                  {with(plain, func(p *parcel) { p.ttl = 1 }), header},
		"TTL 0":                  {with(plain, func(p *parcel) { p.ttl = 0 }), header},
		"hop limit 1":            {with(plain6, func(p *parcel) { p.ttl = 1 }), header},
		"hop limit 0":            {with(plain6, func(p *parcel) { p.ttl = 0 }), header},
		"options": {with(plain, func(p *parcel) {
			p.options = []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}}}
		}), header},
		"options for every hop":   {raw(plain6, func(f []byte) { f[20] = 0 }), header},
		"wrong checksum":          {raw(plain, func(f []byte) { f[24] ^= 1 }), header},
		"wrong version":           {raw(plain, func(f []byte) { f[14] = 0x55 }), header},
		"wrong version 6":         {raw(plain6, func(f []byte) { f[14] = 0x45 }), header},
		"longer than its frame":   {plain.octets(t)[:14+20+25], header},
		"longer than its frame 6": {plain6.octets(t)[:14+40+19], header},
		"cut off in the header":   {plain6.octets(t)[:14+39], header},
		"to network 127":          {at(plain, "198.18.0.2", "127.0.0.1"), address},
		"from network 127":        {at(plain, "127.0.0.1", "198.19.0.2"), address},
		"to network 0":            {at(plain, "198.18.0.2", "0.0.0.1"), address},
		"from nobody":             {at(plain, "0.0.0.0", "198.19.0.2"), address},
		"to a group":              {at(plain, "198.18.0.2", "224.0.0.9"), address},
		"from a group":            {at(plain, "224.0.0.9", "198.19.0.2"), address},
		"to all hosts":            {at(plain, "198.18.0.2", "255.255.255.255"), address},
		"to a group 6":            {at(plain6, "2001:2::2", "ff02::9"), address},
		"from a link 6":           {at(plain6, "fe80::1", "2001:2:0:1::2"), address},
		"to a link 6":             {at(plain6, "2001:2::2", "febf::1"), address},
		"from nobody 6":           {at(plain6, "::", "2001:2:0:1::2"), address},
		"to the loopback 6":       {at(plain6, "2001:2::2", "::1"), address},
		"to the DUT":              {at(plain, "198.18.0.2", "198.19.0.1"), route},
		"to the DUT 6":            {at(plain6, "2001:2::2", "2001:2:0:1::1"), route},
		"to the hosts of a link":  {at(plain, "198.18.0.2", "198.19.0.3"), route},
		"unknown route":           {at(plain, "198.18.0.2", "9.9.9.9"), route},
		"unknown route 6":         {at(plain6, "2001:2::2", "2001:db8::1"), route},
		"unknown neighbour 6":     {at(plain6, "2001:2::2", "2001:2:0:1::77"), route},
		"black hole":              {at(plain, "198.18.0.2", "198.19.66.1"), route},
		"unreachable":             {at(plain, "198.18.0.2", "198.19.67.1"), route},
		"larger than its route":   {with(plain, func(p *parcel) { p.target, p.size = "198.19.68.1", 481 }), route},
		"larger than the link":    {with(plain6, func(p *parcel) { p.size = 1461 }), route},
		"back where it came from": {at(plain, "198.18.0.2", "198.18.0.2"), port},
		"port without forwarder":  {at(plain, "198.18.0.2", "203.0.112.2"), port},
	} {
		t.Run(name, func(t *testing.T) { r.passes(t, c.frame, c.why) })
	}
	// What a router does not forward, neither does the forwarder.
	r.turn(t, "0")
	r.passes(t, plain.octets(t), route)
	r.passes(t, plain6.octets(t), route)
	r.turn(t, "1")
}

func (r *router) passes(t *testing.T, in []byte, why func(*Passed) *uint64) {
	t.Helper()
	want, err := r.forwarder.Counts()
	if err != nil {
		t.Fatal(err)
	}
	verdict, out := r.feed(t, 0, in)
	if verdict != verdictPass || !bytes.Equal(in, out) {
		t.Errorf("verdict %d\n in %x\nout %x", verdict, in, out)
	}
	got, err := r.forwarder.Counts()
	if err != nil {
		t.Fatal(err)
	}
	*why(&want[0].Passed)++
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("counted (-want +got):\n%s", d)
	}
}

// Ports that cannot have it are named, and the others are left alone.
func TestForwarderRefused(t *testing.T) {
	r := openRouter(t)
	for name, ports := range map[string][]string{
		"not there":      {r.ports[2].DUT, "nowhere"},
		"has it already": {r.ports[2].DUT, r.ports[1].DUT},
		"no Ethernet":    {r.ports[2].DUT, "lo"},
	} {
		err := r.InDUT(func() error {
			f, err := Forward(ports)
			if err == nil {
				f.Close()
			}
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "forward by XDP at "+ports[1]) {
			t.Errorf("%s: %v", name, err)
		}
		said, err := r.DUT().Host.Run(t.Context(), "", "ip", "link", "show", "dev", r.ports[2].DUT)
		if err != nil || strings.Contains(said, "xdp") {
			t.Errorf("%s: %v, %s", name, err, said)
		}
	}
}
