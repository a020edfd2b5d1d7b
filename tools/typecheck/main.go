// Command typecheck says what of the module in a folder does not compile for other systems:
//
//	go -C tools run ./typecheck .. freebsd/amd64 linux/arm64
//
// It checks the types of every package, those of other modules and of the
// standard library without the bodies of their functions. That takes seconds
// where `go build` takes minutes, most of them for sqlite, and finds what it
// finds but for faults of the compiler itself. It makes no program.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// listed is a package as `go list -json` tells of it.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck FOLDER SYSTEM/ARCHITECTURE...")
		os.Exit(2)
	}
	var wait sync.WaitGroup
	errs := make([]error, len(os.Args))
	for i, target := range os.Args[2:] {
		wait.Go(func() { errs[i] = check(target, os.Args[1]) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check checks the module in a folder for a target, GOOS/GOARCH. The error has
// a line for each fault.
func check(target, dir string) error {
	system, arch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,Module,Error", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: go list: %w", target, err)
	}
	sizes := types.SizesFor("gc", arch)
	if sizes == nil {
		return fmt.Errorf("%s: go/types does not know this architecture", target)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	var faults []error
	for list := json.NewDecoder(bytes.NewReader(out)); ; { // each package after those that it imports
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: go list: %w", target, err)
		}
		if p.Error != nil && p.Module != nil && p.Module.Main && !strings.Contains(p.Error.Err, "build constraints exclude all Go files") {
			faults = append(faults, fmt.Errorf("%s: %s", target, p.Error.Err))
		}
		faults = append(faults, p.check(target, known, sizes)...)
	}
	return errors.Join(faults...)
}

// check adds a package to the known ones. Only what is wrong with one of this
// module counts.
func (p listed) check(target string, known map[string]*types.Package, sizes types.Sizes) (faults []error) {
	if p.ImportPath == "unsafe" {
		return nil
	}
	ours := p.Module != nil && p.Module.Main
	fault := func(err error) {
		if ours {
			faults = append(faults, fmt.Errorf("%s: %w", target, err))
		}
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			fault(err)
		}
		if file == nil {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && !ours {
				f.Body = nil // memory
			}
		}
		files = append(files, file)
	}
	config := types.Config{
		IgnoreFuncBodies: !ours, FakeImportC: true, Sizes: sizes, Error: fault,
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if known[path] == nil {
				return nil, fmt.Errorf("there is no package %s", path)
			}
			return known[path], nil
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	known[p.ImportPath], _ = config.Check(p.ImportPath, set, files, nil) // the faults are known
	return faults
}

// importer finds an imported package by its path.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
