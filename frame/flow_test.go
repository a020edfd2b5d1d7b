package frame

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/fib"
)

var addresses = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

func TestFlowsIncrement(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	tr.Flows = 4
	s := weir.Stream{
		Source:          weir.AddressSet{First: netip.MustParseAddr("198.18.0.255"), Count: 2, Order: weir.Increment},
		Destination:     weir.AddressSet{First: netip.MustParseAddr("198.19.0.2"), Count: 4, Order: weir.Increment},
		SourcePort:      weir.PortSet{First: 65533, Last: 65535, Order: weir.Increment},
		DestinationPort: weir.PortSet{First: 7, Last: 9, Order: weir.Fixed},
	}
	got, err := Flows(tr, s)
	if err != nil {
		t.Fatal(err)
	}
	a := netip.MustParseAddr
	want := []Flow{
		{a("198.18.0.255"), a("198.19.0.2"), 65533, 7},
		{a("198.18.1.0"), a("198.19.0.3"), 65534, 7},
		{a("198.18.0.255"), a("198.19.0.4"), 65535, 7},
		{a("198.18.1.0"), a("198.19.0.5"), 65533, 7},
	}
	if diff := cmp.Diff(want, got, addresses); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFlowsRandom(t *testing.T) {
	tr := traffic(weir.IPv6, weir.UDP, 0, 128)
	tr.Flows = 2000
	tr.Forward.Destination.Count = 256
	tr.Forward.Destination.Order = weir.Random
	first, err := Flows(tr, tr.Forward)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Flows(tr, tr.Forward)
	if diff := cmp.Diff(first, again, addresses); diff != "" {
		t.Errorf("the same seed gives other flows:\n%s", diff)
	}
	tr.Seed++
	other, _ := Flows(tr, tr.Forward)
	same, destinations := 0, make(map[netip.Addr]bool)
	for i, f := range first {
		if f == other[i] {
			same++
		}
		destinations[f.Destination] = true
		if f.SourcePort < 1024 || f.DestinationPort < 1 || f.DestinationPort > 49151 {
			t.Errorf("flow %d: ports %d and %d are outside of RFC 4814's ranges", i, f.SourcePort, f.DestinationPort)
		}
	}
	if same > 0 {
		t.Errorf("another seed gives the same flow %d times", same)
	}
	if len(destinations) < 250 {
		t.Errorf("2000 draws reach %d of 256 destinations", len(destinations))
	}
	mustDiffer(t, first)
}

// Flows that are drawn must not change from one release to the next, or a
// result could not be repeated from its seed.
func TestFlowsKnown(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	tr.Seed, tr.Flows = 1, 3
	flows, err := Flows(tr, tr.Forward)
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]uint16
	for _, f := range flows {
		got = append(got, [2]uint16{f.SourcePort, f.DestinationPort})
	}
	want := [][2]uint16{{8927, 26117}, {15873, 39063}, {10169, 45382}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every combination is found when all are asked for, whether the sets are drawn
// from alone or beside one that increments.
func TestFlowsExhaustTheSets(t *testing.T) {
	for _, order := range []weir.Order{weir.Fixed, weir.Increment, weir.Random} {
		tr := traffic(weir.IPv4, weir.TCP, 0, 128)
		tr.Forward.Source.Count, tr.Forward.Source.Order = 3, order
		tr.Forward.SourcePort.Last = tr.Forward.SourcePort.First + 99
		tr.Forward.DestinationPort.Last = 4
		tr.Flows = combinations(tr.Forward)
		if want := map[bool]int{true: 400, false: 1200}[order == weir.Fixed]; tr.Flows != want {
			t.Errorf("%s: %d combinations, want %d", order, tr.Flows, want)
		}
		flows, err := Flows(tr, tr.Forward)
		if err != nil {
			t.Fatal(err)
		}
		mustDiffer(t, flows)
	}
}

func TestFlowsRefused(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	if _, err := Flows(tr, weir.Stream{}); err == nil {
		t.Error("an empty stream is accepted")
	}
	tr.Flows = 0
	if _, err := Flows(tr, tr.Forward); err == nil {
		t.Error("no flows are accepted")
	}
}

func mustDiffer(t *testing.T, flows []Flow) {
	t.Helper()
	at := make(map[Flow]int)
	for i, f := range flows {
		if j, ok := at[f]; ok {
			t.Fatalf("flows %d and %d are the same: %+v", j, i, f)
		}
		at[f] = i
	}
}

func TestFlowsStride(t *testing.T) {
	tr := traffic(weir.IPv6, weir.UDP, 0, 128)
	tr.Flows = 6
	s := tr.Forward
	s.Source = weir.AddressSet{First: netip.MustParseAddr("2001:2:0:1::2"), Count: 6, Order: weir.Increment, Stride: 1 << 62}
	s.Destination.Count, s.Destination.Order, s.Destination.Stride = 2, weir.Increment, 1<<16
	flows, err := Flows(tr, s)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2001:2:0:1::2", "2001:2:0:1:4000::2", "2001:2:0:1:8000::2", "2001:2:0:1:c000::2", "2001:2:0:2::2", "2001:2:0:2:4000::2"} {
		if flows[i].Source != netip.MustParseAddr(want) {
			t.Errorf("flow %d comes from %v, want %s", i, flows[i].Source, want)
		}
		if to := []string{"2001:2:0:2::2", "2001:2:0:2::1:2"}[i%2]; flows[i].Destination != netip.MustParseAddr(to) {
			t.Errorf("flow %d goes to %v, want %s", i, flows[i].Destination, to)
		}
	}
}

// There is one flow to each prefix, in an order that is not the table's.
func TestFlowsOverRoutes(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	tr.Routes = weir.RouteSet{Family: weir.IPv4, Count: 5000, Seed: 4}
	tr.Flows = 5000
	flows, err := Flows(tr, tr.Forward)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fib.Destinations(tr.Routes, 5000)
	if err != nil {
		t.Fatal(err)
	}
	var got []netip.Addr
	inOrder := 0
	ports := make(map[uint16]bool)
	for i, f := range flows {
		got = append(got, f.Destination)
		if f.Destination == want[i] {
			inOrder++
		}
		if f.Source != TesterAddr(weir.IPv4, 0) {
			t.Fatalf("flow %d comes from %v", i, f.Source)
		}
		ports[f.SourcePort] = true
	}
	slices.SortFunc(got, netip.Addr.Compare)
	slices.SortFunc(want, netip.Addr.Compare)
	if diff := cmp.Diff(want, got, addresses); diff != "" {
		t.Errorf("the destinations are not those of the prefixes (-want +got):\n%s", diff)
	}
	if inOrder > 50 {
		t.Errorf("%d of 5000 destinations are where they are in the table", inOrder)
	}
	if len(ports) < 4000 {
		t.Errorf("the source ports are %d different ones", len(ports))
	}
}

func BenchmarkFlowsOverRoutes(b *testing.B) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	tr.Routes, tr.Flows = weir.RouteSet{Family: weir.IPv4, Count: 500_000}, 500_000
	for b.Loop() {
		newBuilder(b, tr)
	}
}

func TestLater(t *testing.T) {
	for _, c := range []struct {
		from string
		n    uint32
		want string
	}{
		{"198.18.255.255", 1, "198.19.0.0"},
		{"255.255.255.255", 1, "0.0.0.0"},
		{"2001:2::ffff:ffff:ffff:ffff", 2, "2001:2:0:1::1"},
		{"2001:2::1", 1 << 24, "2001:2::100:1"},
	} {
		if got := later(netip.MustParseAddr(c.from), uint64(c.n), 1); got != netip.MustParseAddr(c.want) {
			t.Errorf("%d after %s is %s, want %s", c.n, c.from, got, c.want)
		}
	}
}
