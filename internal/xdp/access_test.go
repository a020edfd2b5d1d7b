//go:build linux

package xdp

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/layers"

	"weir/internal/netif"
)

// concentrator is a router with an access port, its first, and a session of a client there.
type concentrator struct {
	*router
	access *Access
	client Session
}

const (
	clientMAC  = "02:00:00:00:00:99"
	clientID   = 0x1234
	sessionsOf = "sessions" // the device
)

const concentratorSettings = `
link set dev sessions addrgenmode none
link set dev sessions mtu 1492 up
route replace 198.18.9.0/24 dev sessions
route replace 2001:2:0:0:9::/80 dev sessions
`

var clientAddresses = []netip.Addr{netip.MustParseAddr("198.18.9.9"), netip.MustParseAddr("2001:2:0:0:9::9")}

func openConcentrator(t *testing.T) *concentrator {
	t.Helper()
	c := &concentrator{router: openStack(t), client: Session{Peer: [6]byte(hardware(clientMAC)), ID: clientID}}
	err := c.InDUT(func() error {
		device, err := netif.Tun(sessionsOf, false)
		if err != nil {
			return err
		}
		t.Cleanup(func() { device.Close() })
		c.access, err = NewAccess(AccessConfig{
			Port: c.ports[0].DUT, Line: c.ports[0].DUT, Device: sessionsOf, Routed: []string{c.ports[1].DUT, c.ports[3].DUT},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.access.Close(); err != nil {
			t.Error(err)
		}
	})
	// The stack has things of its own to say through the device, and they would be counted.
	if err := c.access.links[0].Close(); err != nil {
		t.Fatal(err)
	}
	if said, err := c.DUT().Host.Run(t.Context(), concentratorSettings, "ip", "-batch", "-"); err != nil {
		t.Fatal(err, said)
	}
	if err := c.access.Add(c.client, clientAddresses...); err != nil {
		t.Fatal(err)
	}
	return c
}

// counted runs something, and says what it added to the counts.
func (c *concentrator) counted(t *testing.T, do func(), want func(*Accessed)) {
	t.Helper()
	before, err := c.access.Counts()
	if err != nil {
		t.Fatal(err)
	}
	do()
	after, err := c.access.Counts()
	if err != nil {
		t.Fatal(err)
	}
	want(&before)
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("counted (-want +got):\n%s", d)
	}
}

// fromClient are packets of the session.
func (c *concentrator) fromClient(p parcel) parcel {
	p.from, p.to, p.session = clientMAC, c.ports[0].DUTMAC, clientID
	return p
}

// A packet comes out of its session and leaves by its route, with a hop less.
func TestAccessPops(t *testing.T) {
	c := openConcentrator(t)
	for name, p := range map[string]parcel{
		"IPv4":        {source: "198.18.9.9", target: "198.19.0.2", ttl: 64, size: 26},
		"last hop":    {source: "198.18.9.9", target: "198.19.200.9", ttl: 2, tos: 0xb9, size: 1464},
		"no payload":  {source: "198.18.9.9", target: "198.19.0.2", ttl: 9, size: 0},
		"a fragment":  {source: "198.18.9.9", target: "198.19.0.2", ttl: 64, size: 64, fragment: 8, more: true},
		"IPv6":        {source: "2001:2:0:0:9::9", target: "2001:2:0:1::2", ttl: 64, size: 20},
		"IPv6, large": {source: "2001:2:0:0:9::9", target: "2001:2:0:1:8000::9", ttl: 2, label: 0xfffff, size: 1452},
	} {
		for padding, after := range map[string][]byte{"": nil, ", padded": bytes.Repeat([]byte{0xa5}, 7)} {
			t.Run(name+padding, func(t *testing.T) {
				in := append(c.fromClient(p).octets(t), after...)
				out := p
				out.from, out.to, out.ttl = c.ports[1].DUTMAC, c.ports[1].TesterMAC, p.ttl-1
				want := append(out.octets(t)[:len(in)-len(after)-8], after...) // it may be shorter than an Ethernet's now
				c.counted(t, func() {
					if verdict, got := c.run(t, c.access.own.Pop, 0, in); verdict != verdictRedirect || !bytes.Equal(got, want) {
						t.Errorf("verdict %d\n got %x\nwant %x", verdict, got, want)
					}
				}, func(a *Accessed) { a.Out++; a.Routed++ })
			})
		}
	}
}

// What takes more than that goes to the stack, as it would have come without a session.
func TestAccessPopsToTheStack(t *testing.T) {
	c := openConcentrator(t)
	plain := parcel{source: "198.18.9.9", target: "198.19.0.2", ttl: 64, size: 26}
	plain6 := parcel{source: "2001:2:0:0:9::9", target: "2001:2:0:1::2", ttl: 64, size: 26}
	with := func(p parcel, change func(*parcel)) parcel {
		change(&p)
		return p
	}
	for name, one := range map[string]struct {
		parcel
		why func(*Passed) *uint64
	}{
		"TTL 1":               {with(plain, func(p *parcel) { p.ttl = 1 }), func(p *Passed) *uint64 { return &p.Header }},
		"hop limit 1":         {with(plain6, func(p *parcel) { p.ttl = 1 }), func(p *Passed) *uint64 { return &p.Header }},
		"to network 127":      {with(plain, func(p *parcel) { p.target = "127.0.0.1" }), func(p *Passed) *uint64 { return &p.Address }},
		"to the DUT":          {with(plain, func(p *parcel) { p.target = "198.18.0.1" }), func(p *Passed) *uint64 { return &p.Route }},
		"to another client":   {with(plain, func(p *parcel) { p.target = "198.18.9.8" }), func(p *Passed) *uint64 { return &p.Route }},
		"unknown route":       {with(plain6, func(p *parcel) { p.target = "2001:db8::1" }), func(p *Passed) *uint64 { return &p.Route }},
		"too large":           {with(plain, func(p *parcel) { p.target, p.size = "198.19.68.1", 481 }), func(p *Passed) *uint64 { return &p.Route }},
		"port without access": {with(plain, func(p *parcel) { p.target = "203.0.112.2" }), func(p *Passed) *uint64 { return &p.Port }},
	} {
		t.Run(name, func(t *testing.T) {
			in := c.fromClient(one.parcel)
			out := in
			out.session = 0
			c.counted(t, func() {
				if verdict, got := c.run(t, c.access.own.Pop, 0, in.octets(t)); verdict != verdictPass || !bytes.Equal(got, out.octets(t)) {
					t.Errorf("verdict %d\n got %x\nwant %x", verdict, got, out.octets(t))
				}
			}, func(a *Accessed) { a.Out++; *one.why(&a.Stack)++ })
		})
	}
}

// The program gets everything else, as it came.
func TestAccessPopsNot(t *testing.T) {
	c := openConcentrator(t)
	plain := c.fromClient(parcel{source: "198.18.9.9", target: "198.19.0.2", ttl: 64, size: 26})
	plain6 := c.fromClient(parcel{source: "2001:2:0:0:9::9", target: "2001:2:0:1::2", ttl: 64, size: 26})
	raw := func(p parcel, change func([]byte)) []byte {
		f := p.octets(t)
		change(f)
		return f
	}
	with := func(p parcel, change func(*parcel)) []byte {
		change(&p)
		return p.octets(t)
	}
	link, control, scope := func(*Accessed) {}, func(a *Accessed) { a.Left.Control++ }, func(a *Accessed) { a.Left.Scope++ }
	session, length := func(a *Accessed) { a.Left.Session++ }, func(a *Accessed) { a.Left.Length++ }
	for name, one := range map[string]struct {
		frame []byte
		why   func(*Accessed)
	}{
		"plain IP":                       {with(plain, func(p *parcel) { p.session = 0 }), link},
		"to all stations":                {with(plain, func(p *parcel) { p.to = "ff:ff:ff:ff:ff:ff" }), link},
		"to another station":             {with(plain, func(p *parcel) { p.to = c.ports[1].DUTMAC }), link},
		"discovery":                      {raw(plain, func(f []byte) { f[13], f[15] = 0x63, 0x09 }), link},
		"Ethernet's header alone":        {plain.octets(t)[:14], link},
		"cut off in PPPoE's header":      {plain.octets(t)[:21], link},
		"LCP":                            {raw(plain, func(f []byte) { f[20], f[21] = 0xc0, 0x21 }), control},
		"LCP, short":                     {raw(plain, func(f []byte) { f[20], f[21] = 0xc0, 0x21 })[:30], control},
		"IPCP":                           {raw(plain, func(f []byte) { f[20] = 0x80 }), control},
		"compressed protocol":            {raw(plain, func(f []byte) { f[20] = 0x21 }), control},
		"version 2":                      {raw(plain, func(f []byte) { f[14] = 0x21 }), control},
		"code of PADT":                   {raw(plain, func(f []byte) { f[15] = 0xa7 }), control},
		"to a group":                     {with(plain, func(p *parcel) { p.target = "224.0.0.9" }), scope},
		"to all hosts":                   {with(plain, func(p *parcel) { p.target = "255.255.255.255" }), scope},
		"to a group, 6":                  {with(plain6, func(p *parcel) { p.target = "ff02::1" }), scope},
		"to a link's address":            {with(plain6, func(p *parcel) { p.target = "fe80::1" }), scope},
		"from a link's address":          {with(plain6, func(p *parcel) { p.source = "fe80::1" }), scope},
		"another session":                {with(plain, func(p *parcel) { p.session++ }), session},
		"its id in the other order":      {with(plain, func(p *parcel) { p.session = 0x3412 }), session},
		"session of another MAC":         {with(plain, func(p *parcel) { p.from = c.ports[0].TesterMAC }), session},
		"cut off before IP":              {plain.octets(t)[:22], length},
		"cut off in IPv4's header":       {plain.octets(t)[:41], length},
		"cut off in IPv6's header":       {plain6.octets(t)[:61], length},
		"longer than its frame":          {raw(plain, func(f []byte) { f[19]++ }), length},
		"much longer than its frame":     {raw(plain, func(f []byte) { f[18] = 0xff }), length},
		"shorter than its packet":        {raw(plain, func(f []byte) { f[19]-- }), length},
		"shorter than its packet, 6":     {raw(plain6, func(f []byte) { f[19]-- }), length},
		"length without the protocol":    {raw(plain, func(f []byte) { f[19] -= 2 }), length},
		"length 0":                       {raw(plain, func(f []byte) { f[18], f[19] = 0, 0 }), length},
		"length 1":                       {raw(plain, func(f []byte) { f[18], f[19] = 0, 1 }), length},
		"IPv6 that says it was IPv4":     {raw(plain6, func(f []byte) { f[21] = 0x21 }), length},
		"IPv4 that says it was IPv6":     {raw(plain, func(f []byte) { f[21] = 0x57 }), length},
		"a packet longer than a frame's": {raw(plain, func(f []byte) { f[24] = 0xff }), length},
	} {
		t.Run(name, func(t *testing.T) {
			c.counted(t, func() {
				if verdict, out := c.run(t, c.access.own.Pop, 0, one.frame); verdict != verdictPass || !bytes.Equal(one.frame, out) {
					t.Errorf("verdict %d\n in %x\nout %x", verdict, one.frame, out)
				}
			}, one.why)
		})
	}
	if err := c.access.Remove(c.client, clientAddresses...); err != nil {
		t.Fatal(err)
	}
	c.counted(t, func() {
		if verdict, out := c.run(t, c.access.own.Pop, 0, plain.octets(t)); verdict != verdictPass || !bytes.Equal(plain.octets(t), out) {
			t.Errorf("after the session's end: verdict %d, %x", verdict, out)
		}
	}, session)
}

// A packet to a client goes into its session, with a hop less and the length of itself
// alone; others go to the stack.
func TestAccessEnters(t *testing.T) {
	c := openConcentrator(t)
	to := func(p parcel) parcel {
		p.from, p.to = c.ports[1].TesterMAC, c.ports[1].DUTMAC
		return p
	}
	plain := to(parcel{source: "198.19.0.2", target: "198.18.9.9", ttl: 64, size: 26})
	plain6 := to(parcel{source: "2001:2:0:1::2", target: "2001:2:0:0:9::9", ttl: 2, size: 26})
	padding := bytes.Repeat([]byte{0xa5}, 7)
	with := func(p parcel, change func(*parcel)) parcel {
		change(&p)
		return p
	}
	goes := func(name string, p parcel, after []byte) {
		t.Helper()
		out := p
		out.from, out.to, out.session, out.ttl = c.ports[0].DUTMAC, clientMAC, clientID, p.ttl-1
		want := append(out.octets(t), after...)
		c.counted(t, func() {
			if verdict, got := c.run(t, c.access.entries[0].Enter, 1, append(p.octets(t), after...)); verdict != verdictRedirect || !bytes.Equal(got, want) {
				t.Errorf("%s: verdict %d\n got %x\nwant %x", name, verdict, got, want)
			}
		}, func(a *Accessed) { a.In++; a.Routed++ })
	}
	goes("IPv4", plain, nil)
	goes("padded", plain, padding)
	goes("as large as the session takes", with(plain, func(p *parcel) { p.size = 1472 }), nil)
	goes("IPv6", plain6, nil)
	goes("IPv6, padded", plain6, padding)
	goes("other protocol", with(plain, func(p *parcel) { p.next = layers.IPProtocolESP }), nil)

	passes := func(name string, p parcel, why func(*Accessed)) {
		t.Helper()
		in := p.octets(t)
		c.counted(t, func() {
			if verdict, out := c.run(t, c.access.entries[0].Enter, 1, in); verdict != verdictPass || !bytes.Equal(in, out) {
				t.Errorf("%s: verdict %d\n in %x\nout %x", name, verdict, in, out)
			}
		}, why)
	}
	none, route := func(*Accessed) {}, func(a *Accessed) { a.Stack.Route++ }
	passes("too large", with(plain, func(p *parcel) { p.size = 1473 }), route)
	passes("too large, 6", with(plain6, func(p *parcel) { p.size = 1453 }), route)
	passes("TTL 1", with(plain, func(p *parcel) { p.ttl = 1 }), none)
	passes("no client's", with(plain, func(p *parcel) { p.target = "198.18.9.8" }), none)
	passes("no client's, 6", with(plain6, func(p *parcel) { p.target = "2001:2:0:0:9::8" }), none)
	passes("to another station", with(plain, func(p *parcel) { p.to = c.ports[0].DUTMAC }), none)
	passes("in a session", with(plain, func(p *parcel) { p.session = clientID }), none)
	c.turn(t, "0")
	passes("when nothing is forwarded", plain, route)
	c.turn(t, "1")

	// Of two sessions with an address the later one has it, whichever ends first.
	later := Session{Peer: c.client.Peer, ID: clientID + 1}
	if err := c.access.Add(later, clientAddresses...); err != nil {
		t.Fatal(err)
	}
	if err := c.access.Remove(c.client, clientAddresses...); err != nil {
		t.Fatal(err)
	}
	if _, out := c.run(t, c.access.entries[0].Enter, 1, plain.octets(t)); len(out) < 18 || out[17] != (clientID+1)&0xff {
		t.Errorf("after the first session's end %x", out)
	}
	if err := c.access.Remove(later, clientAddresses...); err != nil {
		t.Fatal(err)
	}
	passes("after the sessions' end", plain, none)
}

// There is room for all sessions that a concentrator has.
func TestAccessSessions(t *testing.T) {
	c := openConcentrator(t)
	four, six := netip.MustParseAddr("198.18.128.0"), netip.MustParseAddr("2001:2:0:0:9:1::")
	for id := 1; id < 0xffff; id++ {
		four, six = four.Next(), six.Next()
		if err := c.access.Add(Session{Peer: [6]byte{2, 1}, ID: uint16(id)}, four, six); err != nil {
			t.Fatalf("session %d: %v", id, err)
		}
	}
	p := c.fromClient(parcel{source: four.String(), target: "198.19.0.2", ttl: 64, size: 26})
	p.from, p.session = "02:01:00:00:00:00", 0xfffe
	if verdict, out := c.run(t, c.access.own.Pop, 0, p.octets(t)); verdict != verdictRedirect || len(out) != 14+20+26 {
		t.Errorf("the last one: verdict %d, %x", verdict, out)
	}
}

// Ports that cannot have it are named, and nothing is left at the others.
func TestAccessRefused(t *testing.T) {
	c := openConcentrator(t)
	err := c.InDUT(func() error {
		a, err := NewAccess(AccessConfig{Port: c.ports[2].DUT, Line: c.ports[2].DUT, Device: sessionsOf, Routed: []string{c.ports[1].DUT}})
		if err == nil {
			a.Close()
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "by XDP at "+c.ports[2].DUT) || !strings.Contains(err.Error(), c.ports[1].DUT+": ") {
		t.Errorf("with a port that has a program: %v", err)
	}
	if said, err := c.DUT().Host.Run(t.Context(), "", "ip", "link", "show", "dev", c.ports[2].DUT); err != nil || strings.Contains(said, "xdp") {
		t.Errorf("%v, %s", err, said)
	}
}
