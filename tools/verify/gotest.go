package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// event is a line that `go test -json` prints (go doc test2json); of a build that failed,
// ImportPath stands for Package.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64 // s
}

// tests gathers what `go test -json` prints.
type tests struct {
	progress io.Writer
	output   map[string]*strings.Builder // by package and test, or by import path of a build
	lacking  map[string]bool             // packages in which a test has failed
}

// readTests adds the results in a stream of events to a report, and prints a line for each
// package that has ended. Tests that have subtests count like any other.
func readTests(stream io.Reader, progress io.Writer, r *report) error {
	t := tests{progress: progress, output: map[string]*strings.Builder{}, lacking: map[string]bool{}}
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				t.take(e, r)
			} else {
				fmt.Fprint(progress, string(line))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t tests) take(e event, r *report) {
	key := e.Package + " " + e.Test
	if e.ImportPath != "" {
		key = e.ImportPath + " "
	}
	switch e.Action {
	case "output", "build-output":
		if t.output[key] == nil {
			t.output[key] = &strings.Builder{}
		}
		t.output[key].WriteString(e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	one := result{suite: e.Package, name: e.Test, took: time.Duration(e.Elapsed * float64(time.Second))}
	text := ""
	if t.output[key] != nil {
		text = t.output[key].String()
		delete(t.output, key)
	}
	switch e.Action {
	case "fail":
		one.outcome, one.output = failed, text
		if e.Test != "" {
			fmt.Fprintf(t.progress, "FAIL %s %s %.1fs\n", e.Package, e.Test, e.Elapsed)
		}
	case "skip":
		one.outcome, one.output = skipped, reasonOf(text)
	}
	if e.Test != "" {
		t.lacking[e.Package] = t.lacking[e.Package] || one.outcome == failed
		r.add(one)
		return
	}
	t.endPackage(e, one, text, r)
}

// endPackage prints how a package ended. A package that fails though none of its tests did
// is a result of its own: it did not build, was killed, or left something behind.
func (t tests) endPackage(e event, one result, text string, r *report) {
	word := map[outcome]string{passed: "ok", failed: "FAIL", skipped: "-"}[one.outcome]
	if one.outcome != skipped { // without tests
		fmt.Fprintf(t.progress, "%-5s%s %.1fs\n", word, e.Package, e.Elapsed)
	}
	switch {
	case one.outcome != failed:
	case !t.lacking[e.Package]:
		if build := t.output[e.FailedBuild+" "]; build != nil {
			text += build.String()
		}
		for key, unfinished := range t.output { // a test that never ended
			if name, ours := strings.CutPrefix(key, e.Package+" "); ours {
				text += "\n" + name + ":\n" + unfinished.String()
			}
		}
		one.name, one.output = "package", text
		r.add(one)
	case strings.Contains(text, "FAIL: "): // what sandbox.Run says of what the tests left behind
		one.name, one.output = "package", text
		r.add(one)
	}
}

// reasonOf is why a test was skipped: what it said last before the line that says that it was.
func reasonOf(text string) string {
	var reason string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			reason = line
		}
	}
	if _, after, found := strings.Cut(reason, ".go:"); found { // file.go:12: reason
		if _, words, found := strings.Cut(after, ": "); found {
			reason = words
		}
	}
	return reason
}
