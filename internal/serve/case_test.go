package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir"
)

// Results of one method at one size that were sought for several goals have a history each.
func TestGoals(t *testing.T) {
	s := newSite(t)
	of := func(method string, loss, exceed, sum, value float64) weir.Result {
		return weir.Result{
			Method: method, Unit: "frames/s", Factors: weir.Factors{"frame_size": 64}, Claim: weir.Claim{Name: "x"}, LossRatio: loss, ExceedRatio: exceed,
			TrialSeconds: 1, Sum: sum, Value: 1e3 * value, Lower: 1e3 * value, Upper: 1.01e3 * value,
		}
	}
	for i := range 3 {
		more := float64(i)
		n, err := s.store.Begin(t.Context(), weir.Campaign{Name: "goals", Manifest: weir.Manifest{Platform: "linux", Testbed: "netns"}})
		if err == nil {
			err = n.RecordResults(t.Context(), []weir.Result{
				of("mlrsearch", 0, 0, 1, 100+more), of("mlrsearch", 0, .5, 21, 200+more), of("mlrsearch", .005, .5, 21, 300+more), of("throughput", 0, 0, 0, 400+more), of("throughput", .005, 0, 0, 500+more),
			})
		}
		if err == nil {
			err = n.End(t.Context(), weir.EndedComplete)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.look()
	if found := s.index.all()[0].Found; len(found) != mostFound || found[1].Value != 202e3 {
		t.Errorf("in the list are %v", found)
	}
	text, _ := s.get("/")
	if !strings.Contains(text, "mlrsearch 64, loss 0.5 %, exceed 50 %, 1 s of 21 s: 302.0 kpps") {
		t.Errorf("the list does not say which goal: %.3000s", text)
	}
	for is, first := range map[topic]float64{
		{Method: "mlrsearch", Case: "loss 0 %, 1 s of 1 s"}:                 100,
		{Method: "mlrsearch", Case: "loss 0 %, exceed 50 %, 1 s of 21 s"}:   200,
		{Method: "mlrsearch", Case: "loss 0.5 %, exceed 50 %, 1 s of 21 s"}: 300,
		{Method: "throughput"}:                     400,
		{Method: "throughput", Case: "loss 0.5 %"}: 500,
	} {
		is.Name, is.DUT, is.Testbed, is.Size = "goals", "linux", "netns", "64"
		if text, answer := s.get("/" + is.path()); answer.StatusCode != 200 || !strings.Contains(text, is.Case) {
			t.Errorf("%s is %d", is.path(), answer.StatusCode)
		}
		text, _ := s.get(apiPath + is.path())
		var history struct{ Points []struct{ Value float64 } }
		if err := json.Unmarshal([]byte(text), &history); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, p := range history.Points {
			got = append(got, p.Value/1e3)
		}
		if want := []float64{first, first + 1, first + 2}; !slices.Equal(got, want) {
			t.Errorf("%s has %v", is.path(), got)
		}
	}
	if _, answer := s.get("/" + topic{Name: "goals", DUT: "linux", Testbed: "netns", Method: "mlrsearch", Size: "64", Case: "loss 3 %"}.path()); answer.StatusCode != 404 {
		t.Errorf("a goal that nobody had: %d", answer.StatusCode)
	}
	if text, _ := s.get(fmt.Sprintf("/c/%s/badge.svg?method=mlrsearch&goal=loss+0+%%25,+1+s+of+1+s", s.index.all()[0].ID)); !strings.Contains(text, "64 octets, loss 0 %, 1 s of 1 s: 102.0 kpps") {
		t.Errorf("the badge is %s", text)
	}
}
