package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// spy stands in for a test and notes how it ended.
type spy struct {
	testing.TB
	outcome, text string
}

func (s *spy) Helper()      {}
func (s *spy) Name() string { return "TestOfAnother" }
func (s *spy) Fatal(args ...any) {
	s.outcome, s.text = "failed", args[0].(string)
	runtime.Goexit()
}
func (s *spy) Skip(args ...any) {
	s.outcome, s.text = "skipped", args[0].(string)
	runtime.Goexit()
}

// outcome runs a gate as a test would, in a goroutine that it may end.
func outcome(gate func(testing.TB)) *spy {
	s := &spy{outcome: "ran"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gate(s)
	}()
	<-done
	return s
}

func TestGates(t *testing.T) {
	missing := func(t testing.TB) { NeedTool(t, "go", "no-such-tool") }
	present := func(t testing.TB) { NeedTool(t, "go") }
	liked := func(t testing.TB) { LikeTool(t, "no-such-tool", "its package") }
	root := func(t testing.TB) { NeedRoot(t) }
	for _, c := range []struct {
		name, must, lab string
		gate            func(testing.TB)
		want, text      string
	}{
		{name: "what is there lets the test run", gate: present, want: "ran"},
		{name: "what is missing skips it", gate: missing, want: "skipped", text: "SKIP-REASON TestOfAnother: needs no-such-tool"},
		{name: "what must not skip fails", gate: missing, must: "1", want: "failed", text: "SKIP-REASON TestOfAnother: needs no-such-tool"},
		{name: "what must not skip runs", gate: present, must: "1", want: "ran"},
		{name: "what would be good skips it everywhere", gate: liked, must: "1", want: "skipped", text: "would run no-such-tool as well: install its package"},
		{name: "the lab can be left out", gate: root, must: "1", lab: "1", want: "skipped", text: "WEIR_NO_LAB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(mustNotSkip, c.must)
			t.Setenv(noLab, c.lab)
			got := outcome(c.gate)
			if got.outcome != c.want || !strings.Contains(got.text, c.text) {
				t.Errorf("got %s with %q, want %s with %q", got.outcome, got.text, c.want, c.text)
			}
		})
	}
}

func TestNeedLiveFrames(t *testing.T) {
	t.Setenv(mustNotSkip, "")
	NeedRoot(t)
	old := outcome(func(t testing.TB) { NeedLiveFrames(t, func() error { return errors.New("Linux 5.4 has none") }) })
	if old.outcome != "skipped" || !strings.Contains(old.text, "Linux 5.4 has none") {
		t.Errorf("without live frames: %s with %q", old.outcome, old.text)
	}
	if now := outcome(func(t testing.TB) { NeedLiveFrames(t, func() error { return nil }) }); now.outcome != "ran" {
		t.Errorf("with live frames: %s with %q", now.outcome, now.text)
	}
}

func TestMissingCapabilities(t *testing.T) {
	for _, c := range []struct {
		status string
		want   []string
	}{
		{"Name:\tx\nCapEff:\t000001ffffffffff\n", nil},
		{"CapInh:\t000001ffffffffff\nCapEff:\t00000000a80425fb\n", []string{"CAP_NET_ADMIN", "CAP_SYS_ADMIN"}}, // a container's default
		{"Name:\tx\n", []string{"CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_SYS_ADMIN"}},
	} {
		if diff := cmp.Diff(c.want, missingCapabilities(c.status)); diff != "" {
			t.Errorf("%q: %s", c.status, diff)
		}
	}
}

func TestLeftovers(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"run/netns/weir-7f3a-dut": "",
		"run/netns/other":         "",
		"run/weir/lab/7f3a.json":  "{}",
		"var/lib/weir/undo/1-2-3": "{}",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"namespace weir-7f3a-dut",
		"link weir7f3a0",
		"file " + filepath.Join(root, "run/weir/lab/7f3a.json"),
		"file " + filepath.Join(root, "var/lib/weir/undo/1-2-3"),
	}
	if diff := cmp.Diff(want, leftovers(root, []string{"lo", "weir7f3a0"})); diff != "" {
		t.Error(diff)
	}
	if got := leftovers(t.TempDir(), []string{"lo"}); got != nil {
		t.Errorf("a clean machine has %q", got)
	}
}

func TestLonger(t *testing.T) {
	var all []time.Duration
	for times := range Longer {
		all = append(all, times)
	}
	if want := []time.Duration{1, 2, 4, 8, 16, 32}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	for times := range Longer {
		if times > 1 {
			t.Fatal("it goes on after the first one")
		}
		break
	}
}
