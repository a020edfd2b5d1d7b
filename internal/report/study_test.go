package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/internal/testenv/samples"
	"weir/stats"
)

func TestStudyGolden(t *testing.T) {
	for _, c := range []struct {
		file, format string
		campaign     weir.Campaign
	}{
		{"study.txt", "text", samples.Study()},
		{"study.md", "markdown", samples.Study()},
		{"factors.txt", "text", sampleFactors()},
		{"imported.txt", "text", sampleImported()},
		{"imported.md", "markdown", sampleImported()},
		{"runs.csv", "csv", sampleInconclusive()},
		{"runs.bench", "benchfmt", sampleInconclusive()},
	} {
		golden(t, c.file, render(t, c.format, c.campaign))
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// madeProof is a proof of one comparison, without runs.
func madeProof(verdict stats.Verdict, change stats.Interval, change2 func(*proof.Comparison)) proof.Proof {
	c := proof.Comparison{Method: "throughput", Unit: "frames/s", Traffic: "64", Factors: weir.Factors{"frame_size": 64}}
	c.Baseline, c.Blocks = "firewall none", 12
	c.Arms = []stats.Summary{{Arm: "firewall none", N: 12}, {Arm: "firewall stateful", N: 12}}
	c.Effects = []stats.Effect{{Arm: "firewall stateful", Change: change, Verdict: verdict}}
	p := proof.Proof{Experiment: weir.Experiment{Schedule: weir.Blocks, Margin: .02, Arms: []string{"firewall none", "firewall stateful"},
		Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateful"}}}, Levels: samples.LevelsOf(samples.Firewalls, samples.FirewallFactor())}}
	if change2 != nil {
		change2(&c)
	}
	p.Comparisons = []proof.Comparison{c}
	return p
}

// The first line says each verdict in words of its own.
func TestAnswers(t *testing.T) {
	cost := stats.Interval{Estimate: -.142, Lower: -.151, Upper: -.133}
	for _, c := range []struct {
		name   string
		change stats.Interval
		said   stats.Verdict
		with   func(*proof.Comparison)
		want   string
	}{
		{"proven", cost, stats.Proven, nil, "stateful nftables costs 14.2 % +/- 0.9 % of 64-octet throughput; proven, 12 runs a side"},
		{"gain", stats.Interval{Estimate: 1.5, Lower: 1.3, Upper: 1.72}, stats.Proven, nil,
			"stateful nftables gains 150 % +/- 21 % of 64-octet throughput; proven, 12 runs a side"},
		{"asymmetric", stats.Interval{Estimate: -.142, Lower: -.18, Upper: -.121}, stats.Proven, nil,
			"stateful nftables costs 14.2 % (12.1 to 18.0 %) of 64-octet throughput; proven, 12 runs a side"},
		{"unequal", cost, stats.Proven, func(c *proof.Comparison) { c.Arms[1].N = 9 },
			"stateful nftables costs 14.2 % +/- 0.9 % of 64-octet throughput; proven, 9 runs against 12 of firewall none"},
		{"narrow", stats.Interval{Estimate: -.0123, Lower: -.0126, Upper: -.0120}, stats.Proven, nil,
			"stateful nftables costs 1.23 % +/- 0.03 % of 64-octet throughput; proven, 12 runs a side"},
		{"equivalent", stats.Interval{Estimate: .002, Lower: -.004, Upper: .007}, stats.Equivalent, nil,
			"stateful nftables makes no difference above 2 % to 64-octet throughput: between -0.4 % and +0.7 %; 12 runs a side"},
		{"inconclusive", stats.Interval{Estimate: -.006, Lower: -.031, Upper: .019}, stats.Inconclusive, func(c *proof.Comparison) { c.Effects[0].More = 14 },
			"stateful nftables: no difference proven in 64-octet throughput: between -3.1 % and +1.9 %; about 14 more runs a side would tell"},
		{"nobody knows how many", stats.Interval{Estimate: -.006, Lower: -.031, Upper: .019}, stats.Inconclusive, nil,
			"stateful nftables: no difference proven in 64-octet throughput: between -3.1 % and +1.9 %; 12 runs a side"},
		{"vetoed", cost, stats.Vetoed, func(c *proof.Comparison) {
			c.Vetoes = []weir.Warning{{Code: weir.BusyMachine, Sentence: weir.Say("the machine was busy in 4 of 12 blocks").Then(": stop what else runs")}}
		}, "no verdict: the machine was busy in 4 of 12 blocks"},
		{"time", stats.Interval{Estimate: .2, Lower: .19, Upper: .21}, stats.Proven, func(c *proof.Comparison) { c.Method, c.Unit = "latency", "s" },
			"stateful nftables adds 20.0 % +/- 1.0 % to 64-octet latency; proven, 12 runs a side"},
		{"loss", cost, stats.Proven, func(c *proof.Comparison) { c.LossRatio = .005 },
			"stateful nftables costs 14.2 % +/- 0.9 % of 64-octet rate at 0.5 % loss; proven, 12 runs a side"},
		{"numbers", cost, stats.Proven, func(c *proof.Comparison) { c.Method, c.Unit, c.Traffic, c.Factors = "", "", "", nil },
			"stateful nftables is 14.2 % +/- 0.9 % lower than firewall none; proven, 12 runs a side"},
	} {
		if got := newStudy(madeProof(c.said, c.change, c.with)).answer(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What a person has set is told, with what that costs the proof.
func TestSetByHand(t *testing.T) {
	s := newStudy(madeProof(stats.Proven, stats.Interval{}, nil))
	for _, c := range []struct {
		experiment weir.Experiment
		notes      string // how they end
		order      string
	}{
		{weir.Experiment{Schedule: weir.ABBA, Reset: weir.Reapply}, "", "blocks in ABBA order, seed 0, levels undone and"},
		{weir.Experiment{Schedule: weir.Blocks, ByHand: 1}, "weir asked 1 time for the box to be set by hand, in the order of the runs, which was drawn", "randomised complete blocks"},
		{weir.Experiment{Schedule: weir.ABBA, Reset: weir.Reapply, ByHand: 7}, "in the time of two blocks would not", "blocks there and back, seed 0, levels that are commands undone and"},
		{weir.Experiment{Schedule: weir.ABBA, ByHand: 7, Same: true}, "each time that it is set", "blocks there and back"},
		{weir.Experiment{Schedule: weir.Blocks, ByHand: 1, Left: "new"}, "which was drawn\nthe box is left as it was set by hand last: to \"new\"", "randomised complete blocks"},
	} {
		s.Experiment = c.experiment
		if got := strings.Join(s.byHand(), "\n"); !strings.HasSuffix(got, c.notes) || (got == "") != (c.notes == "") {
			t.Errorf("%+v: %q", c.experiment, got)
		}
		if got := s.ordered(); !strings.HasPrefix(got, c.order) {
			t.Errorf("%+v: %q", c.experiment, got)
		}
	}
}

func TestPhrases(t *testing.T) {
	s := newStudy(madeProof(stats.Proven, stats.Interval{}, nil))
	level := func(name string, f weir.Firewall) weir.ArmLevel {
		return weir.ArmLevel{Factor: "firewall", Name: name, Set: weir.ConditionOf(f)}
	}
	strict := level("strict", weir.Firewall{Kind: weir.Stateful})
	strict.Named = true
	for want, l := range map[string]weir.ArmLevel{
		"stateful nftables":                level("stateful", weir.Firewall{Kind: weir.Stateful}),
		"stateless nftables with 25 rules": level("kind stateless, rules 25", weir.Firewall{Kind: weir.Stateless, Rules: 25}),
		"NAT by iptables with 25 rules":    level("kind nat, rules 25, with iptables", weir.Firewall{Kind: weir.NAT, Rules: 25, With: weir.IPTables}),
		"firewall none":                    level("none", weir.Firewall{}),
		"firewall strict":                  strict,
	} {
		s.Experiment.Levels["an arm"] = []weir.ArmLevel{l}
		if got := s.phrase("an arm"); got != want {
			t.Errorf("%+v is %q, want %q", l, got, want)
		}
	}
	if got := s.phrase("firewall pf"); got != "firewall pf" {
		t.Errorf("without levels: %q", got)
	}
	s.Experiment.Schedule = "" // others' words are not weir's
	if got := s.phrase("firewall stateful"); got != "firewall stateful" {
		t.Errorf("imported: %q", got)
	}
}

// The lead is the largest proven effect on the smallest frames, wherever it
// stands.
func TestLead(t *testing.T) {
	p := madeProof(stats.Inconclusive, stats.Interval{Estimate: -.3}, nil)
	add := func(size any, verdict stats.Verdict, change float64) {
		c := p.Comparisons[0]
		c.Traffic, c.Factors = result.Level(size), weir.Factors{"frame_size": size}
		c.Effects = []stats.Effect{{Arm: "firewall stateful", Change: stats.Interval{Estimate: change}, Verdict: verdict}}
		p.Comparisons = append(p.Comparisons, c)
	}
	add("imix", stats.Proven, -.4)
	add(1518, stats.Proven, -.1)
	add(512, stats.Proven, .05)
	add(512, stats.Proven, -.06)
	l, any := newStudy(p).lead()
	if !any || l.Traffic != "512" || l.Effect.Change.Estimate != -.06 {
		t.Errorf("the lead is %s: %+v", l.Traffic, l.Effect)
	}
}

// All parts of the page are there, once, and links lead somewhere.
func TestStudyPage(t *testing.T) {
	text := render(t, "html", samples.Study())
	for _, id := range []string{"headline", "charts", "comparison", "runs", "ministat", "readings", "profile", "medians", "ledger", "claims", "manifest", "trials"} {
		if n := strings.Count(text, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{"Stateful nftables costs 14", "±", "colspan=\"3\" scope=\"colgroup\">reverse</th>", "CPU usage, %", "conntrack: entries",
		"nft_do_chain", "firewall stateful against firewall none", "Difference at 95.0% confidence", "none again"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	for name, c := range map[string]weir.Campaign{"study": samples.Study(), "vetoed": sampleVetoed(), "factors": sampleFactors(), "imported": sampleImported()} {
		if err := balanced(render(t, "html", c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, format := range Formats() {
			got := render(t, format, c)
			for _, bad := range []string{"NaN", "Inf", "<nil>", "%!", "null"} {
				if strings.Contains(got, bad) {
					t.Errorf("%s of %s contains %s", format, name, bad)
				}
			}
		}
	}
}

// What was imported is nowhere said to have been measured by weir, and has no
// claim of its.
func TestImportedClaimsNothing(t *testing.T) {
	for _, format := range []string{"text", "markdown", "html"} {
		got := strings.Join(strings.Fields(render(t, format, sampleImported())), " ")
		if !strings.Contains(got, "published by others; weir did not measure it") || !strings.Contains(got, "FRMOL: packets/s received at the highest load") {
			t.Errorf("%s does not say where it comes from", format)
		}
		for _, bad := range []string{"[1]", "laims", "Checklist", ">Claim<"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s claims something: %s", format, bad)
			}
		}
	}
}

func TestStudyTextFits(t *testing.T) {
	for _, c := range []weir.Campaign{samples.Study(), sampleInconclusive(), sampleVetoed(), sampleImported()} {
		for _, line := range strings.Split(render(t, "text", c), "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("line of %d columns: %s", n, line)
			}
		}
	}
}

func TestStudyJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]weir.Campaign{"study": samples.Study(), "imported": sampleImported()} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, "json", c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// thousands is a campaign of 10,000 runs.
func thousands() weir.Campaign {
	return samples.Experiment{Arms: samples.Firewalls, Factors: samples.FirewallFactor(), Sizes: []any{64, "imix"}, Both: true, Blocks: 625, Spread: .02, Wave: .05}.Campaign(47)
}

// A page of many runs stays one that can be looked at, and says what it leaves
// out.
func TestManyRuns(t *testing.T) {
	c := thousands()
	if len(c.Results) != 10_000 {
		t.Fatalf("%d runs", len(c.Results))
	}
	for i := range 2000 {
		c.Trials = append(c.Trials, weir.TrialResult{Trial: weir.Trial{Number: i + 1, Duration: time.Second}})
	}
	text := render(t, "html", c)
	if len(text) > 3<<20 {
		t.Errorf("the page has %d octets", len(text))
	}
	for _, want := range []string{"These are the first 500; 1500 more are in the store.", "is drawn, and those that do not count"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(render(t, "text", c), "\n"); n > 200 {
		t.Errorf("the text has %d lines", n)
	}
}

func BenchmarkManyRuns(b *testing.B) {
	c := thousands()
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				if err := (Options{}).Write(&bytes.Buffer{}, format, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestWriteProof(t *testing.T) {
	p := madeProof(stats.Proven, stats.Interval{Estimate: -.142, Lower: -.151, Upper: -.133}, func(c *proof.Comparison) {
		c.Effects[0].Adjusted, c.Effects[0].RankP = .0001, .002
		c.Effects[0].Welch = stats.Interval{Estimate: -.14, Lower: -.2, Upper: -.08}
		c.Same = &stats.Effect{Arm: "firewall none (A/A)", Change: stats.Interval{Estimate: .003, Lower: -.009, Upper: .015}, P: .6, Verdict: stats.Inconclusive}
		c.Arms = []stats.Summary{
			{Arm: "firewall none", N: 12, Min: 800e3, Max: 830e3, Median: 815e3, Mean: 815e3, Deviation: 8e3, Interval: stats.Interval{Estimate: 814e3, Lower: 81e4, Upper: 818e3}},
			{Arm: "firewall none (A/A)", N: 12, Min: 801e3, Max: 831e3, Median: 816e3, Mean: 816e3, Deviation: 8e3, Interval: stats.Interval{Estimate: 815e3, Lower: 811e3, Upper: 819e3}},
			{Arm: "firewall stateful", N: 12, Min: 690e3, Max: 71e4, Median: 699e3, Mean: 699e3, Deviation: 5e3, Interval: stats.Interval{Estimate: 698e3, Lower: 695e3, Upper: 701e3}},
		}
		c.Warnings = []weir.Warning{weir.Warn(stats.UnequalSpread, "the runs of firewall stateful vary 3 times less")}
	})
	a, b := samples.Campaign().Manifest, samples.Campaign().Manifest
	b.Kernel, b.Settings = "6.19.0-amd64", append([]weir.Setting{{Where: "dut", Name: "mitigations", Value: "off"}}, b.Settings[2:]...)
	b.Ceiling = map[string]float64{"64": 3_915_000, "512": 1_900_000}
	for _, format := range ComparisonFormats() {
		var out bytes.Buffer
		if err := WriteProof(&out, format, p, Compared{Manifests: []weir.Manifest{a, b}}); err != nil {
			t.Fatal(err)
		}
		golden(t, "compare."+map[string]string{"text": "txt", "markdown": "md", "csv": "csv", "json": "json"}[format], out.String())
	}
	if err := WriteProof(&bytes.Buffer{}, "pdf", p, Compared{}); err == nil || !strings.Contains(err.Error(), "text, markdown, csv, json") {
		t.Errorf("the error is %v", err)
	}
}

// Of a proof of nothing every format says so, and JSON stays valid without a
// bound.
func TestWriteProofOfLittle(t *testing.T) {
	inf := stats.Interval{Estimate: .1, Lower: -1, Upper: math.Inf(1)}
	for name, p := range map[string]proof.Proof{"nothing": {}, "no bounds": madeProof(stats.Inconclusive, inf, nil)} {
		for _, format := range ComparisonFormats() {
			var out bytes.Buffer
			if err := WriteProof(&out, format, p, Compared{}); err != nil {
				t.Fatalf("%s as %s: %v", name, format, err)
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(out.String(), bad) {
					t.Errorf("%s as %s contains %s:\n%s", name, format, bad, &out)
				}
			}
			if format == "json" && !json.Valid(out.Bytes()) {
				t.Errorf("%s: no JSON", name)
			}
		}
	}
}
