package main

import (
	"strings"
	"testing"
	"time"

	"weir/internal/claim"
)

// rates are results of a run at levels 1, 2, 3 and so on, 5 % to either side.
func rates(values ...float64) []result {
	var out []result
	for i, v := range values {
		out = append(out, result{Factors: map[string]any{"routes": float64(i + 1)}, Value: v, Lower: .95 * v, Upper: 1.05 * v})
	}
	return out
}

func TestOrder(t *testing.T) {
	low := func(value float64, warning string) []result {
		r := rates(value, 100)
		for i := range r {
			r[i].Figures = []struct {
				Name  string
				Value float64
			}{{claim.OverloadKnee, 100}}
			r[i].Warnings = []struct{ Code, Text string }{{"noisy-result", warning}}
		}
		return r
	}
	lasting := func(took ...time.Duration) []result {
		r := rates(make([]float64, len(took))...)
		for i := range r {
			r[i].took = took[i]
		}
		return r
	}
	inTime := func(e *example) (string, bool) { return soon(e, 8*time.Second) }
	for name, c := range map[string]struct {
		judge func(*example) (string, bool)
		runs  [][]result
		want  string
		kept  bool
	}{
		"falling":            {falling, [][]result{rates(100, 80, 60), rates(90, 92, 60)}, "6 of 6 have a number", true},
		"not falling":        {falling, [][]result{rates(100, 80, 90)}, "with 3 is above", false},
		"without a number":   {falling, [][]result{rates(100, 0, 60)}, "2 of 3 have a number", true},
		"nothing to order":   {falling, [][]result{rates(0, 0, 60)}, "1 of 3 have a number", false},
		"nothing at all":     {agreed, nil, "0 of 0", false},
		"runs agree":         {agreed, [][]result{rates(100, 80), rates(100, 99), rates(90, 60)}, "6 of 6 have a number", true},
		"runs contradict":    {agreed, [][]result{rates(100, 80), rates(80, 100)}, "2 is above 1, and below it", false},
		"above half":         {defended, [][]result{low(51, "")}, "0 below half", true},
		"below half":         {defended, [][]result{low(49, "a busy machine")}, "1 below half; run 1, 1: 0.0", false},
		"below, and said so": {defended, [][]result{low(49, "the DUT, or something else, stood still 9 times a second")}, "1 below half", true},
		"in time":            {inTime, [][]result{lasting(7*time.Second, 7900*time.Millisecond), lasting(time.Second)}, "7.9 s at most of 3", true},
		"late":               {inTime, [][]result{lasting(time.Second), lasting(time.Second, 8*time.Second)}, "8.0 s at most of 3; run 2, 2: 8.0 s", false},
		"no time":            {inTime, [][]result{lasting(time.Second, 0)}, "run 1, 2: nobody knows", false},
		"no modes":           {inTime, nil, "0.0 s at most of 0", false},
	} {
		found, kept := c.judge(&example{factor: "routes", runs: c.runs})
		if kept != c.kept || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, kept %v, want %q, %v", name, found, kept, c.want, c.kept)
		}
	}
}

// A run that fails breaks the promise, whatever it has found until then.
func TestExampleFails(t *testing.T) {
	const said = `echo '{"results": [{"method": "sweep", "value": 5, "lower": 4, "upper": 6}, {"method": "sweep", "value": 4, "lower": 3, "upper": 5}]}'`
	for end, want := range map[string]bool{"": true, "; echo no lab >&2; exit 1": false} {
		s := setup{weir: script(t, said+end), disturb: script(t, "exec sleep 60"), times: 1, say: func(string, ...any) {}}
		e := &example{file: "x", method: "sweep", factor: "routes"}
		found, kept, err := e.of("", "", falling).measure(t.Context(), s)
		if kept != want || err != nil || strings.Contains(found, "run 1: exit status 1: no lab") == want {
			t.Errorf("%q: %q, kept %v, %v", end, found, kept, err)
		}
	}
}

// What a level took is from when its first trial began to send until its last one
// was over, by the trials, for which weir is asked.
func TestExampleTakes(t *testing.T) {
	const said = `{"results": [{"method": "overload", "first_trial": 2, "last_trial": 4}, {"method": "overload", "first_trial": 6, "last_trial": 6}, {"method": "overload"}],
		"trials": [{"trial": {"number": 1}, "start": "2026-01-01T00:00:00Z"}, {"trial": {"number": 2}, "start": "2026-01-01T00:00:01.5Z", "host": {"over": 9000000000}},
		{"trial": {"number": 3}, "start": "2026-01-01T00:00:02Z"}, {"trial": {"number": 4}, "start": "2026-01-01T00:00:04Z", "host": {"over": 250000000}},
		{"trial": {"number": 6}, "start": "2026-01-01T00:00:07Z", "host": {"over": 500000000}}]}`
	s := setup{weir: script(t, `case "$*" in *"run --trials x"*) echo '`+said+`'; esac`), disturb: script(t, "exec sleep 60"), times: 1, say: func(string, ...any) {}}
	e := &example{file: "x", method: "overload", factor: "napi"}
	if err := e.run(t.Context(), s, 1, 1); err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{2750 * time.Millisecond, 500 * time.Millisecond, 0} {
		if got := e.runs[0][i].took; got != want {
			t.Errorf("result %d took %v, want %v", i+1, got, want)
		}
	}
}
