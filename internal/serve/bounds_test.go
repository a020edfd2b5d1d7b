package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"weir"
	"weir/internal/sqlite"
)

// What is made of whole campaigns waits for a place, and is refused where there is none.
func TestPlaces(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	history := topic{Name: "one", DUT: "simulated", Testbed: "sim", Method: "throughput", Size: "64"}.path()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(s.pages.making) {
		if _, err := s.pages.take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/c/" + id + "/report.html", "/compare?c=" + id + "&c=" + id, "/" + history, "/metrics", "/api/campaigns/" + id, "/api/compare?c=" + id + "&c=" + id, "/api/" + history} {
		answer := httptest.NewRecorder()
		s.routes.ServeHTTP(answer, httptest.NewRequestWithContext(gone, http.MethodGet, path, nil))
		if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "try again") {
			t.Errorf("%s is %d, %.300s", path, answer.Code, answer.Body)
		}
	}
	for _, path := range []string{"/", "/api/campaigns", "/static/icon.svg", "/favicon.ico"} {
		if _, answer := s.get(path); answer.StatusCode != http.StatusOK {
			t.Errorf("%s is %d", path, answer.StatusCode)
		}
	}
}

// A slowReader takes nothing of an answer before it is told to.
type slowReader struct {
	*httptest.ResponseRecorder
	begun, free chan struct{}
}

func (r slowReader) Write(b []byte) (int, error) {
	r.begun <- struct{}{}
	<-r.free
	return r.ResponseRecorder.Write(b)
}

// Readers who take nothing hold no place, whatever they have asked for.
func TestSlowReaders(t *testing.T) {
	s := newSite(t)
	id := s.measure("one", nil)
	begun, free := make(chan struct{}), make(chan struct{})
	var working sync.WaitGroup
	for _, path := range []string{"/c/" + id + "/report.json", "/metrics"} {
		working.Go(func() {
			reader := slowReader{httptest.NewRecorder(), begun, free}
			s.routes.ServeHTTP(reader, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if reader.Code != http.StatusOK || reader.Body.Len() == 0 || reader.Header().Get("Content-Type") == "" {
				t.Errorf("%s is %d, %v", path, reader.Code, reader.Header())
			}
		})
		<-begun
	}
	if n := len(s.pages.making); n != 0 {
		t.Errorf("they hold %d places", n)
	}
	close(free)
	working.Wait()
}

// Who works with a place has less time than the answer, and gives the place back whatever happens.
func TestWork(t *testing.T) {
	p := newPages(newIndex("weir.db"))
	err := p.work(t.Context(), func(ctx context.Context) error {
		until, is := ctx.Deadline()
		if left := time.Until(until); !is || left > writeTimeout-time.Second {
			t.Errorf("the deadline is in %v", left)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		p.work(t.Context(), func(context.Context) error { panic("a fault") })
	}()
	if n := len(p.making); n != 0 {
		t.Errorf("%d places are lost", n)
	}
}

// Texts of campaigns that were deleted do not stay in memory.
func TestTextsOfDeleted(t *testing.T) {
	s := newSite(t)
	s.index.most = 2
	var ids []string
	for _, name := range []string{"a", "b", "c", "d"} {
		ids = append(ids, s.begin(weir.Campaign{Name: "name " + name}))
	}
	s.look()
	if len(s.index.all()) != 4 || s.index.texts["name a"] == "" {
		t.Fatalf("%d campaigns are known", len(s.index.all()))
	}
	if _, err := s.store.Forget(t.Context(), ids[:3]...); err != nil {
		t.Fatal(err)
	}
	s.look()
	s.begin(weir.Campaign{Name: "name e"})
	s.look()
	if x := s.index; len(x.all()) != 2 || x.texts["name a"] != "" || x.texts["name e"] == "" || x.byID[ids[3]].Name != "name d" {
		t.Errorf("known are %d campaigns, and the texts %q", len(x.all()), x.texts)
	}
}

// begin enters a campaign that has no end.
func (s *testSite) begin(c weir.Campaign) (id string) {
	s.Helper()
	n, err := s.store.Begin(s.Context(), c)
	if err != nil {
		s.Fatal(err)
	}
	return n.ID()
}

// Campaigns whose clock stood elsewhere have pages, and are in the order in which they were measured.
func TestClocks(t *testing.T) {
	s := newSite(t)
	of := func(name string, started time.Time) weir.Campaign {
		return weir.Campaign{Name: name, Manifest: weir.Manifest{Started: started, Plan: strings.Replace(small, "NAME", name, 1), Testbed: "sim"}}
	}
	now := time.Now()
	ahead, behind := s.begin(of("ahead", now.AddDate(50, 0, 0))), s.begin(of("behind", time.Unix(0, 0)))
	late := s.begin(of("late", now.Add(-time.Hour)))
	s.begin(of("right", now))
	s.look()
	for id, want := range map[string]string{ahead: "Measuring for 0s of", behind: "The clock of the tester was wrong: it says that the campaign began on 1 January 1970: 0 trials", late: "Measuring for 1h0m"} {
		release, err := sqlite.LockCampaign(s.path, id)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		s.look()
		if text, answer := s.get("/c/" + id); answer.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d without %q: %.1000s", id, answer.StatusCode, want, text)
		}
	}
	text, _ := s.get("/")
	if a, b, c := strings.Index(text, ">right<"), strings.Index(text, ">behind<"), strings.Index(text, ">ahead<"); a < 0 || b < a || c < b {
		t.Errorf("the list has them at %d, %d and %d", a, b, c)
	}
	if text, _ = s.get("/?from=2000-01-01&until=" + now.AddDate(0, 0, 1).Format(dayForm)); strings.Contains(text, ">ahead<") || strings.Contains(text, ">behind<") || !strings.Contains(text, ">right<") {
		t.Error("a filter by days has others")
	}
}
