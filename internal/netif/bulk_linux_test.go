package netif

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"weir"
	"weir/fib"
	"weir/internal/testenv"
)

// link is a pair of ports in two namespaces, the first with addresses of both
// families.
func link(t testing.TB) (near *Namespace) {
	t.Helper()
	testenv.NeedRoot(t)
	near, err := NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(near.Close)
	far, err := NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	mac := func(n byte) net.HardwareAddr { return net.HardwareAddr{2, 0, 0, 0, 0, n} }
	if err := Veth(End{near, "near0", mac(1)}, End{far, "far0", mac(2)}, 1, 1500); err != nil {
		t.Fatal(err)
	}
	do(t, near, func() error { return AddAddress("near0", "198.18.0.1/30") })
	do(t, near, func() error { return AddAddress("near0", "2001:2::1/126") })
	return near
}

func do(t testing.TB, ns *Namespace, f func() error) {
	t.Helper()
	if err := ns.Do(f); err != nil {
		t.Fatal(err)
	}
}

var vias = map[weir.Family]netip.Addr{
	weir.IPv4: netip.MustParseAddr("198.18.0.2"), weir.IPv6: netip.MustParseAddr("2001:2::2"),
}

// routes are the destinations of the namespace's routes that AddRoutes made.
func routes(t *testing.T, ns *Namespace, family weir.Family) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	do(t, ns, func() error {
		number := netlink.FAMILY_V4
		if family == weir.IPv6 {
			number = netlink.FAMILY_V6
		}
		list, err := netlink.RouteListFiltered(number, &netlink.Route{Protocol: RouteProtocol}, netlink.RT_FILTER_PROTOCOL)
		for _, r := range list {
			if r.Gw.String() == vias[family].String() {
				found[r.Dst.String()] = true
			}
		}
		return err
	})
	return found
}

func TestRoutes(t *testing.T) {
	near := link(t)
	for family, via := range vias {
		prefixes, err := fib.Prefixes(weir.RouteSet{Family: family, Count: routeBatch + 1000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		do(t, near, func() error { return AddRoutes(t.Context(), "near0", via, prefixes) })
		found := routes(t, near, family)
		for _, p := range prefixes {
			if !found[p.String()] {
				t.Fatalf("there is no route to %v", p)
			}
		}
		if len(found) != len(prefixes) {
			t.Errorf("%d %s routes, want %d", len(found), family, len(prefixes))
		}
		// Some are gone already.
		do(t, near, func() error { return DeleteRoutes(t.Context(), "near0", via, prefixes[:10]) })
		do(t, near, func() error { return DeleteRoutes(t.Context(), "near0", via, prefixes) })
		if left := routes(t, near, family); len(left) > 0 {
			t.Errorf("%d %s routes are left", len(left), family)
		}
	}
}

func TestRouteFails(t *testing.T) {
	near := link(t)
	prefixes := []netip.Prefix{
		netip.MustParsePrefix("20.0.0.0/24"), netip.MustParsePrefix("21.0.0.0/24"),
		netip.MustParsePrefix("20.0.0.0/24"), netip.MustParsePrefix("22.0.0.0/24"),
	}
	add := func(name string, via netip.Addr) error {
		return near.Do(func() error { return AddRoutes(t.Context(), name, via, prefixes) })
	}
	err := add("near0", vias[weir.IPv4])
	if !errors.Is(err, unix.EEXIST) || !strings.Contains(err.Error(), "route to 20.0.0.0/24") {
		t.Errorf("a route was added twice: %v", err)
	}
	if err := add("near1", vias[weir.IPv4]); err == nil {
		t.Error("routes go through a port that is not there")
	}
	if err := add("near0", netip.MustParseAddr("8.8.8.8")); err == nil {
		t.Error("routes go to a neighbour that is not there")
	}
}

// BenchmarkRoutes says how long it takes to install and remove a routing table.
func BenchmarkRoutes(b *testing.B) {
	for _, set := range []weir.RouteSet{{Family: weir.IPv4, Count: 500_000, Seed: 1}, {Family: weir.IPv6, Count: 200_000, Seed: 1}} {
		prefixes, err := fib.Prefixes(set)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(set.Family), func(b *testing.B) {
			near := link(b)
			var add, del float64
			for b.Loop() {
				start := b.Elapsed()
				do(b, near, func() error { return AddRoutes(b.Context(), "near0", vias[set.Family], prefixes) })
				middle := b.Elapsed()
				do(b, near, func() error { return DeleteRoutes(b.Context(), "near0", vias[set.Family], prefixes) })
				add += (middle - start).Seconds()
				del += (b.Elapsed() - middle).Seconds()
			}
			b.ReportMetric(add/float64(b.N), "s-add")
			b.ReportMetric(del/float64(b.N), "s-delete")
		})
	}
}
