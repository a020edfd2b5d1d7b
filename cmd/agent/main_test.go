package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
)

// It says what it is, and nothing else but in a role that it has.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"version"}, "weir-agent " + weir.Version + " (", 0},
		{[]string{"agent", "bgp"}, "", 1},
		{[]string{"agent"}, "", 1},
		{nil, "", 1},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, strings.NewReader(""), &out, &errs); code != c.code || !strings.HasPrefix(out.String(), c.want) || (errs.Len() > 0) != (c.code > 0) {
			t.Errorf("%q: %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
}

// It looks until its input ends.
func TestLooks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	in, hold := io.Pipe()
	said, out := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(t.Context(), []string{"agent", "look"}, in, out, io.Discard) }()
	go io.WriteString(hold, `{"id":1,"do":"open"}{"id":2,"do":"look","with":{"files":["`+file+`","/none"],"commands":[["no-such-command"],["pwd"]]}}`)
	lines := bufio.NewScanner(said)
	for _, want := range []string{`{"id":1}`, `{"id":2,"value":{"texts":{"` + file + `":"b25lCg=="},"outputs":{"1":"`} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Errorf("%q, want %q", lines.Text(), want)
		}
	}
	hold.Close()
	if code := <-ended; code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
