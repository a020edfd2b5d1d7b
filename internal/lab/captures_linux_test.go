package lab

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// captureOf writes a capture of frames from an address to some others, and is a plan that sends it.
func captureOf(t *testing.T, from string, to ...string) plan.Plan {
	t.Helper()
	text := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	for _, n := range []uint16{2, 4, 0, 0, 0, 0, 0xffff, 0, 1, 0} { // of the file: version, zone, accuracy, length, Ethernet
		text = binary.LittleEndian.AppendUint16(text, n)
	}
	for _, address := range to {
		tr := weir.Traffic{Sizes: []weir.Size{128}, Family: familyOf(netip.MustParseAddr(from)), Protocol: weir.UDP, Flows: 1, Seed: 1}
		tr.Forward, _ = frame.DefaultStreams(tr.Family)
		tr.Forward.Source.First, tr.Forward.Destination.First = netip.MustParseAddr(from), netip.MustParseAddr(address)
		b, err := frame.NewBuilder(tr, tr.Forward, net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2})
		if err != nil {
			t.Fatal(err)
		}
		f := b.Frame(nil, 0, frame.Signature{})
		for _, n := range []uint32{1, 0, uint32(len(f)), uint32(len(f))} {
			text = binary.LittleEndian.AppendUint32(text, n)
		}
		text = append(text, f...)
	}
	file := filepath.Join(t.TempDir(), "some.pcap")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := plan.ParseWith("some.yaml", []byte("traffic: {replay: some.pcap}\nmethods: [{method: frmol, trial: 100ms}]\n"),
		func(string) (*frame.Capture, error) { return frame.ReadCapture(file) })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A capture with an address of the DUT's own is refused by that; the control link makes way for
// all others, and those outside of the test networks get routes.
func TestAddressesOfCaptures(t *testing.T) {
	for _, c := range []struct {
		name    string
		from    string
		to      []string
		refused string
		control string
		routes  string
	}{
		{"of the test networks", "198.18.0.7", []string{"198.19.0.8"}, "", "192.0.2.1/30", ""},
		{"of a user", "203.0.113.5", []string{"198.51.100.9", "198.51.100.10", "198.51.100.9"}, "", "192.0.2.1/30", "198.51.100.10/32 198.51.100.9/32"},
		{"from the control link", "192.0.2.1", []string{"198.51.100.9"}, "", "198.51.100.1/30", "198.51.100.9/32"},
		{"to it", "10.0.0.1", []string{"192.0.2.2", "198.51.100.3"}, "", "203.0.113.1/30", "192.0.2.2/32 198.51.100.3/32"},
		{"of IPv6", "2001:db8::1", []string{"2001:db8:1::9"}, "", "192.0.2.1/30", "2001:db8:1::9/128"},
		{"from the DUT", "198.18.0.1", []string{"198.19.0.2"}, "has frames from 198.18.0.1 to 198.19.0.2, and 198.18.0.1 is the address of the lab's DUT at its port 0", "192.0.2.1/30", ""},
		{"to the DUT, among others", "10.0.0.1", []string{"10.1.0.1", "198.19.0.1"}, "and 198.19.0.1 is the address of the lab's DUT at its port 1", "192.0.2.1/30", "10.1.0.1/32"},
		{"to the DUT by IPv6", "2001:db8::1", []string{"2001:2:0:2::1"}, "2001:2:0:2::1 is the address of the lab's DUT", "192.0.2.1/30", ""},
	} {
		p := captureOf(t, c.from, c.to...)
		err := checkCaptures(p)
		if (c.refused == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		used, err := sends(p)
		if err != nil {
			t.Fatal(err)
		}
		if own, _ := testbed.ControlAddresses(used); own.String() != c.control {
			t.Errorf("%s: the control link is %v, want %s", c.name, own, c.control)
		}
		var routes []string
		for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
			part, err := (&netnsLab{plan: p}).captured(family)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range part.Prefixes {
				routes = append(routes, r.String())
			}
		}
		if got := strings.Join(routes, " "); !sameWords(got, c.routes) {
			t.Errorf("%s: routes to %s, want %s", c.name, got, c.routes)
		}
		w := ways(p.Traffic[0])
		if len(w) == 0 || w[0].from.String() != c.from || w[0].to.String() != c.to[0] || w[0].port != 0 {
			t.Errorf("%s: a diagnosis follows %+v", c.name, w)
		}
	}
}

// sameWords reports whether two texts have the same words, in any order.
func sameWords(a, b string) bool {
	if len(strings.Fields(a)) != len(strings.Fields(b)) {
		return false
	}
	for _, word := range strings.Fields(a) {
		if !strings.Contains(" "+b+" ", " "+word+" ") {
			return false
		}
	}
	return true
}

// A plan's own addresses, too, are none that the control link takes.
func TestControlLinkMakesWay(t *testing.T) {
	for _, c := range []struct {
		first  string
		count  int
		stride int
		want   string
	}{
		{"198.18.0.2", 1, 0, "192.0.2.1/30"}, {"192.0.2.1", 1, 0, "198.51.100.1/30"}, {"192.0.2.4", 9, 0, "192.0.2.1/30"},
		{"192.0.0.0", 600, 0, "198.51.100.1/30"}, {"192.0.0.0", 3, 256, "198.51.100.1/30"}, {"192.0.0.0", 2, 256, "192.0.2.1/30"}, {"2001:db8::1", 5, 0, "192.0.2.1/30"},
	} {
		var p plan.Plan
		p.Traffic = []weir.Traffic{{Forward: weir.Stream{Source: weir.AddressSet{First: netip.MustParseAddr(c.first), Count: c.count, Stride: c.stride}}}}
		used, err := sends(p)
		if err != nil {
			t.Fatal(err)
		}
		if own, tester := testbed.ControlAddresses(used); own.String() != c.want || own.Addr().Next() != tester.Addr() {
			t.Errorf("%+v: %v and %v, want %s", c, own, tester, c.want)
		}
	}
}
