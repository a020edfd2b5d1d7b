package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The stream has a package that passes with a skipped test, one with a failed test, one
// that fails though its tests pass, one that does not build, and one that was killed.
const stream = `{"Action":"start","Package":"weir/a"}
{"Action":"output","Package":"weir/a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"pass","Package":"weir/a","Test":"TestOne","Elapsed":0.5}
{"Action":"output","Package":"weir/a","Test":"TestTwo","Output":"    a_test.go:12: SKIP-REASON TestTwo: needs tc\n"}
{"Action":"output","Package":"weir/a","Test":"TestTwo","Output":"--- SKIP: TestTwo (0.00s)\n"}
{"Action":"skip","Package":"weir/a","Test":"TestTwo","Elapsed":0}
{"Action":"pass","Package":"weir/a","Elapsed":0.6}
{"Action":"output","Package":"weir/b","Test":"TestThree","Output":"    b_test.go:3: 1, want 2\n"}
{"Action":"fail","Package":"weir/b","Test":"TestThree","Elapsed":1}
{"Action":"output","Package":"weir/b","Output":"FAIL: the tests left behind: link y\n"}
{"Action":"fail","Package":"weir/b","Elapsed":1}
{"Action":"pass","Package":"weir/c","Test":"TestFour","Elapsed":1}
{"Action":"output","Package":"weir/c","Output":"FAIL: the tests left behind: namespace x\n"}
{"Action":"fail","Package":"weir/c","Elapsed":1}
{"ImportPath":"weir/d","Action":"build-output","Output":"d.go:1: no\n"}
{"ImportPath":"weir/d","Action":"build-fail"}
{"Action":"fail","Package":"weir/d","Elapsed":0,"FailedBuild":"weir/d"}
{"Action":"output","Package":"weir/e","Test":"TestFive","Output":"waits\n"}
{"Action":"output","Package":"weir/e","Output":"signal: killed\n"}
{"Action":"fail","Package":"weir/e","Elapsed":9}
`

func TestReadTests(t *testing.T) {
	var progress bytes.Buffer
	r := report{part: "tests"}
	if err := readTests(strings.NewReader(stream), &progress, &r); err != nil {
		t.Fatal(err)
	}
	want := []result{
		{"weir/a", "TestOne", passed, 500 * time.Millisecond, ""},
		{"weir/a", "TestTwo", skipped, 0, "SKIP-REASON TestTwo: needs tc"},
		{"weir/b", "TestThree", failed, time.Second, "    b_test.go:3: 1, want 2\n"},
		{"weir/b", "package", failed, time.Second, "FAIL: the tests left behind: link y\n"},
		{"weir/c", "TestFour", passed, time.Second, ""},
		{"weir/c", "package", failed, time.Second, "FAIL: the tests left behind: namespace x\n"},
		{"weir/d", "package", failed, 0, "d.go:1: no\n"},
		{"weir/e", "package", failed, 9 * time.Second, "signal: killed\n\nTestFive:\nwaits\n"},
	}
	if diff := cmp.Diff(want, r.results, cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
	if got, want := progress.String(), "ok   weir/a 0.6s\nFAIL weir/b TestThree 1.0s\nFAIL weir/b 1.0s\nFAIL weir/c 1.0s\nFAIL weir/d 0.0s\nFAIL weir/e 9.0s\n"; got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
}

func TestSummary(t *testing.T) {
	reports := []report{
		{part: "tests", took: 90 * time.Second, results: []result{
			{"weir/a", "TestOne", passed, time.Second, ""},
			{"weir/a", "TestTwo", skipped, 0, "left to make verify: it takes long"},
			{"weir/b", "TestThree", failed, time.Second, "1 < 2 & so on\n"},
		}},
		{part: "cases", results: []result{{"cases", "all", skipped, 0, "there are none"}}},
		{part: "empty"},
	}
	var out bytes.Buffer
	reports[0].printFailures(&out)
	summarise(&out, reports)
	const want = `
FAILED tests: weir/b TestThree
1 < 2 & so on
failed tests: weir/b TestThree
skipped cases: cases all: there are none

part          passed  failed skipped     time
tests              1       1       1     90 s  FAILED
cases              0       0       1      0 s
empty              0       0       0      0 s  FAILED
1 of the skipped tests are left to make verify, or to another part of it
all of it took 90 s
1 passed, 1 failed, 2 skipped
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	file := filepath.Join(t.TempDir(), "verify.xml")
	if err := writeJUnit(file, reports); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	first := junitSuite{Name: "tests", Tests: 3, Failures: 1, Skipped: 1, Time: "90.000", Cases: []junitCase{
		{Class: "weir/a", Name: "TestOne", Time: "1.000"},
		{Class: "weir/a", Name: "TestTwo", Time: "0.000", Skipped: &junitMessage{Message: "left to make verify: it takes long"}},
		{Class: "weir/b", Name: "TestThree", Time: "1.000", Failure: &junitMessage{Message: "failed", Text: "1 < 2 & so on\n"}},
	}}
	if diff := cmp.Diff(first, back.Suites[0], cmpopts.EquateEmpty()); diff != "" || len(back.Suites) != 3 {
		t.Errorf("%d suites, the first: %s", len(back.Suites), diff)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		o    options
		want string
	}{
		{options{short: true}, "format vet lint size types bpf tests"},
		{options{}, "format vet lint size types bpf tests fuzz race race-lab machines drivers pppd release cases"},
		{options{names: []string{"pppd", "vet"}}, "vet pppd"},
	} {
		chosen, err := choose(c.o)
		var names []string
		for _, p := range chosen {
			names = append(names, p.name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v; want %q", c.o, got, err, c.want)
		}
	}
	if code := run([]string{"everything"}, io.Discard, io.Discard); code != 2 {
		t.Errorf("a part that there is none of: exit code %d, want 2", code)
	}
}

// A part that fails does not end the others, unless that is asked for.
func TestGoesOn(t *testing.T) {
	var ran []string
	with := func(name string, o outcome) part {
		return part{name: name, run: func(_ context.Context, _ *environment, r *report) {
			ran = append(ran, name)
			r.add(result{name: name, outcome: o})
		}}
	}
	chosen := []part{with("a", passed), with("b", failed), with("c", passed)}
	file := filepath.Join(t.TempDir(), "verify.xml")
	if reports, err := runParts(t.Context(), options{junit: file}, chosen, io.Discard); err != nil || len(reports) != 3 || !reports[1].failed() || reports[2].failed() {
		t.Errorf("reports %+v, %v", reports, err)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "<testsuite ") != 3 {
		t.Errorf("%s, %v", text, err)
	}
	if runParts(t.Context(), options{failFast: true}, chosen, io.Discard); strings.Join(ran, "") != "abcab" {
		t.Errorf("parts ran in the order %v", ran)
	}
}
