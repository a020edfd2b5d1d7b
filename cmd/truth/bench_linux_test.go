package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// swept is a bench of which all sizes have the same knee and saturated rate.
func swept(knee, saturated float64) bench {
	b := bench{took: 50 * time.Second, sizes: map[string]result{}}
	for _, size := range benchSizes {
		r := result{Method: "sweep", Value: knee, Lower: .95 * knee, Upper: 1.05 * knee}
		r.Saturated.Value = saturated
		b.sizes[size] = r
	}
	return b
}

func TestBenches(t *testing.T) {
	good := []bench{swept(100, 95), swept(102, 96), swept(99, 95)}
	failed := swept(100, 95)
	failed.err = errors.New("exit status 1: too much else")
	silent := swept(100, 95)
	silent.sizes["512"] = result{}
	slow := swept(100, 95)
	slow.took = 61 * time.Second
	short := func(all []bench) (string, bool) { return longest(all, time.Minute) }
	for name, c := range map[string]struct {
		judge func([]bench) (string, bool)
		all   []bench
		want  string
		kept  bool
	}{
		"all answer":       {answered, good, "3 of 3", true},
		"one fails":        {answered, append([]bench{failed}, good...), "3 of 4; 1: exit status 1: too much else", false},
		"one has none":     {answered, append([]bench{silent}, good...), "3 of 4; 1 has none for 512", false},
		"foretold":         {foretold, good, "2 of 2", true},
		"15 of 19":         {foretold, pairs(15), "15 of 19", true},
		"14 of 19":         {foretold, pairs(14), "14 of 19", false},
		"nothing to tell":  {foretold, good[:1], "0 of 0", false},
		"steady":           {steady, good, "0 of 3 beyond", true},
		"one is not":       {steady, append([]bench{swept(100, 80)}, good...), "1 of 4 beyond", false},
		"one has no ratio": {steady, append([]bench{silent}, good...), "0 of 3 beyond", false},
		"in time":          {short, good, "50.0 s at most of 3", true},
		"late":             {short, append([]bench{slow}, good...), "61.0 s at most of 4", false},
		"none":             {short, nil, "0.0 s at most of 0", false},
	} {
		if found, kept := c.judge(c.all); kept != c.kept || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, kept %v, want %q, %v", name, found, kept, c.want, c.kept)
		}
	}
}

// pairs are 20 benches of which so many intervals hold the next one's knee.
func pairs(held int) []bench {
	all := []bench{swept(100, 95)}
	knee := 100.
	for i := range 19 {
		if i >= held {
			knee *= 1.2
		}
		all = append(all, swept(knee, .95*knee))
	}
	return all
}
