package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestParseLevels(t *testing.T) {
	p := parsed(t, `
traffic: {sizes: [128, {random: 350-550}, {name: thirds, mix: {128: 2, 512: 1}}, {imix: bbbd}], seed: 3}
dut: {napi: softirq, reset_hook: [/bin/power, cycle]}
modifiers:
  - plain
  - broadcast
  - bidirectional
  - {filters: 25, management: true, updates: yes}
  - {routes: 10k}
  - {routes: {count: 1000, seed: 2, via: bgp}}
  - {networks: 256}
  - {burst: 64, flows: 1000}
  - {napi: busy-poll}
  - {blend: 10%}
  - {pairs: 2}
`)
	var got []string
	for _, l := range p.Levels {
		f := factors(l.Traffic[0], l.Condition)
		delete(f, "frame_size")
		got = append(got, fmt.Sprint(l.Name, ": ", l.Condition, " ", levelsOf(t, f)))
	}
	want := []string{
		`plain: NAPI softirq {"napi":"softirq"}`,
		`broadcast: NAPI softirq {"broadcast":0.01,"napi":"softirq"}`,
		`bidirectional: NAPI softirq {"bidirectional":true,"napi":"softirq"}`,
		`filters 25, management true, updates yes: 25 filters, management queries, routing updates, NAPI softirq {"filters":25,"management":true,"napi":"softirq","updates":true}`,
		`routes 10k: 10000 ipv4 routes, NAPI softirq {"napi":"softirq","routes":10000}`,
		`routes (count 1000, seed 2, via bgp): 1000 ipv4 routes by bgp, NAPI softirq {"napi":"softirq","routes":1000,"routes_via":"bgp"}`,
		`networks 256: NAPI softirq {"napi":"softirq","networks":256}`,
		`burst 64, flows 1000: NAPI softirq {"burst":64,"flows":1000,"napi":"softirq"}`,
		`napi busy-poll: NAPI busy-poll {"napi":"busy-poll"}`,
		`blend 10%: NAPI softirq {"blend":0.1,"napi":"softirq"}`,
		`pairs 2: NAPI softirq {"napi":"softirq","pairs":2}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	sizes := p.Levels[0].Traffic
	if len(sizes) != 4 || sizes[1].Name != "350-550" || sizes[2].Name != "thirds" || sizes[3].Name != "bbbd" {
		t.Fatalf("sizes %+v", sizes)
	}
	if diff := cmp.Diff([]weir.Size{128, 512, 128}, sizes[2].Sizes); diff != "" {
		t.Errorf("a mix of two to one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]weir.Size{128, 128, 128, 512}, sizes[3].Sizes); diff != "" {
		t.Errorf("a genome (-want +got):\n%s", diff)
	}
	// The condition with NAPI alone has the traffic of the plain one.
	if want := 4 * 9; len(p.Traffic) != want {
		t.Errorf("%d distinct traffics, want %d", len(p.Traffic), want)
	}
	d := p.Levels[6].Traffic[0].Forward.Destination
	if d.Count != 256 || d.Stride != 32 || d.Order != weir.Random || p.Levels[6].Traffic[0].Flows < 2000 {
		t.Errorf("256 networks: %+v", d)
	}
	if r := p.Levels[4].Traffic[0]; r.Routes.Count != 10000 || r.Flows != 10000 {
		t.Errorf("10,000 routes: %d flows to %+v", r.Flows, r.Routes)
	}
	if diff := cmp.Diff([]string{"/bin/power", "cycle"}, p.DUT.ResetHook); diff != "" {
		t.Error(diff)
	}
}

// Where a level has several pairs of ports all levels leave the others their
// part of the addresses: the lab has these ports from the beginning.
func TestPairsOfOtherLevels(t *testing.T) {
	alone := parsed(t, "traffic: {sizes: [128]}\nmodifiers: [plain, {networks: 256}]\n")
	if d := alone.Levels[1].Traffic[0].Forward.Destination; d.Count != 256 || d.Stride != 256 {
		t.Errorf("256 networks in a lab of one pair: %+v", d)
	}
	text := "traffic: {sizes: [128], destination: 198.19.40.2}\nmodifiers: [plain, {pairs: 2}]\n"
	_, err := Parse("plan.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "the lab has 2 pairs of ports for another level") {
		t.Errorf("a destination at the port of another pair: %v", err)
	}
}

func TestParseExtensions(t *testing.T) {
	p := parsed(t, "traffic: {family: ipv6, sizes: [128], extensions: [hop-by-hop, destination]}\nmodifiers: [plain, {extensions: {headers: routing, share: 10%}}]\n")
	six := parsed(t, "traffic: {family: ipv6, sizes: [128]}\nmodifiers: [{networks: 16}, {networks: 256, pairs: 1}]\n")
	for i, want := range []string{`"networks":16}`, `"networks":256}`} {
		if got := levelsOf(t, factors(six.Levels[i].Traffic[0], weir.Condition{})); !strings.HasSuffix(got, want) {
			t.Errorf("level %d has %s, not %s", i, got, want)
		}
	}
	for i, want := range []string{`"extensions":"hop-by-hop+destination"`, `"extended":0.1,"extensions":"routing"`} {
		if got := levelsOf(t, factors(p.Levels[i].Traffic[0], weir.Condition{})); !strings.Contains(got, want) {
			t.Errorf("level %d has %s, not %s", i, got, want)
		}
	}
}
