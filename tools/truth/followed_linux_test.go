package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Benches are compared pair by pair, and a pair without a number is none.
func TestBesideFollowers(t *testing.T) {
	of := func(values ...float64) (out []bench) {
		for _, v := range values {
			out = append(out, bench{sizes: map[string]result{"64": {Value: v}, "imix": {Value: 2 * v}}})
		}
		return out
	}
	text, kept := besideFollowers(of(1000e3, 1030e3, 980e3, 990e3, 0), of(1010e3, 1000e3, 990e3, 1000e3, 1000e3))
	if !kept || !strings.Contains(text, "64: median 995.0 kpps with and 1000.0 without, 4 pairs, ratio ") {
		t.Errorf("%s, %v", text, kept)
	}
	if text, kept = besideFollowers(of(900e3, 905e3, 902e3, 899e3), of(1000e3, 1004e3, 1001e3, 1002e3)); kept || !strings.Contains(text, "ratio 0.90") {
		t.Errorf("a tenth less: %s, %v", text, kept)
	}
	if text, kept = besideFollowers(of(0), of(1)); kept || !strings.Contains(text, "no pair") {
		t.Errorf("no numbers: %s, %v", text, kept)
	}
}

// Followers find the campaign that is being measured, and listen to its end.
func TestFollow(t *testing.T) {
	asked := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/api/campaigns", func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			fmt.Fprint(w, `{"campaigns":[]}`)
			return
		}
		fmt.Fprint(w, `{"campaigns":[{"campaign":"one"}]}`)
	})
	mux.HandleFunc("/c/one/events", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "id: 1\nevent: changed\ndata: 1\n\n: nothing new\n\nid: 2\nevent: changed\ndata: 2\n\n")
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	var heard atomic.Int64
	if err := follow(context.Background(), site.URL+"/", &heard); err != nil || heard.Load() != 2*followers {
		t.Errorf("%d events, %v", heard.Load(), err)
	}
	if err := listen(context.Background(), http.DefaultClient, site.URL+"/c/none/events", &heard); err == nil {
		t.Error("a campaign that is not there")
	}
}
