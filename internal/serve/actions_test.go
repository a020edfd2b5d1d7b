package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/internal/sqlite"
	"weir/internal/tokens"
)

// An actionSite is a site that allows something, with a campaign, a browser without a session, and a
// token for each scope.
type actionSite struct {
	*testSite
	id      string
	browser *http.Client
	tokens  map[tokens.Scope]string
	logged  *syncBuffer
}

// syncBuffer is a text that several write.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newActionSite(t *testing.T, o Options) *actionSite {
	t.Helper()
	return newActionSiteOf(t, filepath.Join(t.TempDir(), "weir.db"), o)
}

// newActionSiteOf makes such a site of the store at a path.
func newActionSiteOf(t *testing.T, path string, o Options) *actionSite {
	t.Helper()
	s := newSiteOf(t, path)
	a := &actionSite{testSite: s, id: s.measure("one", nil), tokens: map[tokens.Scope]string{}, logged: &syncBuffer{}}
	o.Store, o.Tokens, o.Log = s.path, filepath.Join(t.TempDir(), "tokens", "tokens.json"), slog.New(slog.NewTextHandler(a.logged, nil))
	for _, scope := range tokens.Scopes {
		token, err := tokens.Add(o.Tokens, "tok-"+string(scope), []tokens.Scope{scope})
		if err != nil {
			t.Fatal(err)
		}
		a.tokens[scope] = token
	}
	s.http.Close()
	s.Server = New(o)
	s.http = httptest.NewServer(s.routes)
	ctx, cancel := context.WithCancel(t.Context())
	followed := make(chan struct{})
	go func() { defer close(followed); s.index.follow(ctx, o.Log) }()
	t.Cleanup(func() { s.http.Close(); cancel(); <-followed; s.index.forget() })
	s.index.await(ctx, func() bool { whole, _ := s.index.state(); return whole && len(s.index.all()) > 0 })
	a.browse()
	return a
}

// browse takes another browser.
func (s *actionSite) browse() {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	s.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send sends a form, or asks for a page where there is none, with headers by their names.
func (s *actionSite) send(path string, form url.Values, headers ...string) (string, *http.Response) {
	s.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(s.Context(), method, s.http.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.do(req)
}

// signIn signs the browser in.
func (s *actionSite) signIn(scope tokens.Scope) *http.Response {
	s.Helper()
	_, answer := s.send("/sign-in", url.Values{"token": {s.tokens[scope]}, "next": {"c/" + s.id + "/annotate"}})
	return answer
}

func (s *actionSite) do(req *http.Request) (string, *http.Response) {
	s.Helper()
	answer, err := s.browser.Do(req)
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

// noted returns how many annotations the campaign has in the store.
func (s *actionSite) noted() int {
	s.Helper()
	all, err := s.store.Annotations(s.Context(), s.id)
	if err != nil {
		s.Fatal(err)
	}
	return len(all)
}

var note = url.Values{"kind": {"note"}, "text": {"<i>a new kernel</i>\nof Tuesday"}, "link": {"https://example.org/1"}}

// Without leave nothing is written, and no page has a form for it.
func TestNothingAllowed(t *testing.T) {
	s := newActionSite(t, Options{})
	bearer := "Bearer " + s.tokens[tokens.Annotate]
	for _, path := range []string{"/c/" + s.id + "/annotate", "/c/" + s.id + "/delete", "/sign-in"} {
		if _, answer := s.send(path, note, "Authorization", bearer); answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", path, answer.StatusCode)
		}
		if _, answer := s.send(path, nil, "Authorization", bearer); answer.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, answer.StatusCode)
		}
	}
	for _, path := range []string{"/", "/c/" + s.id} {
		if text, _ := s.get(path); strings.Contains(text, `method="post"`) || strings.Contains(text, "nnotate") || strings.Contains(text, "Sign in") {
			t.Errorf("%s has a form, or leads to one", path)
		}
	}
	if s.noted() != 0 {
		t.Error("something was written")
	}
}

// Who has no token, one of another scope or one that is none changes nothing; who comes from another
// site neither.
func TestRefused(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate}})
	path := "/c/" + s.id + "/annotate"
	right := "Bearer " + s.tokens[tokens.Annotate]
	for _, c := range []struct {
		what    string
		headers []string
		status  int
	}{
		{"no token", nil, 401},
		{"another scope", []string{"Authorization", "Bearer " + s.tokens[tokens.Import]}, 403},
		{"no such token", []string{"Authorization", right + "x"}, 401},
		{"its checksum", []string{"Authorization", "Bearer " + tokens.Sum(s.tokens[tokens.Annotate])}, 401},
		{"another scheme", []string{"Authorization", "Basic " + s.tokens[tokens.Annotate]}, 401},
		{"a cookie that is none", []string{"Cookie", s.access.cookie(httptest.NewRequest("GET", "/", nil)) + "=x"}, 401},
		{"another site", []string{"Authorization", right, "Origin", "https://evil.example"}, 403},
		{"another port", []string{"Authorization", right, "Sec-Fetch-Site", "same-site"}, 403},
		{"a site's form", []string{"Authorization", right, "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		if text, answer := s.send(path, note, c.headers...); answer.StatusCode != c.status {
			t.Errorf("%s: %d, %.300s", c.what, answer.StatusCode, text)
		}
	}
	if _, answer := s.send(path+"?token="+s.tokens[tokens.Annotate], note); answer.StatusCode != 401 {
		t.Errorf("a token in an address: %d", answer.StatusCode)
	}
	if s.noted() != 0 {
		t.Error("something was written")
	}
	if _, answer := s.send(path, note, "Authorization", right, "Origin", s.http.URL); answer.StatusCode != 303 || s.noted() != 1 {
		t.Errorf("with the right token: %d, %d annotations", answer.StatusCode, s.noted())
	}
	for _, token := range s.tokens {
		if strings.Contains(s.logged.String(), token) {
			t.Error("the log has a token")
		}
	}
}

// Who tries tokens is not listened to for a while, whatever the next one is; sessions go on.
func TestTokensTried(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate}})
	now := time.Now()
	s.access.now = func() time.Time { return now }
	s.signIn(tokens.Annotate)
	path := "/c/" + s.id + "/annotate"
	for i := range wrongAtOnce {
		if text, answer := s.send("/sign-in", url.Values{"token": {fmt.Sprint("weir_", i)}}); answer.StatusCode != 401 || !strings.Contains(text, "This token is none") {
			t.Errorf("the wrong token %d: %d, %s", i+1, answer.StatusCode, text)
		}
	}
	if _, answer := s.send(path, note, "Authorization", "Bearer "+s.tokens[tokens.Annotate]); answer.StatusCode != 429 || s.noted() != 0 {
		t.Errorf("the right one after that: %d", answer.StatusCode)
	}
	if _, answer := s.send(path, note); answer.StatusCode != 303 || s.noted() != 1 {
		t.Errorf("a session: %d", answer.StatusCode)
	}
	now = now.Add(wrongPeriod)
	if _, answer := s.send(path, note, "Authorization", "Bearer "+s.tokens[tokens.Annotate]); answer.StatusCode != 303 {
		t.Errorf("the right one later: %d", answer.StatusCode)
	}
	now = now.Add(sessionTime)
	if _, answer := s.send(path, note); answer.StatusCode != 401 {
		t.Errorf("a session of yesterday: %d", answer.StatusCode)
	}
}

// A person signs in, annotates, sees that everywhere, and signs out.
func TestAnnotate(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate}})
	path := "/c/" + s.id + "/annotate"
	if _, answer := s.send(path, nil); answer.StatusCode != 303 || answer.Header.Get("Location") != "../../sign-in?next=c%2F"+s.id+"%2Fannotate" {
		t.Errorf("without a session: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	before, _ := s.get("/c/" + s.id)
	if !strings.Contains(before, `href="`+s.id+`/annotate"`) {
		t.Error("the page does not lead to the form")
	}
	answer := s.signIn(tokens.Annotate)
	if answer.StatusCode != 303 || answer.Header.Get("Location") != "./c/"+s.id+"/annotate" {
		t.Errorf("signed in: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	if c := answer.Cookies(); len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || strings.Contains(c[0].Value, s.tokens[tokens.Annotate]) {
		t.Errorf("the cookie is %v", c)
	}
	if text, answer := s.send(path, nil); answer.StatusCode != 200 || !strings.Contains(text, `name="text"`) || !strings.Contains(text, "Signed in as tok-annotate") {
		t.Errorf("with a session: %d, %s", answer.StatusCode, text)
	}
	if _, answer := s.send(path, note); answer.StatusCode != 303 || answer.Header.Get("Location") != "../"+s.id {
		t.Errorf("annotated: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	if _, answer := s.send(path, url.Values{"kind": {"ignore"}}); answer.StatusCode != 303 {
		t.Errorf("marked: %d", answer.StatusCode)
	}
	history := "/" + topic{Name: "one", DUT: "simulated", Testbed: "sim", Method: "throughput", Size: "64"}.path()
	for page, want := range map[string][]string{
		"/c/" + s.id:     {"&lt;i&gt;a new kernel", `href="https://example.org/1" rel="nofollow noopener noreferrer"`, "Ignored in histories", "tok-annotate"},
		"/":              {"ignored in histories: &lt;i&gt;a new kernel&lt;/i&gt; of Tuesday"},
		"/?q=tuesday":    {s.id},
		history:          {"ignored in histories: &lt;i&gt;a new kernel", "It takes"},
		path:             {"take back the mark"},
		"/api" + history: {`"mark":"ignore"`},
		"/api/campaigns": {`"mark":"ignore"`},
	} {
		text, _ := s.send(page, nil)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s is without %q: %.1500s", page, w, text)
			}
		}
		if strings.Contains(text, "<i>a new") {
			t.Errorf("%s has the markup of a note", page)
		}
	}
	if _, answer := s.send("/sign-out", url.Values{}); answer.StatusCode != 303 {
		t.Errorf("signed out: %d", answer.StatusCode)
	}
	if _, answer := s.send(path, note); answer.StatusCode != 401 || s.noted() != 2 {
		t.Errorf("after that: %d", answer.StatusCode)
	}
}

// A token that is taken back ends its sessions.
func TestTokenTakenBack(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate}})
	s.signIn(tokens.Annotate)
	if err := tokens.Remove(s.Tokens, "tok-annotate"); err != nil {
		t.Fatal(err)
	}
	if _, answer := s.send("/c/"+s.id+"/annotate", note); answer.StatusCode != 401 {
		t.Errorf("after that: %d", answer.StatusCode)
	}
	if err := os.Chmod(s.Tokens, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, answer := s.send("/c/"+s.id+"/annotate", note, "Authorization", "Bearer "+s.tokens[tokens.Run]); answer.StatusCode != 500 {
		t.Errorf("a file that others may write to: %d", answer.StatusCode)
	}
	if s.noted() != 0 {
		t.Error("something was written")
	}
}

// What means nothing, or cannot be written, stays in the form, with why.
func TestAnnotationKept(t *testing.T) {
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Annotate}})
	s.signIn(tokens.Annotate)
	path := "/c/" + s.id + "/annotate"
	kept := func(what string, form url.Values, status int, want string) {
		t.Helper()
		text, answer := s.send(path, form)
		if answer.StatusCode != status || !strings.Contains(text, want) || !strings.Contains(text, `role="alert"`) || !strings.Contains(text, "remember this") {
			t.Errorf("%s: %d without %q: %s", what, answer.StatusCode, want, text)
		}
	}
	with := func(name, value string) url.Values {
		form := url.Values{"kind": {"known"}, "text": {"remember this"}}
		form.Set(name, value)
		return form
	}
	kept("a link that is none", with("link", "javascript:alert(1)"), 422, "no address of a page")
	kept("no kind", with("kind", "good"), 422, "is no")
	kept("a long text", with("text", "remember this"+strings.Repeat("x", sqlite.LongestText)), 422, "at most 2000")
	if text, answer := s.send(path, with("text", strings.Repeat("x", 2*mostForm))); answer.StatusCode != 413 || !strings.Contains(text, "too large") {
		t.Errorf("a form that is too large: %d, %.300s", answer.StatusCode, text)
	}
	if _, answer := s.send("/c/nope/annotate", note); answer.StatusCode != 404 {
		t.Errorf("of a campaign that is not there: %d", answer.StatusCode)
	}
	s.write <- struct{}{} // another one has the store
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if err := s.change(ctx, nil); err == nil || err.(statusError).status != 503 {
		t.Errorf("while another one writes: %v", err)
	}
	<-s.write
	if s.noted() != 0 {
		t.Error("something was written")
	}
	s.Server.Store = filepath.Join(t.TempDir(), "no store") // in place of a store that cannot be written
	if err := os.WriteFile(s.Server.Store, []byte(strings.Repeat("no store ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	kept("a store that cannot be written", with("", ""), 503, "Nothing was changed")
}

// A full disk is said to be one.
func TestFull(t *testing.T) {
	if err := changeError(&sqlite.FullError{Path: "weir.db", Err: os.ErrInvalid}); err == nil || err.(statusError).status != http.StatusInsufficientStorage || !strings.Contains(err.Error(), "free some space") {
		t.Error(err)
	}
}
