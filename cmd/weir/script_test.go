package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weir/internal/agent"
	"weir/internal/testenv"
	"weir/internal/testenv/sandbox"
)

// TestMain makes the test's program weir, too: one that plays roles, as labs have weir do,
// and that scripts call by its name.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == agent.Verb {
		main()
	}
	testscript.Main(alone{m}, map[string]func(){"weir": main})
}

// alone runs the tests in a sandbox. Those that are parallel wait most of the time: there
// are more of them at once than CPUs.
type alone struct{ *testing.M }

func (a alone) Run() int {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	return sandbox.Run(a.M)
}

// TestScripts runs the whole program with the simulated router.
func TestScripts(t *testing.T) {
	t.Parallel()
	schema, err := filepath.Abs("../../docs/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("WEIR_STORE", filepath.Join(e.WorkDir, "data", "weir.db"))
			e.Setenv("SCHEMA", schema)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"object": object, "newer": newer, "killedafter": killedAfter,
		},
	})
}

// TestBisect has git bisect find a commit, in a repository of its own.
func TestBisect(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "git")
	testscript.Run(t, testscript.Params{Dir: "testdata/git"})
}

// object checks that a file holds one JSON object and nothing else, which has
// the given keys and fits the given schema; with -each, one such object after the
// other: object FILE [-each] [-schema FILE] KEY...
func object(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: object FILE [-schema FILE] KEY...")
	}
	keys, schema, each := args[1:], "", false
	if len(keys) > 0 && keys[0] == "-each" {
		keys, each = keys[1:], true
	}
	if len(keys) > 1 && keys[0] == "-schema" {
		keys, schema = keys[2:], keys[1]
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	for n := 0; ; n++ {
		var o map[string]any
		err := d.Decode(&o)
		if n > 0 && errors.Is(err, io.EOF) {
			return
		}
		ts.Check(err)
		if n > 0 && !each {
			ts.Fatalf("there is more than one object")
		}
		if schema != "" {
			ts.Check(fits(o, schema))
		}
		for _, k := range keys {
			if _, ok := o[k]; !ok {
				ts.Fatalf("the object has no key %q", k)
			}
		}
	}
}

// fits checks a document against a JSON Schema in a file; one that is missing
// is no error, as the schema belongs to the documentation.
func fits(doc any, path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

// newer makes a store look as if a newer weir had written it: newer FILE. The
// version is the number at octet 60 of an SQLite file.
func newer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer FILE")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte{0, 0, 0, 99}, 60)
	ts.Check(errors.Join(err, f.Close()))
}

// killedAfter starts weir and kills it (SIGKILL) when it has shown a number of
// lines on standard error: killedafter LINES ARGUMENT... It cannot be done by
// then, if it has more to show than the page that the pipe holds.
func killedAfter(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: killedafter LINES ARGUMENT...")
	}
	lines, err := strconv.Atoi(args[0])
	ts.Check(err)
	weir := exec.Command("weir", args[1:]...)
	weir.Dir, weir.Env = ts.Getenv("WORK"), append(os.Environ(), "WEIR_STORE="+ts.Getenv("WEIR_STORE"))
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, "weir")); err == nil {
			weir.Path, weir.Err = found, nil
			break
		}
	}
	shown, err := weir.StderrPipe()
	ts.Check(err)
	ts.Check(onePage(shown))
	ts.Check(weir.Start())
	for s := bufio.NewScanner(shown); lines > 0 && s.Scan(); lines-- {
	}
	ts.Check(weir.Process.Kill())
	if err := weir.Wait(); err == nil || lines > 0 {
		ts.Fatalf("weir ended by itself")
	}
}
