package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong for one system alone is found there, in this module alone, and
// its line is named.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module m\n\ngo 1.24\n",
		"main.go":        "package main\n\nimport \"m/part\"\n\nfunc main() { part.Does() }\n",
		"part/linux.go":  "//go:build linux\n\npackage part\n\nimport \"net\"\n\nfunc Does() { net.Interfaces() }\n",
		"part/netbsd.go": "//go:build netbsd\n\npackage part\n\nimport \"net\"\n\nfunc Does() {\n\tvar unused int\n\tnet.NoSuch()\n}\n",
		"alone/linux.go": "//go:build linux\n\npackage alone\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string][]string{
		"linux/arm64":   nil,
		"netbsd/amd64":  {"netbsd.go:8:6: declared and not used: unused", "netbsd.go:9:6: undefined: net.NoSuch"},
		"openbsd/amd64": {"main.go:3:8"},
		"linux/pdp11":   {"does not know this architecture"},
	} {
		err := check(target, dir)
		if len(want) == 0 && err != nil {
			t.Errorf("%s: %v", target, err)
		}
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) || !strings.HasPrefix(err.Error(), target) {
				t.Errorf("%s: %v, want %q", target, err, w)
			}
		}
	}
}
