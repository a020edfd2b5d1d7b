package frame

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
)

// inSessions is traffic inside as many sessions, both ways, with some flows more.
func inSessions(family weir.Family, sessions int, sizes ...weir.Size) weir.Traffic {
	tr := traffic(family, weir.UDP, 0, sizes...)
	tr.Sessions, tr.Flows = sessions, sessions+2
	return tr
}

// Frames inside sessions and to them, as an independent decoder sees them: each in
// the session of its address.
func TestSessions(t *testing.T) {
	for _, c := range []struct {
		family weir.Family
		sizes  []weir.Size
	}{
		{weir.IPv4, []weir.Size{66}}, {weir.IPv4, []weir.Size{72}}, {weir.IPv4, []weir.Size{1510, 71, 594}},
		{weir.IPv6, []weir.Size{86}}, {weir.IPv6, []weir.Size{1510, 93, 594}},
	} {
		tr := inSessions(c.family, 3, c.sizes...)
		sessions := UnopenedSessions(3, here, there)
		sessions[1].ID, sessions[1].Client = 0xabcd, net.HardwareAddr{2, 0, 0, 0, 0, 9}
		var short [2]bool
		for port := range 2 {
			t.Run(fmt.Sprint(c.family, c.sizes, " from port ", port), func(t *testing.T) {
				b, err := NewPortBuilder(tr, port, here, there, sessions...)
				if err != nil {
					t.Fatal(err)
				}
				flows, err := portFlows(tr, port)
				if err != nil {
					t.Fatal(err)
				}
				short[port] = b.Template().Layout.Short
				for i := range uint64(len(c.sizes) * len(flows)) {
					sig := Signature{Trial: 3, Stream: 1, Sequence: i, Time: i * 77}
					f := b.Frame(nil, i, sig)
					s := sessions[i%uint64(len(flows))%3]
					decoded, id := tr, s.ID
					want := flows[i%uint64(len(flows))]
					if want.Source = s.Address(c.family); port == 1 {
						want = flows[i%uint64(len(flows))]
						want.Destination = s.Address(c.family)
						decoded.Sessions, id = 0, 0
					} else {
						checkEnvelope(t, f, s)
					}
					checkDecoded(t, decoded, f)
					p, ok := Parse(f)
					if diff := cmp.Diff(want, p.Flow, addresses); !ok || !p.Intact || p.Session != id || p.Signature != sig || diff != "" {
						t.Fatalf("frame %d: ok %v, %+v (-want +got):\n%s", i, ok, p, diff)
					}
				}
			})
		}
		if short[0] != short[1] {
			t.Errorf("%s %v: the forms of the signature differ: %v", c.family, c.sizes, short)
		}
	}
}

// checkEnvelope checks what a frame has of its session.
func checkEnvelope(t *testing.T, f []byte, s Session) {
	t.Helper()
	p := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.Default)
	e, _ := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
	o, _ := p.Layer(layers.LayerTypePPPoE).(*layers.PPPoE)
	if e.SrcMAC.String() != s.Client.String() || e.DstMAC.String() != s.Concentrator.String() || e.EthernetType != layers.EthernetTypePPPoESession {
		t.Fatalf("%+v", e)
	}
	if o == nil || o.SessionId != s.ID || int(o.Length) != len(f)-ethernetHeader-6 {
		t.Fatalf("%+v of a frame of %d octets", o, len(f))
	}
}

// A frame is no test frame when its session's header is not whole, or is of
// another protocol than IP.
func TestParseSession(t *testing.T) {
	f := portBuilder(t, inSessions(weir.IPv4, 1, 128), 0).Frame(nil, 0, Signature{})
	for at, change := range map[int]byte{14: 0x21, 15: 0xa7, 18: 0xff, 20: 0xc0, 21: 0x57} {
		damaged := append([]byte(nil), f...)
		if damaged[at] = change; at == 18 {
			damaged = damaged[:64]
		}
		if p, ok := Parse(damaged); ok {
			t.Errorf("octet %d changed to %#x: %+v", at, change, p)
		}
	}
	if _, ok := Parse(f[:20]); ok {
		t.Error("a frame that ends in the header is one")
	}
}

func TestValidateSessions(t *testing.T) {
	for want, change := range map[string]func(*weir.Traffic){
		"sessions: 65535 is not between 1 and 65534":  func(t *weir.Traffic) { t.Sessions = 65535 },
		"sessions: -1 is not":                         func(t *weir.Traffic) { t.Sessions = -1 },
		"leave vlans, blend":                          func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{TPID: tpidCustomer, ID: 1}} },
		"leave pairs":                                 func(t *weir.Traffic) { t.Pairs = 2 },
		"each of 3 needs a flow, and there are 2":     func(t *weir.Traffic) { t.Flows = 2 },
		"frame size 1511 does not fit into a session": func(t *weir.Traffic) { t.Sizes = []weir.Size{1511} },
		"frame size 1519 does not fit": func(t *weir.Traffic) {
			t.Sizes, t.Bidirectional = []weir.Size{1519}, false
		},
		"(ethernet, pppoe, ipv4, udp), a signature of 12 and the FCS of 4 need at least 66": func(t *weir.Traffic) { t.Sizes = []weir.Size{65} },
	} {
		tr := inSessions(weir.IPv4, 3, 128)
		change(&tr)
		if _, err := LayoutOf(tr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	tr := inSessions(weir.IPv6, 3, 128, 1518)
	tr.Bidirectional = false
	if _, err := LayoutOf(tr); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func([]Session) []Session{
		"in 3 sessions: there are 2":  func(s []Session) []Session { return s[:2] },
		"have the id 0x0001":          func(s []Session) []Session { s[1].ID = 1; return s },
		"the id 0xffff":               func(s []Session) []Session { s[1].ID = 0xffff; return s },
		"has no address of family":    func(s []Session) []Session { s[2].IPv6 = s[2].IPv4; return s },
		"Ethernet addresses of 6 oct": func(s []Session) []Session { s[2].Client = nil; return s },
	} {
		if _, err := NewPortBuilder(tr, 0, here, there, change(UnopenedSessions(3, here, there))...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
