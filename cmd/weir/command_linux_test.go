package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/internal/testenv"
)

// A command that cannot be undone ends the campaign there and then, and the user
// is told what is left changed. One that fails is undone, and the other levels
// are measured.
func TestCommandFails(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	for _, c := range []struct{ do, undo, want string }{
		{"true", "echo cannot >&2; false", `command "true" could not be undone by "echo cannot >&2; false": `},
		{"exit 3", "true", `command "exit 3": `},
	} {
		folder := t.TempDir()
		t.Setenv("WEIR_RUN", filepath.Join(folder, "run"))
		t.Setenv("WEIR_STORE", filepath.Join(folder, "weir.db"))
		plan := filepath.Join(folder, "plan.yaml")
		text := fmt.Sprintf("testbed: {kind: netns}\ntraffic: {sizes: [64]}\nfactors: {command: [none, {name: x, do: %q, undo: %q}]}\n"+
			"methods: [{method: frmol, trial: 50ms, trials: 1}]\nruns: 3\nwaits: {residual: 20ms}\n", c.do, c.undo)
		if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		if code := run(t.Context(), []string{"run", plan}, strings.NewReader(""), &out, &said); code != exitError {
			t.Errorf("%s, %s: exit code %d, want %d", c.do, c.undo, code, exitError)
		}
		if !strings.Contains(said.String(), c.want) || strings.Contains(said.String(), "the DUT is left changed") != (c.undo != "true") {
			t.Errorf("%s, %s: it says %s", c.do, c.undo, said.String())
		}
		if left, err := os.ReadDir(filepath.Join(folder, "run")); err == nil && len(left) > 0 {
			t.Errorf("%s, %s: left %v", c.do, c.undo, left)
		}
	}
}
