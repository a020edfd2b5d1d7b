package plan

import "weir/internal/schema"

// Schema returns the JSON Schema of plans, with which editors complete and check them. It knows
// of each field what may be written for it, and nothing of what fields mean together: a plan that
// it takes can be refused by Parse.
func Schema() ([]byte, error) {
	var r reader
	return schema.JSONSchema("a plan of weir", objectOf("a plan", r.planFields(&Plan{}, &dependent{})...))
}
