package agent

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"

	"weir"
	"weir/fib"
)

// heard is what a peer makes of UPDATE messages.
type heard struct {
	announced, withdrawn []string
	hops                 []netip.Addr
	messages             int
}

func hear(t *testing.T, family bgp.Family, hop netip.Addr, announce, withdraw []netip.Prefix) (h heard) {
	t.Helper()
	note := func(to *[]string, nlris []bgp.PathNLRI) {
		for _, n := range nlris {
			*to = append(*to, n.NLRI.String())
		}
	}
	err := updates{family: family, nextHop: hop}.each(announce, withdraw, func(m *bgp.BGPMessage) error {
		octets, err := m.Serialize()
		if err != nil {
			return err
		}
		if len(octets) > bgp.BGP_MAX_MESSAGE_LENGTH {
			t.Errorf("a message of %d octets", len(octets))
		}
		if m, err = bgp.ParseBGPMessage(octets); err != nil {
			return err
		}
		h.messages++
		u := m.Body.(*bgp.BGPUpdate)
		note(&h.announced, u.NLRI)
		note(&h.withdrawn, u.WithdrawnRoutes)
		for _, a := range u.PathAttributes {
			switch a := a.(type) {
			case *bgp.PathAttributeNextHop:
				h.hops = append(h.hops, a.Value)
			case *bgp.PathAttributeMpReachNLRI:
				note(&h.announced, a.Value)
				h.hops = append(h.hops, a.Nexthop)
			case *bgp.PathAttributeMpUnreachNLRI:
				note(&h.withdrawn, a.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h.hops = slices.Compact(h.hops)
	return h
}

func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		family weir.Family
		as     bgp.Family
		hop    string
		most   int // messages for 5000 routes
	}{{weir.IPv4, bgp.RF_IPv4_UC, "198.19.0.2", 5}, {weir.IPv6, bgp.RF_IPv6_UC, "2001:2:0:2::2", 10}} {
		set, err := fib.Prefixes(weir.RouteSet{Family: c.family, Count: 5000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, p := range set {
			want = append(want, p.String())
		}
		hop := netip.MustParseAddr(c.hop)
		come := hear(t, c.as, hop, set, nil)
		if diff := cmp.Diff(want, come.announced); diff != "" || len(come.withdrawn) > 0 {
			t.Errorf("%s: announced with %d withdrawals: %s", c.family, len(come.withdrawn), diff)
		}
		if !slices.Equal(come.hops, []netip.Addr{hop}) || come.messages > c.most {
			t.Errorf("%s: next hops %v in %d messages, want %v in %d", c.family, come.hops, come.messages, hop, c.most)
		}
		gone := hear(t, c.as, netip.Addr{}, nil, set)
		if diff := cmp.Diff(want, gone.withdrawn); diff != "" || len(gone.announced) > 0 {
			t.Errorf("%s: withdrawn with %d announcements: %s", c.family, len(gone.announced), diff)
		}
		// A few routes come and go in one message.
		both := hear(t, c.as, hop, set[:6], set[6:12])
		if both.messages != 1 || !slices.Equal(both.announced, want[:6]) || !slices.Equal(both.withdrawn, want[6:12]) {
			t.Errorf("%s: %+v", c.family, both)
		}
	}
	noHop := updates{family: bgp.RF_IPv4_UC}
	if err := noHop.each([]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, nil, nil); err == nil {
		t.Error("a route without a next hop was announced")
	}
}

func TestOnly(t *testing.T) {
	four, six := netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")
	for family, want := range map[bgp.Family]netip.Prefix{bgp.RF_IPv4_UC: four, bgp.RF_IPv6_UC: six} {
		if got := only(family, []netip.Prefix{four, six}); !slices.Equal(got, []netip.Prefix{want}) {
			t.Errorf("%v: %v", family, got)
		}
	}
}
