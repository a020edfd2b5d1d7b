package plan

import (
	"encoding/json"
	"errors"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
	"weir/internal/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// everything is a plan with every field.
const everything = `# all of it
name: throughput of this kernel
testbed: {kind: netns, cpus: {generator: [0], receiver: 0, dut: [1, 3]}, link: 10G}
dut: {platform: linux, policer: {kind: nft, rate: 50000}}
traffic:
  sizes: [128, 1518, {name: mymix, genome: bbbd}]
  family: ipv4
  protocol: tcp
  vlans: [100, {id: 7, pcp: 3, tpid: 0x8100}]
  flows: 16
  bidirectional: true
  source: {first: 198.18.0.2, count: 16, order: random}
  destination: 198.19.0.9
  source_port: {first: 1024, last: 2047}
  destination_port: 7
  seed: 9
methods:
  - frmol
  - throughput
  - {method: throughput, loss: 0.5%, trial: 2s, width: 1%, trials: 3, exceed: 50%, minimum: 10k, maximum: 1.2M}
  - {method: latency, load: 40%}
waits: {learning: 1s, residual: 20ms, settle: 5s}
`

func TestParseEverything(t *testing.T) {
	p, err := Parse("dir/all.yaml", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	forward := weir.Stream{
		Source:          weir.AddressSet{First: netip.MustParseAddr("198.18.0.2"), Count: 16, Order: weir.Random},
		Destination:     weir.AddressSet{First: netip.MustParseAddr("198.19.0.9"), Count: 1, Order: weir.Fixed},
		SourcePort:      weir.PortSet{First: 1024, Last: 2047, Order: weir.Random},
		DestinationPort: weir.PortSet{First: 7, Last: 7, Order: weir.Fixed},
	}
	traffic := weir.Traffic{
		Name: "128", Sizes: []weir.Size{128}, Family: weir.IPv4, Protocol: weir.TCP, Flows: 16, Bidirectional: true, Seed: 9,
		VLANs: []weir.VLAN{{TPID: 0x88a8, ID: 100}, {TPID: 0x8100, ID: 7, PCP: 3}}, Forward: forward, Reverse: mirror(forward),
	}
	large, mix := traffic, traffic
	large.Name, large.Sizes = "1518", []weir.Size{1518}
	mix.Name, mix.Sizes = "mymix", []weir.Size{128, 128, 128, 512}
	if diff := cmp.Diff([]weir.Traffic{traffic, large, mix}, p.Traffic, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("traffic (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Testbed{Kind: NetNS, CPUs: weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{1, 3}}, Link: 1e10, Sim: sim.Default}, p.Testbed, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("testbed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(DUT{Platform: "linux", Policer: Policer{Kind: "nft", Rate: 50000}}, p.DUT); diff != "" {
		t.Errorf("DUT (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(weir.Waits{Learning: time.Second, Residual: 20 * time.Millisecond, Settle: 5 * time.Second}, p.Waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Method.Name)
	}
	if diff := cmp.Diff([]string{"frmol", "throughput", "throughput", "latency"}, names); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
	want := p.Steps[2].Method.Defaults
	want.Loss, want.Trial, want.Width, want.Trials, want.Exceed, want.Minimum, want.Maximum = 0.005, 2*time.Second, 0.01, 3, 0.5, 1e4, 1.2e6
	if diff := cmp.Diff(want, p.Steps[2].Params); diff != "" {
		t.Errorf("parameters of the throughput (-want +got):\n%s", diff)
	}
}

func TestParseDefaults(t *testing.T) {
	for text, want := range map[string]struct {
		kind  string
		sizes string
		steps int
	}{
		"":                         {NetNS, "64 512 1518 imix", 3},
		"# nothing\n":              {NetNS, "64 512 1518 imix", 3},
		"testbed: {kind: sim}":     {Sim, "64 512 1518 imix", 3},
		"traffic: {sizes: [64]}":   {NetNS, "64", 3},
		"traffic: {sizes: 64}":     {NetNS, "64", 3},
		"traffic: {family: ipv6}":  {NetNS, "78 512 1518", 3},
		"traffic: {vlans: [1, 2]}": {NetNS, "66 512 1518", 3},
		"methods: frmol":           {NetNS, "64 512 1518 imix", 1},
		"\xef\xbb\xbfname: bom\n":  {NetNS, "64 512 1518 imix", 3},
	} {
		p, err := Parse("dir/a.yaml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var sizes []string
		for _, tr := range p.Traffic {
			sizes = append(sizes, tr.Name)
		}
		if got := strings.Join(sizes, " "); got != want.sizes || p.Testbed.Kind != want.kind || len(p.Steps) != want.steps {
			t.Errorf("%q: testbed %s, sizes %s, %d steps; want %+v", text, p.Testbed.Kind, got, len(p.Steps), want)
		}
		if p.Text != text || p.Waits.Residual != 50*time.Millisecond {
			t.Errorf("%q: text %q, waits %+v", text, p.Text, p.Waits)
		}
	}
	if p, _ := Parse("dir/mine.yaml", nil); p.Name != "mine" {
		t.Errorf("a plan without a name is called %q, want that of its file", p.Name)
	}
}

// What is said to do about windows that do not fit is taken, and so are short
// windows for long: several trials share the time, and windows are apart.
func TestWindowsThatFit(t *testing.T) {
	for _, text := range []string{
		"methods: [{method: sweep, window: 1ms, within: 10s}]",
		"methods: [{method: sweep, window: 100us}]",
		"methods: [{method: sweep, within: 2m27.456s}]",
		"{rounds: 3, methods: [{method: sweep, within: 49.152s}]}",
		"methods: [{method: sweep, within: 1s, trial: 250ms}]",
		"methods: [{method: sweep, within: 1.2s}]",
		"methods: [{method: overload, window: 19ms}]",
	} {
		if _, err := Parse("a.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestMistakes compares what is said about wrong plans with golden files.
func TestMistakes(t *testing.T) {
	plans, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil || len(plans) == 0 {
		t.Fatalf("no plans: %v", err)
	}
	for _, path := range plans {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(filepath.Base(path), data)
		var ms weir.Problems
		if !errors.As(err, &ms) {
			t.Errorf("%s was taken, error %v", path, err)
			continue
		}
		golden := strings.TrimSuffix(path, ".yaml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// A file has as many plans as lines of --- part, each with its lines where the file has
// them; comments are none.
func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a: 1\n", []string{"a: 1\n"}},
		{"", []string{""}},
		{"# only\n", []string{"# only\n"}},
		{"---\na: 1\n", []string{"\na: 1\n"}},
		{"# about both\n---\na: 1\n---\nb: 2\n", []string{"\n\na: 1\n", "\n\n\n\nb: 2\n"}},
		{"a: 1\n--- \r\nb: |\n  --- no\n---\n# the end\n", []string{"a: 1\n", "\n\nb: |\n  --- no\n"}},
	} {
		var got []string
		for _, d := range Documents([]byte(c.text)) {
			got = append(got, string(d))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
	all := Documents([]byte("testbed: {kind: sim}\nmethods: [frmol]\n---\ntestbed: {kind: sim}\nmethods: [nonsense]\n"))
	if _, err := Parse("x.yaml", all[1]); err == nil || !strings.Contains(err.Error(), "x.yaml:5:11:") {
		t.Errorf("the place of the mistake: %v", err)
	}
}

// parsed is the plan that a text describes.
func parsed(t *testing.T, text string) Plan {
	t.Helper()
	p, err := Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, compiled(t), "plan.yaml", []byte(text)); err != nil {
		t.Errorf("editors refuse a plan that weir takes: %v\n%s", err, text)
	}
	return p
}

// levelsOf are factors in one form, which can be compared.
func levelsOf(t *testing.T, f weir.Factors) string {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
