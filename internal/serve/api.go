package serve

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"weir"
	"weir/docs"
	"weir/internal/report"
	"weir/stats"
)

// apiPath is where scripts ask.
const apiPath = "/api/"

// register adds what scripts ask to the routes: JSON of what the pages show, which an OpenAPI
// document (https://spec.openapis.org/oas/v3.1.0) made from the types below describes.
func (s *Server) register(mux *http.ServeMux) {
	config := huma.DefaultConfig("weir", weir.Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = apiPath+"openapi", "", ""
	config.CreateHooks = nil // no link to a schema in each answer
	config.RejectUnknownQueryParameters = true
	config.Info.Description = "What a store of weir holds, and what the server lets those do who have a token. A file is imported by a form: POST /import, multipart/form-data."
	api := humago.New(mux, config)
	get(api, s, "campaigns", "List campaigns, the newest first", s.apiList)
	get(api, s, "campaigns/{id}", "Get a campaign, as weir report --format json prints it", bounded(s, s.apiCampaign))
	get(api, s, "compare", "Compare campaigns, as weir compare --format json prints it", bounded(s, s.apiCompare))
	get(api, s, "history", "Follow a value over campaigns, with where it changed", bounded(s, s.apiHistory))
	s.registerActions(api)
}

// get registers what answers at a path.
func get[I, O any](api huma.API, s *Server, path, summary string, answer func(context.Context, *I) (*O, error)) {
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: apiPath + path, Summary: summary, OperationID: slug(path)}, func(ctx context.Context, in *I) (*O, error) {
		out, err := answer(ctx, in)
		if err != nil {
			wrong := s.told(path, err)
			return nil, huma.NewError(wrong.status, wrong.text)
		}
		return out, nil
	})
}

// bounded has an answer wait for a place among those who make something of whole campaigns.
func bounded[I, O any](s *Server, answer func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (out *O, err error) {
		err = s.pages.work(ctx, func(ctx context.Context) error {
			out, err = answer(ctx, in)
			return err
		})
		return out, err
	}
}

// A listInput is the filter of the list.
type listInput struct {
	Query   string `query:"q" doc:"words of id, name, kernel, CPU, method or warning"`
	DUT     string `query:"dut"`
	Kernel  string `query:"kernel"`
	Testbed string `query:"testbed"`
	Method  string `query:"method"`
	Size    string `query:"size" doc:"frame size, as 64 or imix"`
	Warning string `query:"warning" doc:"code of a warning"`
	Verdict string `query:"verdict" doc:"of an experiment: difference proven, equivalent, inconclusive, vetoed"`
	State   string `query:"state" doc:"complete, interrupted, failed, running, killed"`
	From    string `query:"from" doc:"first day, as 2026-12-31"`
	Until   string `query:"until" doc:"last day"`
	Page    string `query:"page" doc:"from 1 on, of 50 campaigns each"`

	filter filter
}

// Resolve reads the filter as the list does.
func (in *listInput) Resolve(ctx huma.Context) []error {
	at := ctx.URL()
	f, err := readFilter(at.Query())
	if in.filter = f; err != nil {
		return []error{err}
	}
	return nil
}

// An apiEntry is a campaign in the list.
type apiEntry struct {
	ID        string             `json:"campaign"`
	Name      string             `json:"name"`
	Started   time.Time          `json:"started"`
	State     string             `json:"state" doc:"complete, interrupted, failed, running, killed, or running or killed"`
	DUT       string             `json:"dut"`
	Kernel    string             `json:"kernel"`
	Testbed   string             `json:"testbed"`
	Weir      string             `json:"weir" doc:"version that measured it"`
	Simulated bool               `json:"simulated"`
	Imported  bool               `json:"imported"`
	Methods   []string           `json:"methods"`
	Sizes     []string           `json:"sizes"`
	Warnings  []weir.WarningCode `json:"warnings"`
	Found     []apiFound         `json:"found" doc:"the last result of each method, size and case, at most 4"`
	Effects   []apiEffect        `json:"effects" doc:"what an experiment has found of its arms, once it is complete"`
	Mark      string             `json:"mark" doc:"known, ignore or nothing: what people have marked it as"`
	Results   int                `json:"results" doc:"how many there are"`
	Trials    int                `json:"trials" doc:"how many there are"`
}

type apiFound struct {
	Method  string  `json:"method"`
	Size    string  `json:"size"`
	Case    string  `json:"case" doc:"what tells it from others of the method and size: the goal of a search, other factors"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	AtLeast bool    `json:"at_least" doc:"whether the value is a lower bound"`
}

type apiEffect struct {
	Method   string        `json:"method"`
	Size     string        `json:"size"`
	Case     string        `json:"case" doc:"what tells it from others of the method and size: the goal of a search, other factors"`
	Metric   string        `json:"metric"`
	Arm      string        `json:"arm"`
	Baseline string        `json:"baseline"`
	Verdict  stats.Verdict `json:"verdict" doc:"difference proven, equivalent, inconclusive, or vetoed"`
	Estimate *float64      `json:"effect" doc:"relative to the baseline; null: it is not known"`
	Lower    *float64      `json:"lower" doc:"of its interval"`
	Upper    *float64      `json:"upper"`
}

type listOutput struct {
	Body struct {
		Campaigns []apiEntry `json:"campaigns"`
		Found     int        `json:"found" doc:"campaigns that pass the filter"`
		Total     int        `json:"total" doc:"campaigns of the store"`
		Whole     bool       `json:"whole" doc:"whether all campaigns of the store were read already"`
	}
}

func (s *Server) apiList(_ context.Context, in *listInput) (*listOutput, error) {
	all := s.index.all()
	rows, n := in.filter.apply(all)
	whole, err := s.index.state()
	if err != nil {
		return nil, statusError{http.StatusServiceUnavailable, "the store cannot be read now: " + err.Error()}
	}
	var out listOutput
	out.Body.Found, out.Body.Total, out.Body.Whole, out.Body.Campaigns = n, len(all), whole, []apiEntry{}
	for _, e := range rows {
		one := apiEntry{
			ID: e.ID, Name: e.Name, Started: e.Started, State: e.State(), DUT: e.DUT, Kernel: e.Kernel, Testbed: e.testbed(), Weir: e.Weir, Simulated: e.Simulated, Imported: e.Imported,
			Methods: slices.Concat([]string{}, e.Methods), Sizes: slices.Concat([]string{}, e.Sizes), Warnings: slices.Concat([]weir.WarningCode{}, e.Warnings),
			Found: []apiFound{}, Effects: []apiEffect{}, Mark: e.Mark(), Results: e.Results, Trials: e.Trials,
		}
		for _, f := range e.Found {
			one.Found = append(one.Found, apiFound{f.Method, f.Size, f.Case, f.Value, f.Unit, f.AtLeast})
		}
		for _, f := range e.Effects {
			one.Effects = append(one.Effects, apiEffect{f.Method, f.Size, f.Case, f.Metric, f.Arm, f.Baseline, f.Verdict, f.Estimate, f.Lower, f.Upper})
		}
		out.Body.Campaigns = append(out.Body.Campaigns, one)
	}
	return &out, nil
}

// written is JSON that a report has written.
type written struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

type campaignInput struct {
	ID string `path:"id"`
}

func (s *Server) apiCampaign(ctx context.Context, in *campaignInput) (*written, error) {
	if _, err := s.index.find(in.ID); err != nil {
		return nil, err
	}
	c, err := s.index.read(ctx, in.ID, 0)
	if err != nil {
		return nil, err
	}
	return writeWith(func(b *bytes.Buffer) error { return report.Options{}.Write(b, "json", c) })
}

func writeWith(write func(*bytes.Buffer) error) (*written, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	return &written{"application/json", b.Bytes()}, nil
}

type compareInput struct {
	Campaigns []string `query:"c,explode" doc:"ids of campaigns, 2 to 10; the last one is the baseline"`
}

func (s *Server) apiCompare(ctx context.Context, in *compareInput) (*written, error) {
	p, of, err := s.compared(ctx, in.Campaigns)
	if err != nil {
		return nil, err
	}
	return writeWith(func(b *bytes.Buffer) error { return report.WriteProof(b, "json", p, of) })
}

type historyInput struct {
	Name    string `query:"name"`
	DUT     string `query:"dut"`
	Testbed string `query:"testbed"`
	Method  string `query:"method"`
	Size    string `query:"size"`
	Case    string `query:"case" doc:"what tells it from others of the method and size: the goal of a search, other factors"`
	Metric  string `query:"metric" doc:"of an experiment: what was compared"`
	Arm     string `query:"arm" doc:"of an experiment: then values are shares of the baseline"`
}

type historyOutput struct {
	Body struct {
		Points  []apiPoint  `json:"points" doc:"the oldest first"`
		Changes []apiChange `json:"changes"`
	}
}

type apiPoint struct {
	Campaign string    `json:"campaign"`
	Started  time.Time `json:"started"`
	Value    float64   `json:"value"`
	Lower    float64   `json:"lower" doc:"of the 95 % interval; 0: it is not known"`
	Upper    float64   `json:"upper"`
	Unit     string    `json:"unit" doc:"empty: it is a share of the baseline"`
	AtLeast  bool      `json:"at_least" doc:"whether the value is a lower bound; such points make no change"`
	Mark     string    `json:"mark" doc:"known, ignore (it makes no change) or nothing"`
}

type apiChange struct {
	From        string  `json:"from" doc:"the first campaign after it"`
	Before      string  `json:"before" doc:"the last campaign before it"`
	Effect      float64 `json:"effect" doc:"relative change"`
	Lower       float64 `json:"lower" doc:"of its 95 % interval"`
	Upper       float64 `json:"upper"`
	Superiority float64 `json:"superiority" doc:"chance that a value after it is beyond one before it"`
	Suspected   bool    `json:"suspected" doc:"whether too few campaigns came after it to be sure"`
}

func (s *Server) apiHistory(ctx context.Context, in *historyInput) (*historyOutput, error) {
	h, err := s.index.historyOf(ctx, topic(*in))
	if err != nil {
		return nil, err
	}
	var out historyOutput
	out.Body.Points, out.Body.Changes = []apiPoint{}, []apiChange{}
	for _, m := range h.all {
		out.Body.Points = append(out.Body.Points, apiPoint{m.ID, m.Started, m.Value, m.Lower, m.Upper, m.unit, !m.counts && m.unit != "", m.Mark()})
	}
	for _, c := range h.changes {
		out.Body.Changes = append(out.Body.Changes, apiChange{h.counting[c.At].ID, h.counting[c.At-1].ID, c.Effect.Estimate, c.Effect.Lower, c.Effect.Upper, c.Superiority, c.Suspected})
	}
	return &out, nil
}

// schema answers with the schema of a campaign's JSON.
func (s *Server) schema(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/schema+json")
	_, err := w.Write(docs.ResultSchema)
	return err
}
