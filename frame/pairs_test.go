package frame

import (
	"net/netip"
	"testing"

	"weir"
)

// The frames of each port go to all ports of the other side in turn, and all
// ports send to the same one at the same time (RFC 2544 section 16).
func TestPairs(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		tr := traffic(family, weir.UDP, 0, 128)
		tr.Pairs, tr.Flows = 3, 2
		for port := range 6 {
			b := portBuilder(t, tr, port)
			if b.Assorted() {
				t.Error("frames of one kind are assorted")
			}
			seen := make(map[Flow]bool)
			for i := range uint64(12) {
				p := mustParse(t, b.Frame(nil, i, Signature{}))
				if want := TesterAddr(family, port); p.Flow.Source != want {
					t.Fatalf("port %d sends from %v, want %v", port, p.Flow.Source, want)
				}
				if want := TesterAddr(family, 2*int(i%3)+1-port%2); p.Flow.Destination != want {
					t.Fatalf("frame %d of port %d goes to %v, want %v", i, port, p.Flow.Destination, want)
				}
				seen[p.Flow] = true
			}
			if len(seen) != 6 {
				t.Errorf("port %d has %d flows, want 2 to each of 3 ports", port, len(seen))
			}
		}
	}
}

// What routes lead to leaves from the port's own address, and the routes choose
// the port.
func TestPairsWithRoutes(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 128)
	tr.Pairs, tr.Flows, tr.Routes = 2, 50, weir.RouteSet{Family: weir.IPv4, Count: 50, Seed: 1}
	one, err := Flows(tr, tr.Forward)
	if err != nil {
		t.Fatal(err)
	}
	b := portBuilder(t, tr, 2)
	for i := range uint64(50) {
		p := mustParse(t, b.Frame(nil, i, Signature{}))
		if p.Flow.Source != TesterAddr(weir.IPv4, 2) || p.Flow.Destination != one[i].Destination {
			t.Errorf("frame %d: %v, want to %v", i, p.Flow, one[i].Destination)
		}
	}
	back := mustParse(t, portBuilder(t, tr, 3).Frame(nil, 1, Signature{}))
	if back.Flow.Destination != TesterAddr(weir.IPv4, 2) {
		t.Errorf("the way back leads to %v", back.Flow.Destination)
	}
}

func TestDestinationNetworks(t *testing.T) {
	for _, c := range []struct {
		family weir.Family
		pairs  int
		bits   int // of the networks
	}{{weir.IPv4, 1, 24}, {weir.IPv4, 8, 27}, {weir.IPv6, 1, 64}, {weir.IPv6, 8, 64}} {
		tr := traffic(c.family, weir.UDP, 0, 128)
		tr.Pairs, tr.Flows = c.pairs, 4096
		tr.Forward, tr.Reverse = DestinationNetworks(c.family, c.pairs)
		if err := Validate(tr); err != nil {
			t.Fatal(err)
		}
		for _, port := range []int{0, 1, 2*c.pairs - 1} {
			flows, err := portFlows(tr, port)
			if err != nil {
				t.Fatal(err)
			}
			to := make(map[int]map[netip.Prefix]int)
			for _, f := range flows {
				lead, found := leads(c.family, f.Destination, c.pairs)
				if !found || lead%2 == port%2 {
					t.Fatalf("%v is at port %d", f.Destination, lead)
				}
				if to[lead] == nil {
					to[lead] = make(map[netip.Prefix]int)
				}
				to[lead][netip.PrefixFrom(f.Destination, c.bits).Masked()]++
			}
			if len(to) != c.pairs {
				t.Errorf("port %d sends to %d ports, want %d", port, len(to), c.pairs)
			}
			for lead, networks := range to {
				if len(networks) != 256 {
					t.Errorf("%s, %d pairs: port %d sends to %d networks behind port %d, want 256", c.family, c.pairs, port, len(networks), lead)
				}
				for n, count := range networks {
					if count > 4096/256*3 {
						t.Errorf("%v is drawn %d times", n, count)
					}
				}
			}
		}
	}
}

// leads is the port that an address leads to, by the longest prefix.
func leads(family weir.Family, a netip.Addr, pairs int) (port int, found bool) {
	longest := -1
	for p := range 2 * pairs {
		for _, n := range Networks(family, p) {
			if n.Contains(a) && n.Bits() > longest {
				longest, port, found = n.Bits(), p, true
			}
		}
	}
	return port, found
}
