package serve

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// measureStep measures campaigns of a simulated router that is slower from one of them on, and
// returns the first of those.
func (s *testSite) measureStep(before, after int) (first string) {
	for i := range before + after {
		capacity := "1M"
		if i >= before {
			capacity = "800k"
		}
		text := strings.NewReplacer("NAME", "nightly", "{kind: sim}", fmt.Sprintf("{kind: sim, capacity: %s, seed: %d}", capacity, i+1),
			"{method: throughput, trial: 20ms, within: 1s}", "{method: saturated, trial: 50ms, within: 250ms}").Replace(small)
		if id := s.measurePlan(text, nil); i == before {
			first = id
		}
	}
	s.look()
	return first
}

// What changed is listed, told by a feed, and sent to a webhook once, also over a restart.
func TestChanges(t *testing.T) {
	s := newSite(t)
	first := s.measureStep(8, 4)
	if !s.index.isSettled() {
		t.Fatal("not all of the store was looked at")
	}
	all := s.index.lastChanges()
	if len(all) == 0 || all[0].from.ID != first {
		t.Fatalf("%+v and not a change at %s", all, first)
	}
	if text, _ := s.get("/changes"); !strings.Contains(text, "nightly, saturated, 64") || !strings.Contains(text, "dut capacity: ") {
		t.Errorf("the list of changes is %s", text)
	}
	text, answer := s.get("/changes.atom")
	var f feed
	if err := xml.Unmarshal([]byte(text), &f); err != nil || len(f.Entries) != len(all) || !strings.HasPrefix(f.Entries[0].Link.Href, "http://127.0.0.1:") {
		t.Errorf("the feed is %v, %v, %s", f, err, answer.Header)
	}

	var calls atomic.Int32
	var broken atomic.Bool
	hooked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var m hookMessage
		if err := json.NewDecoder(req.Body).Decode(&m); err != nil || m.From != first || m.Effect > -.1 {
			t.Errorf("the webhook got %+v, %v", m, err)
		}
		if broken.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		calls.Add(1)
	}))
	defer hooked.Close()
	file := filepath.Join(t.TempDir(), "state", "sent.json")
	tell := func(all []foundChange) error {
		h, err := openWebhook(hooked.URL, file)
		if err != nil {
			return err
		}
		return h.tell(context.Background(), all)
	}
	if err := tell(nil); err != nil { // nothing is there when it begins
		t.Fatal(err)
	}
	broken.Store(true)
	if err := tell(all); err == nil || calls.Load() != 0 {
		t.Errorf("a webhook that fails: %v, %d", err, calls.Load())
	}
	broken.Store(false)
	for range 2 {
		if err := tell(all); err != nil {
			t.Fatal(err)
		}
	}
	if int(calls.Load()) != len(all) {
		t.Errorf("%d messages of %d changes", calls.Load(), len(all))
	}
	file += ".other"
	if err := tell(all); err != nil || int(calls.Load()) != len(all) {
		t.Errorf("what was there before the webhook was sent: %v", err)
	}
}

// What was sent by a weir that knew no cases is not sent again.
func TestSentWithoutCase(t *testing.T) {
	c := foundChange{topic: topic{Name: "nightly", Method: "mlrsearch", Size: "64"}, near: []string{"a", "b"}}
	h := &webhook{sent: []string{c.at("b")}}
	c.Case = "loss 0.5 %"
	if !h.knows(c) {
		t.Errorf("%q is news after %q", c.at("b"), h.sent)
	}
	c.Size = "128"
	if h.knows(c) {
		t.Errorf("%q is known from %q", c.at("b"), h.sent)
	}
}
