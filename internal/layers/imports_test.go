package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed is what these tests need of a line of `go list -json`.
type listed struct {
	ImportPath, Name string
	Imports          []string
}

func TestImports(t *testing.T) {
	for _, violation := range importViolations(listPackages(t)) {
		t.Error(violation)
	}
}

// TestImportViolations proves that each kind of violation is seen.
func TestImportViolations(t *testing.T) {
	for _, c := range []struct {
		name    string
		pkg     listed
		verdict []string
	}{
		{"the root with the standard library",
			listed{ImportPath: "weir", Imports: []string{"context", "net/netip"}}, nil},
		{"the root with a package of ours",
			listed{ImportPath: "weir", Imports: []string{"weir/frame"}},
			[]string{"weir must not import weir/frame"}},
		{"a pure package with an adapter",
			listed{ImportPath: "weir/search", Imports: []string{"weir", "weir/internal/xdp"}},
			[]string{"weir/search must not import weir/internal/xdp"}},
		{"one adapter with another",
			listed{ImportPath: "weir/internal/dut", Imports: []string{"weir/internal/testbed"}},
			[]string{"weir/internal/dut must not import weir/internal/testbed"}},
		{"eBPF beside the packet path",
			listed{ImportPath: "weir/internal/tester", Imports: []string{"github.com/cilium/ebpf/link"}},
			[]string{"weir/internal/tester must not import github.com/cilium/ebpf/link, only weir/internal/xdp may"}},
		{"SQL beside the store, in cmd too",
			listed{ImportPath: "weir/cmd/weir", Imports: []string{"database/sql", "weir/internal/sqlite"}},
			[]string{"weir/cmd/weir must not import database/sql, only weir/internal/sqlite may"}},
		{"commands beside the testbed",
			listed{ImportPath: "weir/internal/telemetry", Imports: []string{"os/exec"}},
			[]string{"weir/internal/telemetry must not import os/exec, only weir/internal/agent weir/internal/jobs weir/internal/processes weir/internal/ssh weir/internal/vm weir/internal/testbed weir/internal/testenv weir/internal/testenv/sandbox weir/internal/lab weir/cmd/weir weir/tools/disturb weir/tools/peers weir/tools/truth weir/tools/typecheck weir/tools/verify may"}},
		{"the gates of tests in a product",
			listed{ImportPath: "weir/cmd/weir", Imports: []string{"weir/internal/testenv"}},
			[]string{"weir/cmd/weir must not import weir/internal/testenv, only weir/internal/testenv/sandbox weir/tools/truth may"}},
		{"reflection anywhere",
			listed{ImportPath: "weir/internal/report", Imports: []string{"reflect"}},
			[]string{"weir/internal/report must not import reflect, nobody may"}},
		{"a module that nobody owns",
			listed{ImportPath: "weir/internal/report", Imports: []string{"github.com/someone/thing"}},
			[]string{"weir/internal/report imports github.com/someone/thing, which has no line in owners"}},
		{"a prefix is not a substring of a name",
			listed{ImportPath: "weir/internal/report", Imports: []string{"database/sqlx"}}, nil},
		{"a package that nobody placed",
			listed{ImportPath: "weir/internal/novel", Imports: []string{"fmt"}},
			[]string{"weir/internal/novel has no line in layers"}},
		{"a vague name",
			listed{ImportPath: "weir/internal/netif", Name: "util"},
			[]string{"weir/internal/netif: util says nothing of what the package holds"}},
		{"a vague folder",
			listed{ImportPath: "weir/common", Name: "weird"},
			[]string{"weir/common: common says nothing of what the package holds", "weir/common has no line in layers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.verdict, importViolations([]listed{c.pkg})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// importViolations are the rules of layers, owners and vague that packages
// break.
func importViolations(packages []listed) []string {
	var found []string
	for _, p := range packages {
		for _, name := range []string{p.Name, path.Base(p.ImportPath)} {
			if slices.Contains(vague, name) {
				found = append(found, fmt.Sprintf("%s: %s says nothing of what the package holds", p.ImportPath, name))
				break
			}
		}
		allowed, placed := allowedImports(p.ImportPath)
		if !placed {
			found = append(found, p.ImportPath+" has no line in layers")
		}
		for _, imported := range p.Imports {
			if v := ownerViolation(p.ImportPath, imported); v != "" {
				found = append(found, v)
			} else if ours(imported) && placed && !slices.Contains(allowed, imported) && !slices.Contains(allowed, anything) {
				found = append(found, p.ImportPath+" must not import "+imported)
			}
		}
	}
	return found
}

func allowedImports(importer string) (allowed []string, placed bool) {
	for _, l := range layers {
		if l.importer == importer {
			return strings.Fields(l.allowed), true
		}
	}
	return nil, false
}

func ownerViolation(importer, imported string) string {
	for _, o := range owners {
		if !below(imported, o.prefix) {
			continue
		}
		switch importers := strings.Fields(o.importers); {
		case slices.Contains(importers, importer):
			return ""
		case len(importers) == 0:
			return fmt.Sprintf("%s must not import %s, nobody may", importer, imported)
		default:
			return fmt.Sprintf("%s must not import %s, only %s may", importer, imported, o.importers)
		}
	}
	if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
		return fmt.Sprintf("%s imports %s, which has no line in owners", importer, imported)
	}
	return ""
}

func ours(imported string) bool { return below(imported, "weir") }

// below reports whether an import path is at or under a prefix.
func below(imported, prefix string) bool {
	rest, ok := strings.CutPrefix(imported, prefix)
	return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(prefix, "/"))
}

// listPackages lists the packages of this module, and of those in folders of it, as they are on
// Linux; those that are tests alone are left out.
func listPackages(t *testing.T) (packages []listed) {
	t.Helper()
	nested, err := filepath.Glob(root + "/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range append(nested, root+"/go.mod") {
		packages = append(packages, listModule(t, filepath.Dir(definition))...)
	}
	return packages
}

func listModule(t *testing.T, folder string) (packages []listed) {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Name,Imports,GoFiles,Module", "./...")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			listed
			GoFiles []string
			Module  struct{ Path string }
		}
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		module := strings.TrimSuffix(p.Module.Path, "/tools")
		p.ImportPath = ownPath(p.ImportPath, module)
		for i, imported := range p.Imports {
			p.Imports[i] = ownPath(imported, module)
		}
		if len(p.GoFiles) > 0 {
			packages = append(packages, p.listed)
		}
	}
	if len(packages) == 0 {
		t.Fatalf("go list knows no packages in %s", folder)
	}
	return packages
}

// ownPath is an import path as the tables here have it, of a module that may be a copy with
// another path (scripts/module).
func ownPath(imported, module string) string {
	if rest, ours := strings.CutPrefix(imported+"/", module+"/"); ours {
		return strings.TrimSuffix("weir/"+rest, "/")
	}
	return imported
}
