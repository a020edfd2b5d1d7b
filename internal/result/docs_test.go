package result

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what docs has of the table of metrics anew")

// The documentation has the table of metrics as it is: go test ./internal/result -update writes
// it.
func TestDocs(t *testing.T) {
	const name, head = "../../docs/results.md", "| metric | unit |"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, table, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table that begins with %q", name, head)
	}
	_, after, _ := strings.Cut(table, "|\n\n")
	golden(t, name, string(text), before+Table()+"\n"+after)
}

// The schema of JSON has each metric where the table says it, with its meaning and its unit
// first, and what else there is to say behind a semicolon: go test ./internal/result -update
// writes them.
func TestSchema(t *testing.T) {
	const name = "../../docs/result.schema.json"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, m := range metrics {
		text = described(t, text, m)
	}
	if !json.Valid([]byte(text)) {
		t.Fatalf("%s would be no JSON:\n%s", name, text)
	}
	golden(t, name, string(data), text)
}

// described returns a schema with the description of a metric.
func described(t *testing.T, schema string, m Metric) string {
	t.Helper()
	means, unit := strings.TrimSuffix(m.Means, "."), ""
	if strings.ToLower(means[1:2]) == means[1:2] { // no abbreviation
		means = strings.ToLower(means[:1]) + means[1:]
	}
	if m.Unit != "" && m.Unit != OfResult {
		unit = ", in " + m.Unit
	}
	of, key, _ := strings.Cut(m.JSON, ".")
	switch {
	case strings.HasSuffix(of, "_seconds") && key != "": // latencies and round trips have one description of each time
		about, quantile, one := strings.Cut(means, ": ")
		if !one {
			return describedAt(t, schema, "delays", "\n        ", key, means+unit)
		}
		schema = describedAt(t, schema, "result", "\n        ", of, about+unit)
		return describedAt(t, schema, "delays", "\n        ", key, quantile)
	case key == "" || key == "value":
		return describedAt(t, schema, "result", "\n        ", of, means+unit)
	}
	return describedAt(t, schema, of, "", key, means+unit)
}

// describedAt returns a schema in which the description of a key of an object begins with a text.
func describedAt(t *testing.T, schema, object, indent, key, text string) string {
	t.Helper()
	at := strings.Index(schema, "\""+object+"\": {\n")
	property := regexp.MustCompile(indent + `"` + regexp.QuoteMeta(key) + `": \{("(?:type|\$ref)": "[^"]*")(?:, "description": "([^"]*)")?\}`)
	if at < 0 || !property.MatchString(schema[at:]) {
		t.Fatalf("the schema has no %s of %s", key, object)
	}
	found := property.FindStringSubmatchIndex(schema[at:])
	more := ""
	if found[4] >= 0 {
		_, more, _ = strings.Cut(schema[at+found[4]:at+found[5]], "; ")
	}
	if more != "" {
		more = "; " + more
	}
	return schema[:at+found[3]] + `, "description": "` + text + more + `"}` + schema[at+found[1]:]
}

// golden compares a file with what it has to be, and writes it with -update.
func golden(t *testing.T, name, have, want string) {
	t.Helper()
	if have == want {
		return
	}
	if !*update {
		t.Errorf("%s is another one: go test ./internal/result -update", name)
		return
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
