package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir/internal/jobs"
	"weir/internal/plan"
	"weir/internal/sqlite"
	"weir/internal/tokens"
	"weir/internal/visible"
)

// planFile is what the plan of a job is called in its folder.
const planFile = "plan.yaml"

// A measuring is a job that measures a plan.
type measuring struct {
	jobs.Job
	ID    string // of its campaign
	Known bool   // the campaign has begun
}

// measuringOf returns what is known of a job.
func (s *Server) measuringOf(j jobs.Job) measuring {
	_, err := s.index.find(j.What)
	j.Output = visible.Text(j.Output)
	return measuring{Job: j, ID: j.What, Known: err == nil}
}

// A measurePage is the form that takes a plan, with the jobs of before.
type measurePage struct {
	Plan, Wrong string
	Jobs        []measuring
}

// measureForm answers with the form that takes a plan.
func (s *Server) measureForm(w http.ResponseWriter, req *http.Request, _ tokens.Token) error {
	return s.showMeasure(w, req, http.StatusOK, measurePage{})
}

func (s *Server) showMeasure(w http.ResponseWriter, req *http.Request, status int, p measurePage) error {
	for _, j := range s.jobs.All() {
		p.Jobs = append(p.Jobs, s.measuringOf(j))
	}
	return s.showForm(w, req, status, "measure", "measure", p)
}

// measure has a plan measured, and leads to its campaign as soon as that has begun. A plan that is
// wrong stays in the form.
func (s *Server) measure(w http.ResponseWriter, req *http.Request, who tokens.Token) error {
	if err := req.ParseForm(); err != nil {
		return unreadable(err)
	}
	text := req.PostForm.Get("plan")
	j, err := s.begin(req.Context(), who, text)
	wrong := statusError{}
	switch {
	case errors.As(err, &wrong):
		return s.showMeasure(w, req, wrong.status, measurePage{Plan: text, Wrong: wrong.text})
	case err != nil:
		return err
	}
	m := s.measuringOf(j)
	switch {
	case m.Known:
		seeOther(w, "c/"+m.ID)
	case m.Over() && m.Failed != "":
		return s.showMeasure(w, req, http.StatusUnprocessableEntity, measurePage{Plan: text, Wrong: "it was not measured: " + m.Output})
	default:
		seeOther(w, fmt.Sprintf("measure/%d", m.Number))
	}
	return nil
}

// begin enters a plan among the jobs, and waits a moment for its campaign to begin.
func (s *Server) begin(ctx context.Context, who tokens.Token, text string) (j jobs.Job, err error) {
	switch {
	case strings.TrimSpace(text) == "":
		return j, statusError{http.StatusUnprocessableEntity, "there is no plan: write one, as docs/plans.md has it"}
	case len(text) > plan.LongestPlan:
		return j, statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the plan has %d octets: at most %d", len(text), plan.LongestPlan)}
	}
	folder, err := folderWith(planFile, strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return j, err
	}
	id := sqlite.NewID(time.Now())
	command := slices.Concat(s.Runner, []string{"run", "--controlled", "--id", id, "--store", s.Store, planFile})
	if j, err = s.jobs.Add(jobs.Task{Who: who.Name, What: id, Command: command, Folder: folder}); err != nil {
		os.RemoveAll(folder)
		return j, statusError{http.StatusServiceUnavailable, err.Error()}
	}
	s.Log.Info("measures", "who", who.Name, "campaign", id, "job", j.Number)
	for end := time.After(seenTime); ; {
		seen, changed := s.index.next(), s.jobs.Next()
		if _, err := s.index.find(id); err == nil {
			return j, nil
		}
		if is, there := s.jobs.Get(j.Number); there && is.Over() {
			return is, nil
		}
		select {
		case <-seen:
		case <-changed:
		case <-end:
			return j, nil
		case <-ctx.Done():
			return j, ctx.Err()
		}
	}
}

// folderWith makes a folder for a job, with a file.
func folderWith(name, text string) (string, error) {
	folder, err := os.MkdirTemp("", "weir-job-*")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

// job returns the job that an address names.
func (s *Server) job(req *http.Request) (jobs.Job, error) {
	number, err := strconv.Atoi(req.PathValue("number"))
	j, there := s.jobs.Get(number)
	if err != nil || !there {
		return j, errNoJob
	}
	return j, nil
}

var errNoJob = statusError{http.StatusNotFound, "there is no such job: it ended long ago, or before this server began"}

// showJob answers with what is known of a job.
func (s *Server) showJob(w http.ResponseWriter, req *http.Request, _ tokens.Token) error {
	j, err := s.job(req)
	if err != nil {
		return err
	}
	return s.showForm(w, req, http.StatusOK, "job", fmt.Sprintf("job %d", j.Number), s.measuringOf(j))
}

// stop ends a job as Ctrl-C does.
func (s *Server) stop(w http.ResponseWriter, req *http.Request, who tokens.Token) error {
	j, err := s.job(req)
	if err != nil {
		return err
	}
	s.stopJob(j, who)
	seeOther(w, fmt.Sprintf("../%d", j.Number))
	return nil
}

func (s *Server) stopJob(j jobs.Job, who tokens.Token) {
	if s.jobs.Stop(j.Number) {
		s.Log.Info("stops", "who", who.Name, "campaign", j.What, "job", j.Number)
	}
}
