package report

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir"
	"weir/internal/testenv/samples"
)

// schemaFile describes the JSON format to those who read it.
const schemaFile = "../../docs/result.schema.json"

func TestJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	infinite := samples.Campaign()
	infinite.Results[0].Upper, infinite.Results[0].CPUPerFrame = math.Inf(1), math.NaN()
	infinite.Results[0].Figures = []weir.Figure{{Name: "mean", Value: math.NaN(), Unit: "s"}}
	for name, c := range map[string]weir.Campaign{"sample": samples.Campaign(), "simulated": sampleSimulated(), "empty": {}, "infinite": infinite, "further": samples.Further(), "transfers": sampleOnce(), "experiment of transfers": sampleNICs(), "swept": sampleSwept(), "uncounted": sampleUncounted(), "overload": samples.Overload(), "bench": sampleBench(),
		"study": samples.Study(), "vetoed": sampleVetoed(), "imported": sampleImported()} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(renderWith(t, Options{Trials: true}, "json", c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{`{}`, `{"campaign": "x", "name": "", "manifest": {}, "results": null, "ended": ""}`} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

func TestJSONShape(t *testing.T) {
	var doc struct {
		Campaign string
		Results  []map[string]any
	}
	if err := json.Unmarshal([]byte(render(t, "json", samples.Campaign())), &doc); err != nil {
		t.Fatal(err)
	}
	frmol := doc.Results[2]
	if diff := cmp.Diff([]any{}, frmol["warnings"]); diff != "" {
		t.Errorf("warnings: %s", diff)
	}
	ledger := frmol["ledger"].(map[string]any)
	drops := ledger["drops"].(map[string]any)
	sum := ledger["received"].(float64) + ledger["unexplained"].(float64)
	for _, n := range drops {
		sum += n.(float64)
	}
	if sum != ledger["offered"] || len(drops) != 2 {
		t.Errorf("the ledger does not add up: %v", ledger)
	}
	want := []string{"claim", "dut_cpu_seconds_per_frame", "dut_cpu_share", "exceed_ratio", "factors", "first_trial", "last_trial", "latency_seconds", "ledger",
		"loss_ratio", "lower", "mean_frame_size", "method", "search_seconds", "simulated", "trial_seconds", "trials", "unit", "upper",
		"value", "warnings", "width"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(frmol))); diff != "" {
		t.Errorf("fields: %s", diff)
	}
}

// A campaign is one object, with what it measured once, what its runs found, and
// what these say.
func TestJSONComparisons(t *testing.T) {
	var doc struct {
		Results     []struct{ Method string }
		Comparisons []Difference
	}
	if err := json.Unmarshal([]byte(render(t, "json", sampleBench())), &doc); err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Results); n != 4+18 {
		t.Errorf("there are %d results, want 4 sweeps and 18 of runs", n)
	}
	type line struct {
		Metric, Baseline, Arm, Verdict string
		Again                          bool
		Runs                           int
	}
	var got []line
	for _, c := range doc.Comparisons {
		if c.Effect == nil || c.Lower == nil || c.Upper == nil || !(*c.Lower <= *c.Effect && *c.Effect <= *c.Upper) {
			t.Errorf("%+v has no effect within its bounds", c)
		}
		got = append(got, line{c.Metric, c.Baseline, c.Arm, string(c.Verdict), c.Again, c.Runs})
	}
	const none, stateful = "firewall none", "firewall stateful"
	want := []line{
		{"throughput", none, none, "equivalent", true, 6},
		{"throughput", none, stateful, "difference proven", false, 6},
		{"dut_cpu_seconds_per_frame", none, none, "equivalent", true, 6},
		{"dut_cpu_seconds_per_frame", none, stateful, "difference proven", false, 6},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := *doc.Comparisons[1].Effect; e > -.1 || e < -.2 {
		t.Errorf("the firewall's effect is %v, want about -0.14", e)
	}
}

// Trials are there when they are asked for, and then with their windows.
func TestJSONTrials(t *testing.T) {
	var doc struct {
		Trials []struct {
			Windows []struct{ Sent uint64 }
		}
	}
	if err := json.Unmarshal([]byte(render(t, "json", sampleSwept())), &doc); err != nil || doc.Trials != nil {
		t.Errorf("there are %d trials, %v", len(doc.Trials), err)
	}
	if err := json.Unmarshal([]byte(renderWith(t, Options{Trials: true}, "json", sampleSwept())), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Trials) != 12 || len(doc.Trials[0].Windows) != 240 {
		t.Errorf("there are %d trials, want 12 of 240 windows", len(doc.Trials))
	}
}

// Without a verdict an effect is there as far as it is known.
func TestJSONVetoed(t *testing.T) {
	var doc struct{ Comparisons []Difference }
	if err := json.Unmarshal([]byte(render(t, "json", sampleVetoed())), &doc); err != nil {
		t.Fatal(err)
	}
	vetoed := 0
	for _, c := range doc.Comparisons {
		if c.Verdict != "vetoed" {
			continue
		}
		vetoed++
		if c.Veto == "" || c.Runs == 0 || c.Effect == nil || c.Lower == nil || c.Upper == nil {
			t.Errorf("%s of %s: %d runs, effect %v, veto %q", c.Metric, c.Arm, c.Runs, c.Effect, c.Veto)
		}
	}
	if vetoed == 0 {
		t.Error("nothing is vetoed")
	}
}
