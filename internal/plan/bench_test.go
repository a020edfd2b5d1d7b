package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestBenchFitsItsTime(t *testing.T) {
	for _, c := range []struct {
		quick bool
		most  time.Duration
	}{{false, 50 * time.Second}, {true, 12 * time.Second}} { // setting the firewall up takes some time, too
		p := Bench(c.quick)
		if got := p.WorstCase(); got > c.most || got < c.most/3 {
			t.Errorf("quick %v: the worst case is %v, of %v", c.quick, got, c.most)
		}
		var sizes []string
		for _, tr := range p.Traffic {
			sizes = append(sizes, tr.Name)
		}
		want := "64 512 1518 imix"
		if c.quick {
			want = "64 imix"
		}
		if strings.Join(sizes, " ") != want || p.Testbed.Kind != NetNS {
			t.Errorf("quick %v: sizes %v on %s", c.quick, sizes, p.Testbed.Kind)
		}
		if len(p.Steps) != 1 || p.Steps[0].Method.Name != "sweep" || p.Steps[0].Params.Loss != .005 || p.Rounds < 2 {
			t.Errorf("quick %v: %d steps in %d rounds", c.quick, len(p.Steps), p.Rounds)
		}
		if p.Then == nil || p.Then.Experiment == nil || p.Then.Experiment.Factors[0].Name != "firewall" {
			t.Errorf("quick %v compares %+v", c.quick, p.Then)
		}
	}
}

func TestWorstCaseGrowsWithThePlan(t *testing.T) {
	cost := func(text string) time.Duration {
		p, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p.WorstCase()
	}
	small := cost("traffic: {sizes: [64]}\nmethods: [frmol]\n")
	for _, larger := range []string{
		"traffic: {sizes: [64, 512]}\nmethods: [frmol]\n",
		"traffic: {sizes: [64]}\nmethods: [frmol, throughput]\n",
		"traffic: {sizes: [64]}\nmethods: [{method: frmol, trial: 60s}]\n",
		"traffic: {sizes: [64]}\nmethods: [frmol]\nwaits: {settle: 5s}\n",
	} {
		if got := cost(larger); got <= small {
			t.Errorf("%q takes %v, no longer than %v", larger, got, small)
		}
	}
}

func TestWithTestbedSaysSo(t *testing.T) {
	p := Bench(true).WithTestbed(SimulatedTestbed())
	if p.Testbed.Kind != Sim || !strings.HasPrefix(p.Text, "# the testbed below was replaced by one of kind sim\n") {
		t.Errorf("testbed %s, text %q", p.Testbed.Kind, p.Text[:60])
	}
	if _, err := Parse("again.yaml", []byte(p.Text)); err != nil {
		t.Errorf("the text is no plan any more: %v", err)
	}
}

// A campaign of two arms is called by what they are.
func TestVersusName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.nft")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for arms, want := range map[[2]string]string{
		{"", file}:                                 "plain vs rules.nft",
		{"sysctl -qw a=1", "sysctl -qw\n  a=0"}:    "sysctl -qw a=1 vs sysctl -qw a=0",
		{"true", strings.Repeat("tc qdisc; ", 20)}: "true vs tc qdisc; tc qdisc; tc qdisc; tc qdis...",
	} {
		if have := VersusName(arms); have != want {
			t.Errorf("%q are called %q, want %q", arms, have, want)
		}
	}
}
