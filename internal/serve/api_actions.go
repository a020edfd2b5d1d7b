package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"weir/internal/jobs"
	"weir/internal/sqlite"
	"weir/internal/tokens"
)

// bearer is what the document calls the way in which scripts show their token.
const bearer = "bearer"

// registerActions adds what scripts do, of what the server allows.
func (s *Server) registerActions(api huma.API) {
	api.OpenAPI().Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		bearer: {Type: "http", Scheme: bearer, Description: "A token of weir serve token add, with the scope that an operation names."},
	}
	act(api, s, tokens.Annotate, http.MethodPost, "campaigns/{id}/annotations", "Say something of a campaign", s.apiAnnotate)
	act(api, s, tokens.Delete, http.MethodDelete, "campaigns/{id}", "Delete a campaign, with all that belongs to it", s.apiDelete)
	act(api, s, tokens.Run, http.MethodPost, "jobs", "Measure a plan", s.apiMeasure)
	act(api, s, tokens.Run, http.MethodGet, "jobs", "List what was measured since the server began, the newest first", s.apiJobs)
	act(api, s, tokens.Run, http.MethodGet, "jobs/{number}", "Get what is known of a job", s.apiJob)
	act(api, s, tokens.Run, http.MethodPost, "jobs/{number}/stop", "Stop a job as Ctrl-C does; a second time at once", s.apiStop)
}

// act registers what does something for those who may.
func act[I, O any](api huma.API, s *Server, scope tokens.Scope, method, path, summary string, do func(context.Context, tokens.Token, *I) (*O, error)) {
	if !slices.Contains(s.Allow, scope) {
		return
	}
	type key struct{}
	permit := func(ctx huma.Context, next func(huma.Context)) {
		req, _ := humago.Unwrap(ctx)
		who, err := s.access.permit(req, scope)
		if err == nil {
			next(huma.WithValue(ctx, key{}, who))
			return
		}
		wrong := s.told(path, err)
		if wrong.status == http.StatusUnauthorized {
			ctx.SetHeader("WWW-Authenticate", "Bearer")
		}
		huma.WriteErr(api, ctx, wrong.status, wrong.text)
	}
	huma.Register(api, huma.Operation{
		Method: method, Path: apiPath + path, Summary: summary, OperationID: slug(method + " " + path), MaxBodyBytes: mostPlan,
		Description: "It takes the scope " + string(scope) + ".", Security: []map[string][]string{{bearer: {}}}, Middlewares: huma.Middlewares{permit},
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, ctx.Value(key{}).(tokens.Token), in)
		if err != nil {
			wrong := s.told(path, err)
			return nil, huma.NewError(wrong.status, wrong.text)
		}
		return out, nil
	})
}

// told returns what a script is told of an error.
func (s *Server) told(path string, err error) statusError {
	wrong := statusError{http.StatusInternalServerError, ""}
	if !errors.As(err, &wrong) {
		wrong.text = err.Error()
		s.Log.Error("answer failed", "path", path, "error", err)
	}
	return wrong
}

type annotateInput struct {
	ID   string `path:"id"`
	Body struct {
		Kind string `json:"kind" enum:"known,ignore,note,clear" doc:"known: this needs no attention; ignore: it makes no change in histories; note: neither; clear: no mark any more"`
		Text string `json:"text,omitempty" maxLength:"2000"`
		Link string `json:"link,omitempty" maxLength:"500" doc:"address of a page, by https or http"`
	}
}

type annotateOutput struct {
	Body struct {
		Campaign string `json:"campaign"`
		Mark     string `json:"mark" doc:"known, ignore or nothing, as the pages have it now"`
	}
}

func (s *Server) apiAnnotate(ctx context.Context, who tokens.Token, in *annotateInput) (*annotateOutput, error) {
	e, err := s.note(ctx, in.ID, who, sqlite.Annotation{Kind: in.Body.Kind, Text: in.Body.Text, Link: in.Body.Link})
	if err != nil {
		return nil, err
	}
	if now, err := s.index.find(e.ID); err == nil {
		e = now
	}
	var out annotateOutput
	out.Body.Campaign, out.Body.Mark = e.ID, e.Mark()
	return &out, nil
}

type deleteOutput struct{ Body sqlite.Forgotten }

func (s *Server) apiDelete(ctx context.Context, who tokens.Token, in *campaignInput) (*deleteOutput, error) {
	gone, err := s.forget(ctx, in.ID, who)
	if err != nil {
		return nil, err
	}
	return &deleteOutput{gone}, nil
}

// An apiJob is what a script is told of a job.
type apiJob struct {
	Number   int       `json:"job"`
	Campaign string    `json:"campaign" doc:"id that its campaign has, or will have"`
	Known    bool      `json:"begun" doc:"whether the campaign is there"`
	Who      string    `json:"who"`
	Asked    time.Time `json:"asked"`
	State    string    `json:"state" enum:"waiting,running,stopping,ended"`
	Failed   string    `json:"failed" doc:"why; empty: it did not fail, or not yet"`
	Output   string    `json:"output" doc:"the end of what it says"`
}

type jobOutput struct{ Body apiJob }

func (s *Server) jobOutput(j jobs.Job) *jobOutput {
	m := s.measuringOf(j)
	return &jobOutput{apiJob{m.Number, m.ID, m.Known, m.Who, m.Asked, m.State, m.Failed, m.Output}}
}

type measureInput struct {
	Body struct {
		Plan string `json:"plan" doc:"the text of a plan, as a file of weir run has it"`
	}
}

func (s *Server) apiMeasure(ctx context.Context, who tokens.Token, in *measureInput) (*jobOutput, error) {
	j, err := s.begin(ctx, who, in.Body.Plan)
	if err != nil {
		return nil, err
	}
	if now, there := s.jobs.Get(j.Number); there {
		j = now
	}
	return s.jobOutput(j), nil
}

type jobsOutput struct{ Body []apiJob }

func (s *Server) apiJobs(context.Context, tokens.Token, *struct{}) (*jobsOutput, error) {
	out := jobsOutput{Body: []apiJob{}}
	for _, j := range s.jobs.All() {
		out.Body = append(out.Body, s.jobOutput(j).Body)
	}
	return &out, nil
}

type jobInput struct {
	Number int `path:"number"`
}

func (s *Server) apiJob(_ context.Context, _ tokens.Token, in *jobInput) (*jobOutput, error) {
	j, there := s.jobs.Get(in.Number)
	if !there {
		return nil, errNoJob
	}
	return s.jobOutput(j), nil
}

func (s *Server) apiStop(ctx context.Context, who tokens.Token, in *jobInput) (*jobOutput, error) {
	if j, there := s.jobs.Get(in.Number); there {
		s.stopJob(j, who)
	}
	return s.apiJob(ctx, who, in)
}
