package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	says := func(found string, kept bool, err error) promise {
		return promise{"one", found, "all", func(context.Context, setup) (string, bool, error) { return found, kept, err }}
	}
	kept, broken, failed := says("all of it", true, nil), says("half of it", false, nil), says("", true, errors.New("no lab"))
	for name, c := range map[string]struct {
		args []string
		all  []promise
		code int
		want string // the last line
	}{
		"kept":            {nil, []promise{kept}, 0, "all of it  all    all of it  yes"},
		"broken":          {nil, []promise{broken, kept}, 1, "all of it   all    all of it   yes"},
		"not measured":    {nil, []promise{kept, failed}, 1, "all    no lab     not measured"},
		"one":             {[]string{"-only", "all"}, []promise{broken, kept}, 0, "all of it  all    all of it  yes"},
		"a group":         {[]string{"-only", "more,one"}, []promise{kept}, 0, "all of it  all    all of it  yes"},
		"no benches":      {[]string{"-benches", "0"}, []promise{kept}, 2, ""},
		"none":            {[]string{"-only", "nothing"}, []promise{kept}, 1, "promise  asked  measured  kept"},
		"wrong":           {[]string{"more"}, []promise{kept}, 2, ""},
		"a flag too many": {[]string{"-more"}, []promise{kept}, 2, ""},
	} {
		var out strings.Builder
		code := run(t.Context(), c.args, c.all, &out, io.Discard)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); code != c.code || last != c.want {
			t.Errorf("%s: code %d, %q, want %d, %q", name, code, last, c.code, c.want)
		}
	}
}
