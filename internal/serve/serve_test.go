package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/campaign"
	"weir/internal/lab"
	"weir/internal/plan"
	"weir/internal/sqlite"
)

// small is a plan of a second on the simulated router.
const small = `name: NAME
testbed: {kind: sim}
traffic: {sizes: [64, 1518]}
methods: [{method: throughput, trial: 20ms, within: 1s}]
`

// A testSite is a server of a store of its own.
type testSite struct {
	*testing.T
	path  string
	store *sqlite.Store
	*Server
	http *httptest.Server
}

func newSite(t *testing.T) *testSite {
	t.Helper()
	return newSiteOf(t, filepath.Join(t.TempDir(), "weir.db"))
}

// newSiteOf makes a site of the store at a path.
func newSiteOf(t *testing.T, path string) *testSite {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := New(Options{Store: path, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	h := httptest.NewServer(s.routes)
	t.Cleanup(h.Close)
	t.Cleanup(s.index.forget)
	return &testSite{t, path, store, s, h}
}

// measure measures a small plan of a name.
func (s *testSite) measure(name string, meanwhile func(trial int)) string {
	s.Helper()
	return s.measurePlan(strings.Replace(small, "NAME", name, 1), meanwhile)
}

// measurePlan measures a plan on the simulated router, and calls after each trial what is to happen
// meanwhile.
func (s *testSite) measurePlan(text string, meanwhile func(trial int)) string {
	s.Helper()
	ctx := s.Context()
	p, err := plan.Parse("small.yaml", []byte(text))
	if err != nil {
		s.Fatal(err)
	}
	bed, closeBed, err := lab.Open(ctx, p)
	if err != nil {
		s.Fatal(err)
	}
	defer closeBed()
	c := weir.Campaign{Name: p.Name, Manifest: campaign.NewManifest(p, bed, time.Now())}
	n, err := s.store.Begin(ctx, c)
	if err != nil {
		s.Fatal(err)
	}
	c.ID = n.ID()
	trials := 0
	c, err = campaign.Resume(ctx, c, p, bed, n, func(e campaign.Event) {
		if e.Trial != nil && meanwhile != nil {
			trials++
			meanwhile(trials)
		}
	})
	if err != nil {
		s.Fatal(err)
	}
	if err := n.End(ctx, c.Ended); err != nil {
		s.Fatal(err)
	}
	s.look()
	return c.ID
}

// look lets the server see what the store has now.
func (s *testSite) look() {
	s.Helper()
	if err := s.index.refresh(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// get returns what is at an address, with its status.
func (s *testSite) get(path string) (string, *http.Response) {
	s.Helper()
	answer, err := http.Get(s.http.URL + path)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(text), answer
}

func TestPages(t *testing.T) {
	s := newSite(t)
	s.look() // at a store without a campaign
	if text, _ := s.get("/"); !strings.Contains(text, "The store has no campaign yet") {
		t.Errorf("the list of an empty store is %s", text)
	}
	first, second := s.measure(`"<b>one</b>"`, nil), s.measure("two", nil)
	for _, c := range []struct {
		path   string
		status int
		want   string // in the page
	}{
		{"/", 200, first},
		{"/", 200, "&lt;b&gt;one&lt;/b&gt;"},
		{"/?q=TWO", 200, second},
		{"/?q=two+throughput&dut=simulated&method=throughput&size=1518&state=complete", 200, second},
		{"/?q=nothing+like+it", 200, "No campaign passes this filter"},
		{"/?until=2020-01-01", 200, "No campaign passes this filter"},
		{"/?from=2020-01-01", 200, second},
		{"/?page=7", 200, "There is no page 7"},
		{"/?page=0", 400, "pages are counted from 1"},
		{"/?from=yesterday", 400, "write a day as"},
		{"/?colour=red", 400, "There is no filter"},
		{"/?q=" + strings.Repeat("x", 300), 400, "at most 200"},
		{"/c/" + first, 200, "<h1"},
		{"/c/nope", 404, "no campaign"},
		{"/c/..%2f..%2fetc", 404, "no campaign"},
		{"/c/" + first + "/report.json", 200, `"campaign": "` + first},
		{"/c/" + first + "/report.csv", 200, "value"},
		{"/c/" + first + "/report.exe", 404, "Unknown format"},
		{"/c/" + first + "/secret", 404, "no file"},
		{"/c/" + first + "/badge.svg?size=64", 200, "SIMULATED 64 octets"},
		{"/c/" + first + "/badge.svg?size=65", 200, "no such result"},
		{"/c/" + first + "/chart/nope.svg", 404, "it has"},
		{"/compare?c=" + second + "&c=" + first, 200, "<h1"},
		{"/compare?c=" + first, 400, "at least two"},
		{"/compare?c=" + first + "&c=" + first, 400, "twice"},
		{"/compare?c=" + first + "&c=nope", 404, "no campaign"},
		{"/history?" + topic{Name: "two", DUT: "simulated", Testbed: "sim", Method: "throughput", Size: "64"}.path()[len("history?"):], 200, "over 1 campaigns"},
		{"/history", 404, "no complete campaign"},
		{"/metrics", 200, "weir_result{"},
		{"/static/weir.css", 200, "--c0"},
		{"/static/charts.js", 200, "uPlot"},
		{"/static/live.js", 200, "EventSource"},
		{"/static/..%2fserve.go", 404, "no file"},
		{"/nothing", 404, "no page"},
	} {
		text, answer := s.get(c.path)
		if answer.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d without %q: %.300s", c.path, answer.StatusCode, c.want, text)
		}
		if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") && strings.Contains(text, "<b>one") {
			t.Errorf("%s has the markup of a name", c.path)
		}
		if p := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src '") {
			t.Errorf("%s has the policy %q", c.path, p)
		}
	}
	if answer, err := http.Post(s.http.URL+"/", "text/plain", strings.NewReader("x")); err != nil || answer.StatusCode != 405 {
		t.Errorf("POST: %v, %v", answer, err)
	}
}

// All that a page of the site loads is of the site, and no style or script is in it, which its
// policy forbids.
func TestPagesLoadNothingElse(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	for _, path := range []string{"/", "/c/" + id, "/nope"} {
		text, _ := s.get(path)
		for _, bad := range []string{"<style", " style=", "<script>", "http://", "https://", " onclick="} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
	}
}

// Each chart of a page has a picture at an address of its own.
func TestPictures(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	made, err := s.pages.get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(chartsOf(made.document))
	if len(names) == 0 {
		t.Fatal("the page has no chart")
	}
	for _, name := range names {
		text, answer := s.get("/c/" + id + "/chart/" + name + ".svg")
		if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "style-src 'unsafe-inline'") {
			t.Errorf("%s has no colours with the policy %q", name, policy)
		}
		if answer.StatusCode != 200 || !strings.HasPrefix(text, `<svg xmlns="http://www.w3.org/2000/svg"`) || answer.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s is %d, %.100s", name, answer.StatusCode, text)
		}
	}
}

// A browser of this machine that another site led here under its own name sees nothing.
func TestHosts(t *testing.T) {
	s := newSite(t)
	for host, status := range map[string]int{"evil.example": 421, "evil.example:80": 421, "localhost:8080": 200, "127.0.0.1": 200, "[::1]:8080": 200, "[::1]": 200, "10.0.0.1": 421} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.http.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("%s: %d and not %d", host, answer.StatusCode, status)
		}
	}
}

// event reads the next event of a campaign.
func event(r *bufio.Reader) (id, kind string) {
	for {
		line, err := r.ReadString('\n')
		switch line = strings.TrimSpace(line); {
		case err != nil, line == "" && kind != "":
			return id, kind
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "event: "):
			kind = line[7:]
		}
	}
}

// A campaign is followed while it is measured. Who lost the connection goes on where it was, and
// the last page is that of the complete campaign.
func TestLive(t *testing.T) {
	s := newSite(t)
	id, live := "", ""
	var events *bufio.Reader
	follow := func(last string) func() {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", s.http.URL+"/c/"+id+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Last-Event-ID", last)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		events = bufio.NewReader(answer.Body)
		return cancel
	}
	var seen string
	var stop func()
	done := s.measure("live", func(trial int) {
		switch trial {
		case 3:
			s.look()
			id = s.index.all()[0].ID
			live, _ = s.get("/c/" + id)
			stop = follow("")
			seen, _ = event(events)
		case 5:
			stop() // the connection is lost
		}
	})
	if !strings.Contains(live, `data-live="`+id+`/events"`) || !strings.Contains(live, "still runs") || !strings.Contains(live, " at most: 3 trials and ") {
		t.Errorf("while it runs the page is %.600s", live)
	}
	stop = follow(seen)
	defer stop()
	if now, kind := event(events); kind != "changed" || now == seen {
		t.Errorf("after %q came %q, %q", seen, kind, now)
	}
	if _, kind := event(events); kind != "" {
		t.Errorf("after the end came %q", kind)
	}
	text, _ := s.get("/c/" + done)
	fresh := newSite(t)
	fresh.index.path = s.path
	fresh.look()
	if again, _ := fresh.get("/c/" + done); again != text || strings.Contains(text, "data-live") {
		t.Errorf("the page at the end is not that of the complete campaign (-want +got):\n%s", cmp.Diff(strings.Split(again, "\n"), strings.Split(text, "\n")))
	}
}

// The index follows its store: one that comes later, goes, is replaced, or cannot be read.
func TestStores(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	away := s.path + ".away"
	s.store.Close()
	move := func(from, to string) {
		for _, file := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(from+file, to+file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	move(s.path, away)
	s.look()
	if _, answer := s.get("/c/" + id); answer.StatusCode != 404 {
		t.Errorf("a campaign of a store that is gone: %d", answer.StatusCode)
	}
	if err := os.WriteFile(s.path, bytes.Repeat([]byte("no store "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	s.index.err = s.index.refresh(t.Context())
	if text, answer := s.get("/"); answer.StatusCode != 200 || !strings.Contains(text, "cannot be read now") {
		t.Errorf("a file that is no store: %d, %.300s", answer.StatusCode, text)
	}
	move(away, s.path)
	s.look()
	if _, answer := s.get("/c/" + id); answer.StatusCode != 200 {
		t.Errorf("a campaign of a store that is there again: %d", answer.StatusCode)
	}
}
