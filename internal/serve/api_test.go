package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"weir/internal/report"
)

// Scripts get what the pages show, and an error as one they can read.
func TestAPI(t *testing.T) {
	s := newSite(t)
	first, second := s.measure("one", nil), s.measure("one", nil)
	history := topic{Name: "one", DUT: "simulated", Testbed: "sim", Method: "throughput", Size: "64"}.path()
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"campaigns", 200, `"found":2,"total":2,"whole":true`},
		{"campaigns?q=nothing", 200, `"campaigns":[],"found":0`},
		{"campaigns?state=complete&method=throughput", 200, `"campaign":"` + first},
		{"campaigns?from=yesterday", 422, "write a day as"},
		{"campaigns?colour=red", 422, "colour"},
		{"campaigns/" + second, 200, `"campaign": "` + second},
		{"campaigns/nope", 404, `"detail":"there is no campaign`},
		{"compare?c=" + second + "&c=" + first, 200, `"comparisons": [`},
		{"compare?c=" + first, 400, "at least two"},
		{history, 200, `"campaign":"` + second},
		{"history?name=nope", 404, "no complete campaign"},
		{"openapi.json", 200, `"openapi":"3.1.0"`},
		{"openapi.yaml", 200, "openapi: 3.1.0"},
		{"result.schema.json", 200, "$schema"},
		{"nope", 404, "no page"},
	} {
		text, answer := s.get(apiPath + c.path)
		if answer.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d without %q: %.400s", c.path, answer.StatusCode, c.want, text)
		}
	}
}

// JSON of a campaign is what weir report prints of it.
func TestCampaignIsItsReport(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	c, err := s.store.Campaign(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := (report.Options{}).Write(&want, "json", c); err != nil {
		t.Fatal(err)
	}
	if text, _ := s.get(apiPath + "campaigns/" + id); text != want.String() {
		t.Errorf("the answer is not the report: %.300s", text)
	}
}

// The document of the API describes each of its answers, with what its fields mean.
func TestOpenAPI(t *testing.T) {
	s := newSite(t)
	text, _ := s.get(apiPath + "openapi.json")
	var document struct {
		Paths map[string]map[string]struct {
			Summary    string
			Parameters []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Paths) < 4 {
		t.Errorf("it has %d paths", len(document.Paths))
	}
	names := map[string]bool{}
	for _, p := range document.Paths[apiPath+"campaigns"]["get"].Parameters {
		names[p.Name] = true
	}
	for _, name := range append(choiceNames(), "q", "from", "until", "page") {
		if !names[name] {
			t.Errorf("the document does not know the filter %s", name)
		}
	}
}
