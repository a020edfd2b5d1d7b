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
