package dut

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestFilter(t *testing.T) {
	r := &recorded{}
	d, s := router(r)
	s.Route[1] = append(s.Route[1], netip.MustParsePrefix("198.19.0.0/16"))
	undo, err := linux{}.Filter(t.Context(), d, s, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	want := `nft -f - < table ip weir_filter {
nft -f - <   counter denied { }
nft -f - <   chain forward {
nft -f - <     type filter hook forward priority 0; policy accept;
nft -f - <     ip saddr 198.18.1.1 ip daddr 198.18.101.1 counter name denied drop
nft -f - <     ip saddr 198.18.2.2 ip daddr 198.18.102.2 counter name denied drop
nft -f - <     ip saddr { 198.18.0.0/16, 198.19.0.0/16 } ip daddr { 198.18.0.0/16, 198.19.0.0/16 } accept
nft -f - <     counter name denied drop
nft -f - <   }
nft -f - < }
nft -f - < table ip6 weir_filter {
nft -f - <   counter denied { }
nft -f - <   chain forward {
nft -f - <     type filter hook forward priority 0; policy accept;
nft -f - <     ip6 saddr 2001:2:0:2::1:1 ip6 daddr 2001:2:0:2::65:1 counter name denied drop
nft -f - <     ip6 saddr 2001:2:0:2::2:2 ip6 daddr 2001:2:0:2::66:2 counter name denied drop
nft -f - <     ip6 saddr { 2001:2:0:2::/64 } ip6 daddr { 2001:2:0:2::/64 } accept
nft -f - <     counter name denied drop
nft -f - <   }
nft -f - < }`
	if diff := cmp.Diff(strings.Split(want, "\n"), r.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	r.told = nil
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"nft -f - < add table ip weir_filter", "nft -f - < delete table ip weir_filter",
		"nft -f - < add table ip6 weir_filter", "nft -f - < delete table ip6 weir_filter",
	}, r.told); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}

// One filter is the permit alone, and with routes it permits any destination.
func TestOneFilter(t *testing.T) {
	r := &recorded{}
	d, s := router(r)
	if _, err := (linux{}).Filter(t.Context(), d, s, 1, true); err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, line := range r.told {
		if strings.Contains(line, "saddr") {
			rules = append(rules, strings.TrimSpace(strings.TrimPrefix(line, "nft -f - <")))
		}
	}
	want := []string{"ip saddr { 198.18.0.0/16 } accept", "ip6 saddr { 2001:2:0:2::/64 } accept"}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, n := range []int{0, maxFilters + 1} {
		if _, err := (linux{}).Filter(t.Context(), d, s, n, false); err == nil {
			t.Errorf("%d filters were set", n)
		}
	}
}

// No two rules are alike, and none of them leaves the network of its port.
func TestDenied(t *testing.T) {
	network := netip.MustParsePrefix("198.18.0.0/16")
	seen := make(map[[2]netip.Addr]bool)
	for n := 1; n < maxFilters; n++ {
		from, to := denied(network.Addr(), n)
		if seen[[2]netip.Addr{from, to}] || !network.Contains(from) || !network.Contains(to) {
			t.Fatalf("rule %d denies %v to %v", n, from, to)
		}
		seen[[2]netip.Addr{from, to}] = true
	}
}

func TestDropsOfConditions(t *testing.T) {
	r := &recorded{says: map[string]string{
		"nft -j list counters": `{"nftables": [{"counter": {"family": "ip", "table": "weir_filter", "name": "denied", "packets": 11}},
			{"counter": {"family": "ip", "table": "another", "name": "denied", "packets": 99}},
			{"counter": {"family": "ip6", "table": "weir_filter", "name": "denied", "packets": 12}}]}`,
	}}
	d, s := router(r)
	d.Ports = nil
	r.files["/proc/net/softnet_stat"] = "" + // CPUs 0 and 3
		"00000001 00000005 00000000 0 0 0 0 0 0 0 0 00000000 00000000 00000000 00000000\n" +
		"00000001 0000001f 00000000 0 0 0 0 0 0 0 0 00000000 00000003 00000000 00000000\n"
	r.files["/proc/net/netstat"] = "IpExt: InNoRoutes InTruncatedPkts\nIpExt: 4 0\n"
	r.files["/proc/net/snmp"] = ""
	s.Filters, s.CPUs = 25, []int{3}
	drops, err := linux{}.Drops(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint64)
	for _, drop := range drops {
		if drop.Count > 0 {
			got[drop.Place] = drop.Count
		}
	}
	want := map[string]uint64{
		"dut IPv4 InNoRoutes":                   4,
		"dut IPv4 filters denied":               11,
		"dut IPv6 filters denied":               12,
		"dut CPU 3 backlog full (softnet_stat)": 31,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSince(t *testing.T) {
	before := []weir.Drop{{Place: "dut port 0 " + receiptPlace, Count: 10}, {Place: "dut port 1 " + receiptPlace}, {Place: "dut CPU 1 " + backlogPlace, Count: 100}}
	after := []weir.Drop{{Place: "dut port 0 " + receiptPlace, Count: 15}, {Place: "dut port 1 " + receiptPlace, Count: 9}, {Place: "dut CPU 1 " + backlogPlace, Count: 107}, {Place: "new", Count: 3}}
	want := []weir.Drop{{Place: "dut port 0 " + receiptPlace}, {Place: "dut port 1 " + receiptPlace, Count: 7}, {Place: "dut CPU 1 " + backlogPlace, Count: 7}, {Place: "new", Count: 3}}
	if diff := cmp.Diff(want, Since(before, after)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the kernel or a driver counts at two places counts once.
func TestSinceCountsOnce(t *testing.T) {
	const port, ip = "dut port 0 ", "dut "
	for _, c := range []struct {
		name                 string
		whole, part          string
		of, among            uint64 // grown by
		wantWhole, wantAmong uint64
	}{
		{"checksums are header errors", ip + headerPlace, ip + checksumPlace, 7, 3, 4, 3},
		{"overruns among the errors", port + errorsPlace, port + overrunPlace, 7, 3, 7, 0},
		{"overruns beside the errors", port + errorsPlace, port + overrunPlace, 0, 3, 0, 3},
		{"overruns of another port", "dut port 1 " + errorsPlace, port + overrunPlace, 7, 3, 7, 3},
	} {
		before := []weir.Drop{{Place: c.whole, Count: 100}, {Place: c.part, Count: 50}}
		after := []weir.Drop{{Place: c.whole, Count: 100 + c.of}, {Place: c.part, Count: 50 + c.among}}
		want := []weir.Drop{{Place: c.whole, Count: c.wantWhole}, {Place: c.part, Count: c.wantAmong}}
		if diff := cmp.Diff(want, Since(before, after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Frames that were not to be forwarded are no drops of a trial's, where they are counted
// as dropped on receipt.
func TestWithoutForeign(t *testing.T) {
	drops := []weir.Drop{{Place: "dut port 0 " + receiptPlace, Count: 1}, {Place: "dut IPv4 InHdrErrors", Count: 5}, {Place: "dut port 1 " + receiptPlace, Count: 3}}
	want := []weir.Drop{{Place: "dut port 0 " + receiptPlace}, {Place: "dut IPv4 InHdrErrors", Count: 5}, {Place: "dut port 1 " + receiptPlace, Count: 2}}
	if diff := cmp.Diff(want, WithoutForeign(drops, 2)); diff != "" {
		t.Error(diff)
	}
}
