package report

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/result"
	"weir/internal/testenv/samples"
)

// The schema has the fields that JSON has, and no others where it says that it has them all.
func TestSchemaHasAllFields(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	compareFields(t, schema["$defs"].(map[string]any), "campaign", schema, reflect.TypeFor[jsonCampaign]())
}

// compareFields holds a part of the schema against the type that JSON has there.
func compareFields(t *testing.T, defs map[string]any, at string, schema map[string]any, of reflect.Type) {
	t.Helper()
	if ref, is := schema["$ref"].(string); is {
		schema = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if items, is := schema["items"].(map[string]any); is && of.Kind() == reflect.Slice {
		compareFields(t, defs, at+"[]", items, of.Elem())
		return
	}
	properties, is := schema["properties"].(map[string]any)
	if !is || of.Kind() != reflect.Struct {
		return
	}
	fields := map[string]reflect.Type{}
	addFields(fields, of)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if property, is := properties[name].(map[string]any); is {
			compareFields(t, defs, at+"."+name, property, fields[name])
		} else if schema["additionalProperties"] == false {
			t.Errorf("the schema has no %s of %s", name, at)
		}
	}
	for name := range properties {
		if fields[name] == nil {
			t.Errorf("the schema has a %s of %s, and JSON has none", name, at)
		}
	}
}

// addFields adds the fields that a struct has in JSON: its own hide those of what it embeds.
func addFields(fields map[string]reflect.Type, of reflect.Type) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	for _, own := range []bool{false, true} {
		for i := range of.NumField() {
			switch f := of.Field(i); {
			case f.Anonymous && f.Tag.Get("json") == "":
				if !own {
					addFields(fields, f.Type)
				}
			case own:
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
					fields[name] = f.Type
				}
			}
		}
	}
}

// A metric of a result is where the table of metrics says that JSON has it.
func TestJSONHasMetrics(t *testing.T) {
	for name, c := range map[string]weir.Campaign{"sample": samples.Campaign(), "swept": sampleSwept(), "study": samples.Study(), "transfers": sampleOnce()} {
		var doc struct{ Results []map[string]any }
		if err := json.Unmarshal([]byte(render(t, "json", c)), &doc); err != nil {
			t.Fatal(err)
		}
		for i, r := range lastRound(c).Results {
			for _, m := range result.All() {
				v, known := m.Of(&r)
				if !known || v.Value == 0 {
					continue // JSON leaves some of these out
				}
				key, in, nested := strings.Cut(m.JSON, ".")
				is := doc.Results[i][key]
				if object, ok := is.(map[string]any); nested && ok {
					is = object[in]
				}
				if is != v.Value {
					t.Errorf("%s, result %d: %s is %v, and %v in JSON", name, i+1, m.ID, v.Value, is)
				}
			}
		}
	}
}
