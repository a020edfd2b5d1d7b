package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir/stats"
)

// tablesLimit is how long an example of several plans may take: machines are emulated where
// KVM does not work.
const tablesLimit = 40 * time.Minute

// comparing is a file of plans of several systems, with what weir has to make of it.
type comparing struct {
	near []string // the words that have a command run where it can be measured
	file string   // "": near says it
	runs []int    // of each of its plans, at least
	// tables are its rows by what is measured, as a table's heading begins.
	tables map[string][]row
	judged string // a level of the first plan, in each arm of which a verdict says how its rate differs
	arms   int    // with that level
}

// row is a system in a table, with as many numbers as it has levels there.
type row struct {
	name    string
	numbers int
}

// tables are the promises about examples that compare systems.
func tables() []promise {
	kernels := []row{{"debian 6.1", 2}, {"debian 6.12", 2}, {"debian 7.2", 2}}                         // two firewalls
	apart := []row{{"this kernel", 4}, {"this kernel, XDP", 2}, {"Debian 6.1", 4}, {"Debian 6.12", 4}} // two directions, too
	all := append(apart[:len(apart):len(apart)], row{"r1", 4})                                         // which is of this kernel: its CPU time is not the DUT's alone
	return []promise{
		tabled("three kernels in one table", comparing{
			file:   "examples/vm.yaml",
			runs:   []int{24, 2},
			tables: map[string][]row{"saturated rate": kernels, "CPU time per frame at half of the saturated rate": kernels},
			judged: "firewall stateful", arms: 3,
		}),
		tabled("five systems in one table", comparing{
			near: []string{hostsScript, "example", "examples/five-systems.yaml"},
			runs: []int{24, 12, 24, 24, 24}, // two methods, two directions, and two firewalls but for XDP
			tables: map[string][]row{
				"iperf, 3 streams": all, "CPU load of the DUT, iperf, 3 streams": apart,
				"TCP": all, "CPU load of the DUT, TCP": apart,
			},
		}),
	}
}

func tabled(name string, e comparing) promise {
	return promise{group: "tables", name: name, asked: "each run has a number, and each system a row in the table of each measure, with a number for each of its levels", measure: func(ctx context.Context, s setup) (string, bool, error) {
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
	for _, what := range slices.Sorted(maps.Keys(e.tables)) {
		table := tableOf(page, what)
		for _, r := range e.tables[what] {
			if n := numbersIn(table, r.name); n < r.numbers {
				out = append(out, fmt.Sprintf("%s: %s has %d numbers, and not %d", what, r.name, n, r.numbers))
			}
		}
	}
	return append(out, e.unjudged(all)...)
}

// unjudged is what lacks a verdict.
func (e comparing) unjudged(all []campaign) (out []string) {
	arms := 0
	for _, c := range all[:min(1, len(all))] {
		for _, d := range c.Comparisons {
			if d.Again || d.Metric != saturated || e.judged == "" || !strings.Contains(d.Arm, e.judged) {
				continue
			}
			arms++
			if d.Verdict == "" || d.Verdict == vetoed {
				out = append(out, fmt.Sprintf("%s: no verdict on %s: %s", c.Name, d.Arm, d.Veto))
			}
		}
	}
	if arms < e.arms {
		out = append(out, fmt.Sprintf("%d arms with %s are compared, and not %d", arms, e.judged, e.arms))
	}
	return out
}

// saturated is what is compared, and vetoed what is said instead of a verdict.
const (
	saturated = "saturated"
	vetoed    = string(stats.Vetoed)
)

// tableOf is the table of a page of Markdown that has what was measured in its heading, before
// the unit; "": there is none.
func tableOf(page, what string) string {
	for _, text := range strings.Split(page, "\n## ")[1:] {
		heading, table, _ := strings.Cut(text, "\n")
		if at := strings.LastIndex(heading, ", "); at >= 0 && strings.EqualFold(heading[:at], what) {
			return table
		}
	}
	return ""
}

// curve is the method whose number is 0 where each load lost a frame: it is about its curve.
const curve = "overload"

// numbersIn is how many numbers a table of Markdown has in the row of a campaign, or of one of
// several levels in it.
func numbersIn(table, row string) (n int) {
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		if name := strings.TrimSpace(cells[1]); name != row && !strings.HasSuffix(name, ", "+row) {
			continue
		}
		for _, c := range cells[2:] {
			if strings.ContainsAny(c, "123456789") {
				n++
			}
		}
		return n
	}
	return 0
}

// summary says what was found.
func (e comparing) summary(all []campaign, missing int) string {
	results := 0
	for _, c := range all {
		results += len(c.Results)
	}
	return fmt.Sprintf("%d results of %d plans, %d things missing", results, len(all), missing)
}
