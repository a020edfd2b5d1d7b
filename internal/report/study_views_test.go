package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir"
	"weir/internal/testenv/samples"
	"weir/stats"
)

// sampleNoise is a campaign of runs of the unchanged DUT.
func sampleNoise() weir.Campaign {
	c := samples.Experiment{Arms: []samples.Arm{{Name: "plain", Factors: weir.Factors{}, Rate: 1}}, Sizes: []any{64}, Blocks: 20, Spread: .01, Wave: .05}.Campaign(47)
	return c
}

// samplePublished is an imported campaign of firewalls in two versions, with
// levels that nobody has said.
func samplePublished() weir.Campaign {
	firewalls := []string{"none", "ipf stateful", "ipf stateless", "ipfw stateful", "ipfw stateless", "pf stateful", "pf stateless"}
	versions := []string{"11.0", "11.1BETA1"}
	c := weir.Campaign{ID: "20261122-0010-5e1d", Name: "firewalls", Ended: "complete"}
	e := &weir.Experiment{Factors: []weir.Factor{{Name: "version", Levels: versions}, {Name: "firewall", Levels: firewalls}}, Levels: map[string][]weir.ArmLevel{}}
	for i, v := range versions {
		for k, f := range firewalls {
			arm := v + ", " + f
			e.Arms = append(e.Arms, arm)
			with, kind, _ := strings.Cut(f, " ")
			set := weir.ConditionOf(weir.Firewall{Kind: weir.FirewallKind(kind), With: with})
			if kind == "" {
				set = weir.Condition{}
			}
			e.Levels[arm] = []weir.ArmLevel{{Factor: "version", Name: v}, {Factor: "firewall", Name: f, Set: set}}
			for n := range 5 {
				c.Results = append(c.Results, weir.Result{Method: "imported", Claim: weir.Claim{Name: "FRMOL, published"}, Unit: "frames/s",
					Run:     weir.Run{Number: len(c.Results) + 1, Arm: arm},
					Factors: weir.Factors{"frame_size": "not said", "version": v, "firewall": f}, Value: 1e5*float64(9+2*i-k) + 1e3*float64(n%3)})
			}
		}
	}
	c.Manifest = weir.Manifest{Experiment: e, CPUModel: "AMD GX-412TC 4Cores", Backend: "netbenches", Imported: &weir.Imported{
		Format: "netbenches", Source: "netbenches/firewalls", What: "FRMOL: packets/s received at the highest load"}}
	return c
}

// Runs of an unchanged DUT answer how much they differ, and how many of them see
// a change.
func TestNoise(t *testing.T) {
	c := sampleNoise()
	s := studiesOf(c)[0]
	x := s.noise()[0]
	for _, format := range []string{"text", "markdown"} {
		got := strings.Join(strings.Fields(render(t, format, c)), " ")
		want := fmt.Sprintf("40 runs of the unchanged DUT differ by %s %% in 64-octet throughput, by %s %% within a block; A/A passes; a change of 1 %% takes about %d runs a side, one of 2 %% ",
			deviation(overall(x)), deviation(x.Deviation), stats.Runs(x.Deviation, .01, s.Experiment.Confidence, .8))
		if !strings.HasPrefix(strings.TrimPrefix(got, "# "), want) {
			t.Errorf("%s begins with %.200q, want %q", format, got, want)
		}
		for _, bad := range []string{"no verdict", "Verdicts", "verdicts"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s says %q of what was not compared", format, bad)
			}
		}
	}
	for i := range c.Results {
		if c.Results[i].Run.Again {
			c.Results[i].Value *= 1.1
		}
	}
	if got := render(t, "text", c); !strings.Contains(strings.SplitN(got, "\n\n", 2)[0], "A/A FAILS: it differs") {
		t.Errorf("an A/A that differs is not said at once: %.300s", got)
	}
}

// What others published is looked at by each factor, with the names of what was
// published, and without what nobody has said.
func TestPublishedByFactor(t *testing.T) {
	for _, format := range []string{"text", "markdown", "html"} {
		got := render(t, format, samplePublished())
		for _, want := range []string{"y version, all else the same", "y firewall, all else the same", "y state, all else the same", "FRMOL"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not contain %q", format, want)
			}
		}
		for _, bad := range []string{"0 x AMD", "not said", "tester netbenches", ", kpps imported"} {
			if strings.Contains(strings.SplitN(got, `id="manifest"`, 2)[0], bad) {
				t.Errorf("%s contains %q", format, bad)
			}
		}
		for _, line := range strings.Split(got, "\n") {
			if n := utf8.RuneCountInString(line); format == "text" && n > 100 {
				t.Errorf("line of %d columns: %s", n, line)
			}
		}
	}
}

func TestMoreJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]weir.Campaign{"noise": sampleNoise(), "published": samplePublished(), "vetoed": sampleVetoed(), "factors": sampleFactors()} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, "json", c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The head of an experiment's report tells of runs that do not count, and of
// nothing that cost none.
func TestLeftText(t *testing.T) {
	c := sampleInconclusive()
	c.Results[0].Warnings = append(c.Results[0].Warnings, weir.Warn(weir.GeneratorStalled, "the generator was kept from sending for 2ms"))
	if label, text := viewOf(c).disturbance(c); text != "" {
		t.Errorf("of runs that all count it says %s: %s", label, text)
	}
	c.Results[0].Warnings = append(c.Results[0].Warnings, weir.Warn(weir.BusyMachine, "others had 40 %% of the CPUs"))
	want := fmt.Sprintf("%d of %d results do not count: the machine was busy with something else (1), in a block with such a run (%d)", 3, len(c.Results), 2)
	if label, text := viewOf(c).disturbance(c); label != "left out" || text != want {
		t.Errorf("it says %s: %s, want %s", label, text, want)
	}
}

// The manifest has what the experiment varies and how its runs are ordered.
func TestManifestHasTheExperiment(t *testing.T) {
	var names []string
	for _, s := range experimentSettings(*samples.Study().Manifest.Experiment) {
		names = append(names, s.Name)
	}
	page := render(t, "html", samples.Study())
	for _, want := range []string{"factor firewall", "arms", "baseline again (A/A)", "schedule", "seed of the order", "confidence"} {
		if !slices.Contains(names, want) || !strings.Contains(page, `<td class="text">`+want+`</td>`) {
			t.Errorf("%q is not among %v, or not on the page", want, names)
		}
	}
}
