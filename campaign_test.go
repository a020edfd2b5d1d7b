package weir

import "testing"

// A store has whole numbers with a floating point, and a plan writes them out.
func TestNoteAboutNumber(t *testing.T) {
	r := Result{Method: "frmol", Factors: Factors{"flows": 1048576., "frame_size": 64, "bidirectional": true}}
	for _, of := range []map[string]string{{"flows": "1048576"}, {"frame_size": "64", "bidirectional": "true"}, {"method": "frmol"}} {
		if !(Note{Of: of}).About(r) {
			t.Errorf("a note of %v is not about its result", of)
		}
	}
	for _, of := range []map[string]string{nil, {"flows": "1"}, {"filters": ""}, {"method": "latency"}} {
		if (Note{Of: of}).About(r) {
			t.Errorf("a note of %v is about another result", of)
		}
	}
}
