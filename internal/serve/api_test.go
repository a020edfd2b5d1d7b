package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"weir/internal/jobs"
	"weir/internal/report"
	"weir/internal/tokens"
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

// call asks the API with a token and JSON.
func (s *actionSite) call(method, path, token, body string) (string, *http.Response) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.http.URL+apiPath+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return s.do(req)
}

// Scripts do what the server allows and their token is good for.
func TestAPIActions(t *testing.T) {
	s := newMeasureSite(t, `echo "$4"; read line; exit 130`)
	annotate, run, remove := s.tokens[tokens.Annotate], s.tokens[tokens.Run], s.tokens[tokens.Delete]
	for _, c := range []struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		{"POST", "campaigns/" + s.id + "/annotations", "", `{"kind": "known"}`, 401, "this takes a token"},
		{"POST", "campaigns/" + s.id + "/annotations", run, `{"kind": "known"}`, 403, `no scope \"annotate\"`},
		{"POST", "campaigns/" + s.id + "/annotations", annotate, `{"kind": "good"}`, 422, "kind"},
		{"POST", "campaigns/" + s.id + "/annotations", annotate, `{"kind": "note", "link": "ftp://x"}`, 422, "no address of a page"},
		{"POST", "campaigns/" + s.id + "/annotations", annotate, `{"kind": "known", "text": "x"}`, 200, `"mark":"known"`},
		{"POST", "campaigns/nope/annotations", annotate, `{"kind": "known"}`, 404, "no campaign"},
		{"POST", "jobs", annotate, `{"plan": "x"}`, 403, "no scope"},
		{"POST", "jobs", run, `{"plan": ""}`, 422, "there is no plan"},
		{"POST", "jobs", run, `{"plan": "x"}`, 200, `"job":1`},
		{"GET", "jobs", "", "", 401, "token"},
		{"GET", "jobs", run, "", 200, `"who":"tok-run"`},
		{"GET", "jobs/1", run, "", 200, `"begun":false`},
		{"POST", "jobs/1/stop", annotate, "", 403, "no scope"},
		{"POST", "jobs/1/stop", run, "", 200, `"job":1`},
		{"GET", "jobs/7", run, "", 404, "no such job"},
		{"DELETE", "campaigns/" + s.id, annotate, "", 403, "no scope"},
		{"DELETE", "campaigns/" + s.id, remove, "", 200, `"annotations":1`},
		{"DELETE", "campaigns/" + s.id, remove, "", 404, "no campaign"},
		{"DELETE", "jobs/1", run, "", 405, "GET alone"},
	} {
		text, answer := s.call(c.method, c.path, c.token, c.body)
		if answer.StatusCode != c.status || !strings.Contains(text, c.want) || !strings.Contains(answer.Header.Get("Content-Type"), "json") {
			t.Errorf("%s %s: %d without %q, %s: %.400s", c.method, c.path, answer.StatusCode, c.want, answer.Header.Get("Content-Type"), text)
		}
	}
	s.await(1, jobs.Job.Over)
	text, _ := s.get(apiPath + "openapi.json")
	for _, want := range []string{`"securitySchemes":{"bearer":{`, `"security":[{"bearer":[]}]`, "/api/jobs/{number}/stop", "It takes the scope delete"} {
		if !strings.Contains(text, want) {
			t.Errorf("the document is without %s", want)
		}
	}
	if text, _ := newSite(t).get(apiPath + "openapi.json"); strings.Contains(text, "jobs") || strings.Contains(text, "annotations\"") {
		t.Error("the document of a server that allows nothing has actions")
	}
}
