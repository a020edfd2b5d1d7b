package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// part is one thing that must hold, with a name to ask for it.
type part struct {
	name, what string
	short      bool   // whether it is a part of make test
	needs      string // what scripts/setup installs for it
	run        func(context.Context, *environment, *report)
}

// parts are all of them, the quick ones first.
var parts = []part{
	{"format", "every Go file is in gofmt's format", true, "", checkFormat},
	{"vet", "go vet finds nothing", true, "", checkVet},
	{"lint", "staticcheck finds nothing", true, "", checkLint},
	{"size", "the binaries are as small as promised", true, "", checkSize},
	{"types", "weir compiles for the other systems", true, "", checkTypes},
	{"bpf", "the committed BPF objects are what their sources make", true, "test", checkObjects},
	{"tests", "the tests of all packages, in labs of network namespaces, too", true, "test", runTests},
	{"fuzz", "new inputs for every fuzz target", false, "test", runFuzz},
	{"race", "the tests that need no lab, under the race detector", false, "test", runRace},
	{"race-lab", "the tests of the lab, under the race detector", false, "test", runRaceLab},
	{"machines", "the tests of machines that are made of Debian's packages", false, "drivers", runMachines},
	{"drivers", "drivers of network cards, in machines that QEMU emulates", false, "drivers", runScript("scripts/test-drivers")},
	{"pppd", "PPPoE with pppd and rp-pppoe, in a machine that QEMU emulates", false, "pppd", runScript("scripts/test-pppd")},
	{"release", "a release: the same octets twice; installed, tried, removed", false, "release-test", runScript("scripts/test-release")},
	{"cases", "inputs of real people, from ../shared/cases", false, "test", runCases},
}

const (
	maxBinary = 48 << 20 // octets
	maxAgent  = 4 << 20  // which is copied to each DUT, also with the roles of end hosts
	fuzzed    = 250      // inputs for each target; a time could end in the middle of an input
)

// cross are the systems that weir is compiled for besides this one.
var cross = []string{"freebsd/amd64", "openbsd/amd64", "netbsd/amd64", "darwin/arm64", "linux/arm64"}

// modules are the folders of the tree's modules.
var modules = []string{".", "tools"}

func checkFormat(ctx context.Context, e *environment, r *report) {
	began := time.Now()
	text, err := e.command(ctx, "gofmt", "-l", ".")
	if err == nil && text != "" {
		err = fmt.Errorf("these files are not in gofmt's format")
	}
	e.conclude(r, "gofmt -l .", began, text, err)
}

func checkVet(ctx context.Context, e *environment, r *report) {
	for _, module := range modules {
		e.check(ctx, r, "go", "-C", module, "vet", "./...")
	}
	e.check(ctx, r, "go", "vet", "-tags", "pppd", "./internal/lab") // which scripts/test-pppd runs
}

// checkLint runs the staticcheck of scripts/tools.mod, whose needs are no needs of weir's. Both
// files ask for the same Go: another one would compile all packages once more for it.
func checkLint(ctx context.Context, e *environment, r *report) {
	e.check(ctx, r, "go", "tool", "-modfile=scripts/tools.mod", "staticcheck", "./...")
	e.check(ctx, r, "go", "-C", "tools", "tool", "-modfile=../scripts/tools.mod", "staticcheck", "./...")
}

func checkSize(ctx context.Context, e *environment, r *report) {
	work, err := os.MkdirTemp("", "weir-size-")
	if err != nil {
		r.add(result{name: "size", outcome: failed, output: err.Error()})
		return
	}
	defer os.RemoveAll(work)
	for _, b := range []struct {
		system, program string
		most            int64
	}{{"linux", "weir", maxBinary}, {"linux", "agent", maxAgent}, {"freebsd", "agent", maxAgent}} {
		began, file := time.Now(), filepath.Join(work, b.system+"-"+b.program)
		text, err := e.command(ctx, "env", "GOOS="+b.system, "go", "build", "-ldflags", "-s -w", "-o", file, "./cmd/"+b.program)
		if err == nil {
			var is os.FileInfo
			if is, err = os.Stat(file); err == nil && is.Size() > b.most {
				err = fmt.Errorf("it has %d octets, more than %d", is.Size(), b.most)
			}
		}
		e.conclude(r, b.program+" for "+b.system, began, text, err)
	}
}

func checkTypes(ctx context.Context, e *environment, r *report) {
	for _, module := range modules {
		e.check(ctx, r, append([]string{"go", "-C", "tools", "run", "./typecheck", filepath.Join("..", module)}, cross...)...)
	}
}

func checkObjects(ctx context.Context, e *environment, r *report) {
	e.check(ctx, r, "scripts/check-generated")
}

// runTests runs the tests of all packages: those that need no lab, whose results the go
// command keeps, beside those that may need one, anew and as root: these wait much.
func runTests(ctx context.Context, e *environment, r *report) {
	lab, plain, err := e.packages(ctx)
	if err != nil {
		r.add(result{name: "go list", outcome: failed, output: err.Error()})
		return
	}
	inLab, without := *r, *r
	var both sync.WaitGroup
	both.Go(func() { e.goTest(ctx, &inLab, ".", append(e.asRoot(), lab...)...) })
	both.Go(func() {
		e.goTest(ctx, &without, ".", plain...)
		e.goTest(ctx, &without, "tools", "./...") // none of which needs a lab
	})
	both.Wait()
	r.results = append(without.results, inLab.results...)
}

// asRoot are the arguments of `go test` that run tests as root, where that can be had.
func (e *environment) asRoot() []string {
	args := []string{"-count=1", "-parallel=8"} // tests of the lab wait, for the most part
	if len(e.root) > 0 {
		args = append(args, "-exec="+strings.Join(e.root, " "))
	}
	return args
}

// packages lists those of weir's own module with tests that may need a lab, root or tools (they
// import sandbox), and the others.
func (e *environment) packages(ctx context.Context) (lab, plain []string, err error) {
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}{{end}}`
	text, err := e.command(ctx, "go", "list", "-f", format, "./...")
	if err != nil {
		return nil, nil, fmt.Errorf("%s%w", text, err)
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if strings.Contains(line, "/internal/testenv/sandbox") {
			lab = append(lab, fields[0])
		} else {
			plain = append(plain, fields[0])
		}
	}
	return lab, plain, nil
}

// runFuzz gives each fuzz target new inputs. None goes into making another one smaller.
func runFuzz(ctx context.Context, e *environment, r *report) {
	targets, err := functions("Fuzz", "testing.F")
	if err != nil {
		r.add(result{name: "targets", outcome: failed, output: err.Error()})
	}
	for _, t := range targets {
		began := time.Now()
		text, err := e.command(ctx, "go", "-C", t.folder, "test", "-vet=off", "-run=^$", "-fuzz=^"+t.name+"$",
			fmt.Sprintf("-fuzztime=%dx", fuzzed), "-fuzzminimizetime=1x")
		e.conclude(r, t.folder+" "+t.name, began, text, err)
	}
}

// function is one of a program of tests.
type function struct{ folder, name string }

// functions lists those whose names begin with a prefix, in files that hold a text.
func functions(prefix, holds string) (found []function, err error) {
	declaration := regexp.MustCompile(`(?m)^func (` + prefix + `\w*)\(`)
	err = filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if !bytes.Contains(text, []byte(holds)) {
			return err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			found = append(found, function{"./" + filepath.Dir(path), string(m[1])})
		}
		return err
	})
	sort.Slice(found, func(i, j int) bool { return found[i].folder+found[i].name < found[j].folder+found[j].name })
	return found, err
}

// runMachines runs the tests that take packages from Debian's archive, with this machine's
// network.
func runMachines(ctx context.Context, e *environment, r *report) {
	found, err := functions("Test", "testenv.LikeArchive(")
	if err != nil || len(found) == 0 {
		r.add(result{name: "find them", outcome: failed, output: fmt.Sprint("there are none: ", err)})
		return
	}
	var names, folders []string
	for _, f := range found {
		names, folders = append(names, f.name), append(folders, f.folder)
	}
	with := *e
	with.env = append(e.env[:len(e.env):len(e.env)], "WEIR_TEST_NETWORK=host")
	if len(e.root) > 0 {
		with.root = append(e.root[:len(e.root):len(e.root)], "WEIR_TEST_NETWORK=host")
	}
	with.goTest(ctx, r, ".", append(append(with.asRoot(), "-run=^("+strings.Join(names, "|")+")$"), slices.Compact(folders)...)...)
}

// runRace leaves the lab out, as WEIR_NO_LAB says.
func runRace(ctx context.Context, e *environment, r *report) {
	without := *e
	without.env = append(e.env[:len(e.env):len(e.env)], "WEIR_NO_LAB=1", "CGO_ENABLED=1")
	for _, module := range modules {
		without.goTest(ctx, r, module, "-race", "./...")
	}
}

// runRaceLab takes the tests of `make test`: the race detector makes each ten times slower.
func runRaceLab(ctx context.Context, e *environment, r *report) {
	lab, _, err := e.packages(ctx)
	if err != nil {
		r.add(result{name: "go list", outcome: failed, output: err.Error()})
		return
	}
	with := *e
	with.short = true
	with.env = append(e.env[:len(e.env):len(e.env)], "CGO_ENABLED=1")
	with.goTest(ctx, r, ".", append(append([]string{"-race"}, e.asRoot()...), lab...)...)
}

// runScript runs a script that says by its exit code whether all is well, and shows what it prints.
func runScript(argv ...string) func(context.Context, *environment, *report) {
	return func(ctx context.Context, e *environment, r *report) { e.check(ctx, r, argv...) }
}

// runCases runs scripts/cases/NAME for each case: it exits with 0 where weir answers rightly.
// A case without a script is one that weir does not answer rightly yet.
func runCases(ctx context.Context, e *environment, r *report) {
	folders, err := filepath.Glob("../shared/cases/*/README.md")
	if err != nil || len(folders) == 0 {
		r.add(result{name: "all", outcome: skipped, output: "there are no cases at ../shared/cases"})
		return
	}
	if os.Geteuid() != 0 && len(e.root) == 0 {
		r.add(result{name: "all", outcome: skipped, output: "the boxes of cases need root"})
		return
	}
	work, err := os.MkdirTemp("", "weir-cases-")
	if err != nil {
		r.add(result{name: "build weir", outcome: failed, output: err.Error()})
		return
	}
	defer os.RemoveAll(work)
	weir := filepath.Join(work, "weir")
	if text, err := e.command(ctx, "go", "build", "-o", weir, "./cmd/weir"); err != nil {
		r.add(result{name: "build weir", outcome: failed, output: text + err.Error()})
		return
	}
	asRoot := append(e.root[:len(e.root):len(e.root)], "env", "WEIR="+weir)
	for _, file := range folders {
		folder := filepath.Dir(file)
		script := filepath.Join("scripts/cases", filepath.Base(folder))
		if _, err := exec.LookPath("./" + script); err != nil {
			r.add(result{name: filepath.Base(folder), outcome: skipped, output: "weir does not answer it rightly yet"})
			continue
		}
		began := time.Now()
		text, err := e.command(ctx, append(asRoot[:len(asRoot):len(asRoot)], script, folder)...)
		e.conclude(r, filepath.Base(folder), began, text, err)
	}
}
