package sqlite

import (
	"testing"

	"weir"
)

// Campaigns are alike that measured the same plan on the same machine before, to the end.
func TestAlike(t *testing.T) {
	s := open(t)
	add := func(change func(*weir.Manifest), ended string) string {
		c := weir.Campaign{Manifest: sampleManifest()}
		change(&c.Manifest)
		n := begin(t, s, c)
		if err := n.RecordResult(t.Context(), weir.Result{Method: "sweep", Factors: weir.Factors{"frame_size": 64}, Value: 1e6}); err != nil {
			t.Fatal(err)
		}
		if err := n.End(t.Context(), ended); err != nil {
			t.Fatal(err)
		}
		return n.ID()
	}
	same := func(*weir.Manifest) {}
	want := add(same, weir.EndedComplete)
	add(func(m *weir.Manifest) { m.Kernel = "6.19" }, weir.EndedComplete)
	add(func(m *weir.Manifest) { m.CPUModel = "Another CPU" }, weir.EndedComplete)
	add(func(m *weir.Manifest) { m.Plan = "sizes: [512]\n" }, weir.EndedComplete)
	add(same, weir.EndedInterrupted)
	id := add(same, weir.EndedComplete)
	add(same, weir.EndedComplete) // later
	cs, err := s.Alike(t.Context(), weir.Campaign{ID: id, Manifest: sampleManifest()})
	if err != nil || len(cs) != 1 || cs[0].ID != want || len(cs[0].Results) != 1 || cs[0].Results[0].Value != 1e6 {
		t.Errorf("%+v, %v, want campaign %s alone", cs, err, want)
	}
}
