package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled returns the JSON Schema of plans, which docs have as it is.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/plan.schema.json", string(text))
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("plan.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a plan against the schema, as an editor does.
func validate(t *testing.T, s *jsonschema.Schema, name string, data []byte) error {
	t.Helper()
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s.Validate(doc)
}

// Every example is a plan by the schema, names it in its first line, and so is what the text of
// docs/plans.md has.
func TestSchemaTakesPlans(t *testing.T) {
	s := compiled(t)
	examples, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(examples) < 40 {
		t.Fatalf("%d examples, error %v", len(examples), err)
	}
	for _, name := range append(examples, "bench.yaml", "quick.yaml") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(string(data), "\n"); strings.HasPrefix(name, "..") && first != "# yaml-language-server: $schema=../docs/plan.schema.json" {
			t.Errorf("%s: editors find no schema in its first line", name)
		}
		for _, d := range Documents(data) {
			if err := validate(t, s, name, d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	docs, err := os.ReadFile("../../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(docs), "```yaml\n")[1:] {
		plan, _, _ := strings.Cut(part, "```")
		if err := validate(t, s, "docs/plans.md", []byte(plan)); err != nil {
			t.Errorf("%s: %v", plan, err)
		}
	}
}

// The schema refuses what is wrong with a field by itself; testdata/schema.txt lists the wrong
// plans that it cannot know to be wrong.
func TestSchemaRefusesMistakes(t *testing.T) {
	s := compiled(t)
	plans, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil || len(plans) < 50 {
		t.Fatalf("%d plans, error %v", len(plans), err)
	}
	var taken strings.Builder
	for _, name := range plans {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if validate(t, s, name, data) == nil {
			taken.WriteString(filepath.Base(name) + "\n")
		}
	}
	golden(t, "testdata/schema.txt", taken.String())
	for _, c := range []struct {
		plan string
		good bool
	}{
		{"traffic: {sizes: 64}", true},
		{"trafic: {sizes: 64}", false},
		{"traffic: {sizes: [64, {random: 350-550}]}", true},
		{"traffic: {sizes: [64, {randon: 350-550}]}", false},
		{"methods: [throughput]", true},
		{"methods: [thruput]", false},
		{"methods: [{method: throughput, loss: 0.5%, trial: 1s}]", true},
		{"methods: [{method: throughput, loss: 0.5}]", false},
		{"methods: [{method: throughput, trial: 1}]", false},
		{"methods: [{loss: 0}]", false},
		{"testbed: {kind: sim, speeds: [1, 0.73], capacity: 1M}", true},
		{"testbed: {kind: sim, ports: [a, b]}", false},
		{"testbed: {kind: ports, ports: [a, b]}", true},
		{"dut: none", true},
		{"dut: {firewall: stateful, sysctl net.ipv4.ip_forward: 1}", true},
		{"dut: {firewall: statefull}", false},
		{"dut: {filters: 1001}", false},
		{"factors: {firewall: [none, {kind: nat, name: home}], gro: [on, off]}", true},
		{"factors: {firewalls: [none, nat]}", false},
		{"modifiers: [plain, broadcast, {routes: 10k}]", true},
		{"modifiers: [plan]", false},
		{"runs: {count: 5, order: abba, confidence: 99%}", true},
		{"runs: {count: 5, order: aba}", false},
		{"waits: {residual: 50ms}", true},
		{"waits: {residual: 50}", false},
		{"notes: [{of: {frame_size: 64}, text: x}]", true},
		{"then: {runs: 3}", false},
		{"{factors: {firewall: [none, stateful], gro: [on, off]}, combinations: [{firewall: none}, {firewall: stateful, gro: off}]}", true},
		{"methods: [{method: throughput, claim: rate at 0.5 % loss}]", true},
		{"{dut: {routes: 10k}, modifiers: [plain, {routes: {via: bgp}}, {name: quiet, level: broadcast}]}", true},
		{"notes: [{of: {firewall: {kind: stateful, rules: 25}}, text: x}]", true},
		{"testbed: {kind: vm, kernel: {debian: 6.12}}", true},
		{"testbed: {kind: vm, kernel: {debian: 9.9}}", false},
		{"testbed: {kind: sim, capacity: -5}", false},
		{"testbed: {kind: sim, livelock: -1}", false},
		{"traffic: {vlans: [{id: 5, tpid: 0x8100}], source_port: 7}", true},
		{"traffic: {vlans: [{id: 5, tpid: 3}]}", false},
		{"traffic: {source_port: 70000}", false},
		{"traffic: {flows: 1.5}", false},
		{"methods: [{method: throughput, trial: 0}]", false},
		{"methods: [{method: throughput, trial: s}]", false},
		{"methods: [{method: throughput, trial: 1m30s, width: 0}]", false},
		{"factors: {firewall: [nat]}", false},
		{"factors: {firewall: nat}", false},
		{"runs: 1", false},
	} {
		if err := validate(t, s, c.plan, []byte(c.plan)); (err == nil) != c.good {
			t.Errorf("%s: %v", c.plan, err)
		}
	}
}
