package serve

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"weir/internal/jobs"
	"weir/internal/tokens"
)

// newMeasureSite makes a site that allows all, and measures with a script of sh(1) in place of weir, of
// which $4 is the id of the campaign.
func newMeasureSite(t *testing.T, script string) *actionSite {
	t.Helper()
	s := newActionSite(t, Options{Allow: tokens.Scopes, Runner: []string{"/bin/sh", "-c", script, "weir"}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.jobs.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

// await waits for a job to be so.
func (s *actionSite) await(number int, is func(jobs.Job) bool) jobs.Job {
	s.Helper()
	for end := time.Now().Add(10 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		j, _ := s.jobs.Get(number)
		if is(j) {
			return j
		}
		if time.Now().After(end) {
			s.Fatalf("job %d stays %+v", number, j)
		}
	}
}

// Who may measures a plan, sees what that says, and stops it.
func TestMeasure(t *testing.T) {
	s := newMeasureSite(t, `echo "$@"; cat plan.yaml; read line; echo "stopped <b>"; exit 130`)
	form := url.Values{"plan": {"name: x\r\n"}}
	for _, path := range []string{"/measure", "/measure/1/stop"} {
		if _, answer := s.send(path, form); answer.StatusCode != 401 {
			t.Errorf("%s without a token: %d", path, answer.StatusCode)
		}
		if _, answer := s.send(path, form, "Authorization", "Bearer "+s.tokens[tokens.Annotate]); answer.StatusCode != 403 {
			t.Errorf("%s with another scope: %d", path, answer.StatusCode)
		}
	}
	if len(s.jobs.All()) != 0 {
		t.Fatal("something runs")
	}
	s.signIn(tokens.Run)
	if text, answer := s.send("/measure", url.Values{"plan": {" "}}); answer.StatusCode != 422 || !strings.Contains(text, "There is no plan") {
		t.Errorf("no plan: %d", answer.StatusCode)
	}
	if _, answer := s.send("/measure", form); answer.StatusCode != 303 || answer.Header.Get("Location") != "measure/1" {
		t.Errorf("a plan: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	j := s.await(1, func(j jobs.Job) bool { return strings.HasSuffix(j.Output, "name: x\n") })
	if want := "run --controlled --id " + j.What + " --store " + s.path + " plan.yaml\nname: x\n"; j.Output != want {
		t.Errorf("it was called by %q and not %q", j.Output, want)
	}
	if text, _ := s.send("/measure", nil); !strings.Contains(text, j.What) || !strings.Contains(text, "running") || !strings.Contains(text, "tok-run") {
		t.Errorf("the list is %s", text)
	}
	if _, answer := s.send("/measure/1/stop", url.Values{}); answer.StatusCode != 303 || answer.Header.Get("Location") != "../1" {
		t.Errorf("stopped: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	j = s.await(1, jobs.Job.Over)
	if _, err := os.Stat(j.Folder); err == nil {
		t.Error("its folder is left")
	}
	if text, answer := s.send("/measure/1", nil); answer.StatusCode != 200 || !strings.Contains(text, "stopped &lt;b&gt;") || !strings.Contains(text, "exit status 130") {
		t.Errorf("its page is %d, %s", answer.StatusCode, text)
	}
	for _, path := range []string{"/measure/2", "/measure/x", "/measure/-1"} {
		if _, answer := s.send(path, nil); answer.StatusCode != 404 {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
}

// A plan that is wrong stays in the form, with what weir says of it; too many are refused.
func TestMeasureWrong(t *testing.T) {
	s := newMeasureSite(t, `grep wait plan.yaml || { echo "plan.yaml:1:1: no" >&2; exit 1; }; read line`)
	s.signIn(tokens.Run)
	if text, answer := s.send("/measure", url.Values{"plan": {"wrong: <i>"}}); answer.StatusCode != 422 || !strings.Contains(text, "plan.yaml:1:1: no") || !strings.Contains(text, "wrong: &lt;i&gt;</textarea>") {
		t.Errorf("a wrong plan: %d, %s", answer.StatusCode, text)
	}
	if _, answer := s.send("/measure", url.Values{"plan": {strings.Repeat("x", 1<<20)}}); answer.StatusCode != 413 {
		t.Errorf("a plan that is too large: %d", answer.StatusCode)
	}
	hold := jobs.Task{Command: []string{"/bin/sh", "-c", "read line"}}
	j, err := s.jobs.Add(hold)
	if err != nil {
		t.Fatal(err)
	}
	s.await(j.Number, func(j jobs.Job) bool { return j.State == jobs.Running })
	for err == nil {
		_, err = s.jobs.Add(hold)
	}
	if text, answer := s.send("/measure", url.Values{"plan": {"wait"}}); answer.StatusCode != 503 || !strings.Contains(text, "campaigns wait already") || !strings.Contains(text, "wait</textarea>") {
		t.Errorf("too many: %d, %.2000s", answer.StatusCode, text)
	}
}
