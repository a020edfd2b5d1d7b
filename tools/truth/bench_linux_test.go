package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/internal/plan"
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
	leaky := swept(100, 95)
	leaky.leaks = []string{"a packet of 198.18.0.2"}
	lower, wide := swept(50, 95), swept(100, 95)
	for _, size := range benchSizes {
		r := wide.sizes[size]
		r.Lower, r.Upper = 90, 110
		wide.sizes[size] = r
		if r = (result{Value: 90, Lower: 90, Upper: 90, Limited: "speed"}); size != "64" {
			r = good[0].sizes[size]
		}
		lower.sizes[size] = r
	}
	whole := func(all []bench) (string, bool) { return answered(all, benchSizes) }
	short := func(all []bench) (string, bool) { return longest(all, time.Minute) }
	for name, c := range map[string]struct {
		judge func([]bench) (string, bool)
		all   []bench
		want  string
		kept  bool
	}{
		"all answer":        {whole, good, "3 of 3", true},
		"one fails":         {whole, append([]bench{failed}, good...), "3 of 4; 1: exit status 1: too much else", false},
		"one has none":      {whole, append([]bench{silent}, good...), "3 of 4; 1 has none for 512", false},
		"foretold":          {foretold, good, "8 of 8, +-5.0 % in the median, 0 of 12 lower bounds", true},
		"17 of 19":          {foretold, pairs(17), "68 of 76", true},
		"16 of 19":          {foretold, pairs(16), "64 of 76", false},
		"no number":         {foretold, []bench{good[0], silent}, "3 of 4", false},
		"lower bounds":      {foretold, []bench{lower, good[0], good[1]}, "8 of 8, +-5.0 % in the median, 1 of 12", true},
		"too many":          {foretold, []bench{lower, lower, lower}, "3 of 12 lower bounds", false},
		"wide":              {foretold, []bench{wide, wide}, "+-10.0 %", false},
		"nothing to tell":   {foretold, good[:1], "0 of 0", false},
		"steady":            {steady, good, "0 of 3 beyond", true},
		"one is not":        {steady, append([]bench{swept(100, 80)}, good...), "1 of 4 beyond", false},
		"one has no ratio":  {steady, append([]bench{silent}, good...), "0 of 3 beyond", false},
		"in time":           {short, good, "50.0 s at most of 3", true},
		"late":              {short, append([]bench{slow}, good...), "61.0 s at most of 4", false},
		"sealed":            {sealed, good, "none, in captures of all interfaces during 3", true},
		"one is not sealed": {sealed, append([]bench{leaky}, good...), "a packet of 198.18.0.2", false},
		"none to watch":     {sealed, nil, "during 0 benches", false},
		"none":              {short, nil, "0.0 s at most of 0", false},
		"quick":             {prompt, []bench{quickly(15), quickly(12)}, "15.0 s at most of 2, with all numbers 2 of 2", true},
		"quick and late":    {prompt, []bench{quickly(16)}, "16.0 s at most of 1", false},
		"quick and failed":  {prompt, []bench{quickly(2, failed.err)}, "with all numbers 0 of 1; 1: exit status 1: too much else", false},
		"quick and silent":  {prompt, []bench{{took: 12 * time.Second}}, "0 of 1; 1 has none for 64, imix", false},
		"quick, none":       {prompt, nil, "0.0 s at most of 0", false},
	} {
		if found, kept := c.judge(c.all); kept != c.kept || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, kept %v, want %q, %v", name, found, kept, c.want, c.kept)
		}
	}
}

// quickly is a quick bench that took so many seconds, and may have failed.
func quickly(seconds int, failed ...error) bench {
	b := swept(100, 95)
	b.took, b.err = time.Duration(seconds)*time.Second, errors.Join(failed...)
	delete(b.sizes, "512") // which it does not measure
	return b
}

// The sizes that are judged are those of the benches.
func TestBenchSizes(t *testing.T) {
	for quick, want := range map[bool][]string{false: benchSizes, true: quickSizes} {
		var sizes []string
		for _, of := range plan.Bench(quick).Traffic {
			sizes = append(sizes, of.Name)
		}
		if !slices.Equal(sizes, want) {
			t.Errorf("quick %v: it measures %v, and %v are judged", quick, sizes, want)
		}
	}
}

// A quick bench that fails breaks the promise, however soon it is over.
func TestQuick(t *testing.T) {
	const said = `{"method": "sweep", "factors": {"frame_size": %s}, "value": 5, "lower": 4, "upper": 6}`
	var results []string
	for _, size := range []string{"64", "1518", `"imix"`} {
		results = append(results, strings.Replace(said, "%s", size, 1))
	}
	s := setup{times: 1, say: func(string, ...any) {}}
	for text, want := range map[string]bool{
		`echo '{"results": [` + strings.Join(results, ", ") + `]}'`:         true,
		`echo '{"results": [` + strings.Join(results, ", ") + `]}'; exit 1`: false,
		`echo '{"results": [` + strings.Join(results[:2], ", ") + `]}'`:     false,
	} {
		s.weir = script(t, text)
		if found, kept, err := quick().measure(t.Context(), s); kept != want || err != nil {
			t.Errorf("%s: %q, kept %v, %v", text, found, kept, err)
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
