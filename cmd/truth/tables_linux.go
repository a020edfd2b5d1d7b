package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tablesLimit is how long an example of several plans may take: machines are emulated where
// KVM does not work.
const tablesLimit = 40 * time.Minute

// comparing is a file of plans of several systems, with what weir has to make of it.
type comparing struct {
	near []string // the words that have a command run where it can be measured
	file string   // "": near says it
	rows []string // of one table, which has all of them
	runs []int    // of each of its plans, at least
}

// tables are the promises about examples that compare systems.
func tables() []promise {
	return []promise{
		tabled("three kernels in one table", comparing{
			file: "examples/vm.yaml",
			rows: []string{"debian 6.1", "debian 6.12", "debian 7.2"}, // with two firewalls
			runs: []int{18, 2},
		}),
		tabled("five systems in one table", comparing{
			near: []string{hostsScript, "example", "examples/five-systems.yaml"},
			rows: []string{"this kernel", "this kernel, XDP", "Debian 6.1", "Debian 6.12", "r1"},
			runs: []int{24, 12, 24, 24, 24}, // two methods, two directions, and two firewalls but for XDP
		}),
	}
}

func tabled(name string, e comparing) promise {
	return promise{group: "tables", name: name, asked: "each run has a number, and each system a row of the same table", measure: func(ctx context.Context, s setup) (string, bool, error) {
		dir, err := os.MkdirTemp("", "truth-")
		if err != nil {
			return "", false, err
		}
		defer os.RemoveAll(dir)
		weir := []string{s.weir, "--store", filepath.Join(dir, "weir.db"), "--quiet", "--format"}
		argv := slices.Concat(e.near, weir, []string{"json", "run"})
		if e.file != "" {
			argv = append(argv, e.file)
		}
		said, failed := program(ctx, tablesLimit, argv[0], argv[1:]...)
		var all []campaign
		if err := json.Unmarshal(said, &all); err != nil {
			return "", false, fmt.Errorf("read what weir said: %w (%w)", err, failed)
		}
		argv = slices.Concat(weir, []string{"markdown", "report"})
		for _, c := range all {
			argv = append(argv, c.ID)
		}
		page, err := program(ctx, searchLimit, argv[0], argv[1:]...)
		if err != nil {
			return "", false, err
		}
		missing := e.missing(all, string(page))
		for _, what := range missing {
			s.say("%s", what)
		}
		return e.summary(all, len(missing)), len(missing) == 0 && failed == nil, failed
	}}
}

// missing is what campaigns and the page of their tables lack.
func (e comparing) missing(all []campaign, page string) (out []string) {
	for i, least := range e.runs {
		if i >= len(all) {
			out = append(out, fmt.Sprintf("plan %d was not measured", i+1))
			continue
		}
		c := all[i]
		if len(c.Results) < least {
			out = append(out, fmt.Sprintf("%s has %d results, and not %d", c.Name, len(c.Results), least))
		}
		for _, r := range c.Results {
			if r.Value <= 0 && r.Method != curve {
				out = append(out, fmt.Sprintf("%s: %s at %v has no number: %s", c.Name, r.Method, r.Factors, r.Unmeasured))
			}
		}
	}
	var best []string // of the table that lacks the fewest rows
	for n, text := range strings.Split(page, "\n## ") {
		var lacks []string
		for _, row := range e.rows {
			if !numbered(text, row) {
				lacks = append(lacks, "no row with a number: "+row)
			}
		}
		if n == 0 || len(lacks) < len(best) {
			best = lacks
		}
	}
	return append(out, best...)
}

// curve is the method whose number is 0 where each load lost a frame: it is about its curve.
const curve = "overload"

// numbered reports whether a table of Markdown has a row with a number, of a campaign or of
// one of several levels in it.
func numbered(table, row string) bool {
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		if name := strings.TrimSpace(cells[1]); name == row || strings.HasSuffix(name, ", "+row) {
			return slices.ContainsFunc(cells[2:], func(c string) bool { return strings.ContainsAny(c, "123456789") })
		}
	}
	return false
}

// summary says what was found.
func (e comparing) summary(all []campaign, missing int) string {
	results := 0
	for _, c := range all {
		results += len(c.Results)
	}
	return fmt.Sprintf("%d results of %d plans, %d things missing", results, len(all), missing)
}
