package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/testenv/samples"
)

// sampleSeveral are three campaigns, one of them simulated, one with sweeps and runs.
func sampleSeveral() []weir.Campaign {
	a, b, swept := samples.Campaign(), sampleSimulated(), sampleBench()
	a.Name, b.Name, swept.Name = "APU2", "model", "APU2"
	return []weir.Campaign{a, b, swept}
}

func TestSeveral(t *testing.T) {
	for file, c := range map[string]struct{ format, rows string }{
		"several.txt":      {"text", ""},
		"several-rows.txt": {"text", "firewall"},
		"several.md":       {"markdown", ""},
	} {
		var b bytes.Buffer
		if err := (Options{}).WriteSeveral(&b, c.format, sampleSeveral(), c.rows); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.String())
	}
}

// Kernels of one campaign are rows of one table, and five systems are, also one that has not
// the levels of the others.
func TestSystemsAreRows(t *testing.T) {
	runs := func(name string, factors weir.Factors, firewalls ...string) weir.Campaign {
		var arms []samples.Arm
		for i, f := range firewalls {
			with := maps.Clone(factors)
			if f != "" {
				with["firewall"] = f
			}
			arms = append(arms, samples.Arm{Name: "firewall " + cmp.Or(f, "none"), Factors: with, Rate: 1 - .1*float64(i)})
		}
		c := samples.Experiment{Arms: arms, Factors: samples.FirewallFactor(), Sizes: []any{64}, Both: true, Blocks: 3, Spread: .006}.Campaign(42)
		c.Name, c.ID = name, c.ID+name
		return c
	}
	kernels := runs("kernels in machines", weir.Factors{"kernel": "debian 6.1"}, "none", "stateful")
	for _, kernel := range []string{"debian 6.12", "debian 7.2"} {
		more := runs("", weir.Factors{"kernel": kernel}, "none", "stateful")
		kernels.Results = slices.Concat(kernels.Results, more.Results)
	}
	curve := sampleSwept()
	curve.Name = "the curve of Debian 6.12"
	systems := []weir.Campaign{
		runs("this kernel", weir.Factors{}, "none", "stateful"),
		runs("this kernel, XDP", weir.Factors{"forwarding": "xdp"}, ""),
		runs("Debian 6.1", weir.Factors{}, "none", "stateful"),
		runs("Debian 6.12", weir.Factors{}, "none", "stateful"),
		runs("r1", weir.Factors{}, "none", "stateful"),
	}
	for file, cs := range map[string][]weir.Campaign{"several-kernels.txt": {kernels, curve}, "several-systems.txt": systems} {
		var b bytes.Buffer
		if err := (Options{}).WriteSeveral(&b, "text", cs, ""); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.String())
	}
}

func TestSeveralForPrograms(t *testing.T) {
	write := func(format string) *bytes.Buffer {
		var b bytes.Buffer
		if err := (Options{}).WriteSeveral(&b, format, sampleSeveral(), ""); err != nil {
			t.Fatal(format, err)
		}
		return &b
	}
	rows, err := csv.NewReader(write("csv")).ReadAll() // as many columns in all
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for _, c := range sampleSeveral() {
		results += len(weir.Latest(c.Results))
	}
	if len(rows) != results+1 {
		t.Errorf("%d rows for %d results", len(rows), results)
	}
	var all []struct{ ID string }
	if err := json.Unmarshal(write("json").Bytes(), &all); err != nil || len(all) != 3 {
		t.Error(len(all), err)
	}
	if n := strings.Count(write("benchfmt").String(), "# campaign "); n != 3 {
		t.Errorf("%d campaigns", n)
	}
	page := write("html").String()
	for _, want := range []string{"<h1 id=\"headline\">3 campaigns", "SIMULATED", "APU2", "<h2>Throughput, kpps</h2>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := (Options{}).WriteSeveral(&bytes.Buffer{}, "text", sampleSeveral(), "colour"); err == nil || !strings.Contains(err.Error(), `a factor "colour": `) {
		t.Error(err)
	}
	if err := (Options{}).WriteSeveral(&bytes.Buffer{}, "pdf", sampleSeveral(), ""); err == nil {
		t.Error("several campaigns as pdf")
	}
}

// Of campaigns that are compared each has a row, or each level of a factor.
func TestCompareSeveral(t *testing.T) {
	var cs []weir.Campaign
	for i, name := range []string{"before", "after", "later"} {
		c := samples.Study()
		c.Name = name
		c.Results = slices.Clone(c.Results)
		for at := range c.Results {
			c.Results[at].Value *= 1 + float64(i*i)/10
		}
		c.Manifest.Kernel += fmt.Sprintf("-%d", i)
		cs = append(cs, c)
	}
	p, err := proof.Between(cs...)
	if err != nil {
		t.Fatal(err)
	}
	of := Compared{Manifests: []weir.Manifest{cs[0].Manifest, cs[1].Manifest, cs[2].Manifest}, Rows: campaignRow}
	var b bytes.Buffer
	if err := WriteProof(&b, "text", p, of); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-three.txt", b.String())
	of.Rows = "firewall"
	if b.Reset(); WriteProof(&b, "markdown", p, of) != nil || !strings.Contains(b.String(), "| firewall | 64 direction forward before |") {
		t.Errorf("by firewall:\n%s", &b)
	}
	of.Rows = "color"
	if err := WriteProof(&b, "text", p, of); err == nil || !strings.Contains(err.Error(), `no result of these campaigns has a factor "color"`) {
		t.Errorf("of no factor: %v", err)
	}
}

// What the levels say already is not said again by the arm.
func TestArmBeside(t *testing.T) {
	none := weir.ArmLevel{Factor: "firewall", Name: "none"}
	s := study{Proof: proof.Proof{Experiment: weir.Experiment{Levels: map[string][]weir.ArmLevel{
		"firewall pf, 25 rules":     {{Factor: "firewall", Name: "pf, 25 rules"}},
		"firewall none, mtu 9000":   {none, {Factor: "mtu", Name: "9000"}},
		"routes 10k":                {{Factor: "routes", Name: "10k"}},
		"kernel new, firewall none": {{Factor: "kernel", Name: "new"}, none},
	}}}}
	for _, c := range []struct {
		arm  string
		told []string
		want []string
	}{
		{"firewall pf, 25 rules", []string{"firewall pf, 25 rules"}, nil},
		{"firewall none, mtu 9000", []string{"MTU 9000", "firewall none"}, nil},
		{"routes 10k", []string{"routes 10"}, []string{"routes 10k"}},
		{"kernel new, firewall none", []string{"firewall none"}, []string{"kernel new"}},
		{"plain", []string{"flows 256"}, []string{"plain"}},
		{"", []string{"flows 256"}, nil},
	} {
		if got := s.armLevels(c.arm, c.told); !slices.Equal(got, c.want) {
			t.Errorf("%q beside %q: %q, want %q", c.arm, c.told, got, c.want)
		}
	}
}

// A page of several begins with charts, and with the badge of the one that can be
// trusted least.
func TestPageOfSeveral(t *testing.T) {
	var b bytes.Buffer
	if err := (Options{}).WriteSeveral(&b, "html", sampleSeveral(), ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<p class="badge warn"><b>3 warnings</b> APU2 7f3a:`, "<figcaption>Throughput</figcaption>", "<figcaption>Latency</figcaption>", "APU2 6db6, 64 firewall none: 869.6"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// A transfer has how busy the DUT was beside how fast it went, where that is known.
func TestSeveralOfTransfers(t *testing.T) {
	r := weir.Result{Method: "tcp", Unit: "bit/s", Value: 941e6, Transfer: &weir.Transfer{}, CPUShare: .6}
	var got []string
	for _, n := range numbersOf(&r, false) {
		got = append(got, n.measure+n.scale+": "+n.Text)
	}
	if want := []string{"TCP, Mbit/s: 941", "CPU load of the DUT, TCP, %: 60"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if r.CPUShare = 0; len(numbersOf(&r, false)) != 1 {
		t.Error("a load that nobody knows is shown")
	}
}

// What the trial after the windows says is shown beside what they say.
func TestSeveralOfSaturated(t *testing.T) {
	r := weir.Result{Method: "saturated", Unit: "frames/s", Value: 51200, LossRatio: .68, CPUPerFrame: 44e-6, Latency: &weir.Latency{P50: 163e-6}}
	var got []string
	for _, n := range numbersOf(&r, false) {
		got = append(got, n.measure+n.scale+": "+n.Text)
	}
	if want := []string{"saturated rate, kpps: 51.2", "median latency at half of the saturated rate, us: 163.0", "CPU time per frame at half of the saturated rate, ns: 44,000"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Campaigns say beside each other what each arm changes against the baseline, and how sure that is.
func TestChangesBeside(t *testing.T) {
	a, b := sampleFactors(), sampleFactors()
	a.Name, b.Name, b.ID = "one", "two", b.ID+"b"
	var out bytes.Buffer
	if err := (Options{}).WriteSeveral(&out, "text", []weir.Campaign{a, b}, ""); err != nil {
		t.Fatal(err)
	}
	own := studiesOf(figures.WithTransfers(a))[0]
	list := effectsOf(own.values())
	if len(list) == 0 {
		t.Fatal("the sample compares nothing")
	}
	for _, l := range list {
		_, changes, there := strings.Cut(out.String(), "\n"+measure(l.Comparison)+" against "+own.short(l.Baseline)+"\n")
		if changes, _, _ = strings.Cut(changes, "\n\n"); !there {
			t.Fatalf("nothing is told against %s in %s", l.Baseline, out.String())
		}
		line := strings.Join([]string{own.traffic(l.Comparison), own.short(l.Effect.Arm), changed(l.Effect.Change), boundsOf(l.Effect), verdictWords[l.Effect.Verdict]}, " ")
		for _, name := range []string{"one", "two"} {
			if n := strings.Count(strings.Join(strings.Fields(changes), " "), name+" "+line); n != 1 {
				t.Errorf("%q is said %d times of %s in %s", line, n, name, changes)
			}
		}
	}
}

// Campaigns of one name are told apart by the ends of their ids, as long as that takes.
func TestLabelsOfCampaignsOfOneName(t *testing.T) {
	of := func(name string, ids ...string) (cs []weir.Campaign) {
		for _, id := range ids {
			cs = append(cs, weir.Campaign{ID: id, Name: name})
		}
		return cs
	}
	for _, c := range []struct {
		cs   []weir.Campaign
		want []string
	}{
		{of("a", "20261121-0433-7f3a", "20261121-0433-8f3b"), []string{"a 7f3a", "a 8f3b"}},
		{of("a", "20261121-0433-7f3a9c-4b2e81d05f", "20261121-0433-7f3a9d-4b2e81d05f"), []string{"a c-4b2e81d05f", "a d-4b2e81d05f"}},
		{of("a", "20261121-0433-7f3a", "20261121-0433-7f3a9c-4b2e817f3a"), []string{"a -7f3a", "a 17f3a"}},
		{of("a", "3a", "7f3a"), []string{"a 3a", "a 7f3a"}},
		{of("", "3a", "7f3a"), []string{"3a", "7f3a"}},
	} {
		if got := labelsOf(c.cs); !slices.Equal(got, c.want) {
			t.Errorf("labels %q, want %q", got, c.want)
		}
	}
}
