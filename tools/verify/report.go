package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// outcome is how something ended that was checked.
type outcome int

const (
	passed outcome = iota
	failed
	skipped
)

// result is one thing that was checked: a test, or a step that is none.
type result struct {
	suite, name string // the package of a test
	outcome     outcome
	took        time.Duration
	output      string // of one that failed; the reason of one that was skipped
}

// report is what came of a part.
type report struct {
	part    string
	took    time.Duration
	results []result
}

func (r *report) add(one result) {
	if one.suite == "" {
		one.suite = r.part
	}
	r.results = append(r.results, one)
}

// count is how many results have an outcome.
func (r report) count(o outcome) (n int) {
	for _, one := range r.results {
		if one.outcome == o {
			n++
		}
	}
	return n
}

// failed reports whether something failed, or nothing was checked at all.
func (r report) failed() bool { return r.count(failed) > 0 || len(r.results) == 0 }

// leftToVerify begins the reason of a skip by testenv.Long and the like.
const leftToVerify = "left to make verify"

// printFailures prints what failed, with its output.
func (r report) printFailures(out io.Writer) {
	for _, one := range r.results {
		if one.outcome == failed {
			fmt.Fprintf(out, "\nFAILED %s: %s %s\n%s\n", r.part, one.suite, one.name, strings.TrimRight(one.output, "\n"))
		}
	}
}

// summarise prints the names of failures, the reasons of skips, and a line a part.
func summarise(out io.Writer, reports []report) {
	var pass, fail, skip, long int
	for _, r := range reports {
		for _, one := range r.results {
			switch {
			case one.outcome == failed:
				fmt.Fprintf(out, "failed %s: %s %s\n", r.part, one.suite, one.name)
			case one.outcome == skipped && strings.Contains(one.output, leftToVerify):
				long++
			case one.outcome == skipped:
				fmt.Fprintf(out, "skipped %s: %s %s: %s\n", r.part, one.suite, one.name, one.output)
			}
		}
	}
	fmt.Fprintf(out, "\n%-12s %7s %7s %7s %8s\n", "part", "passed", "failed", "skipped", "time")
	var took time.Duration
	for _, r := range reports {
		mark := ""
		if r.failed() {
			mark = "  FAILED"
		}
		fmt.Fprintf(out, "%-12s %7d %7d %7d %6.0f s%s\n", r.part, r.count(passed), r.count(failed), r.count(skipped), r.took.Seconds(), mark)
		pass, fail, skip, took = pass+r.count(passed), fail+r.count(failed), skip+r.count(skipped), took+r.took
	}
	if long > 0 {
		fmt.Fprintf(out, "%d of the skipped tests are left to make verify, or to another part of it\n", long)
	}
	fmt.Fprintf(out, "all of it took %.0f s\n%d passed, %d failed, %d skipped\n", took.Seconds(), pass, fail, skip)
}

// The elements of JUnit's XML that readers of it agree on.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"` // s
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"` // s
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes the reports to a file: a suite for each part.
func writeJUnit(file string, reports []report) error {
	var all junitSuites
	for _, r := range reports {
		s := junitSuite{Name: r.part, Tests: len(r.results), Failures: r.count(failed), Skipped: r.count(skipped), Time: seconds(r.took)}
		for _, one := range r.results {
			c := junitCase{Class: one.suite, Name: one.name, Time: seconds(one.took)}
			switch one.outcome {
			case failed:
				c.Failure = &junitMessage{Message: "failed", Text: one.output}
			case skipped:
				c.Skipped = &junitMessage{Message: one.output}
			}
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte(xml.Header), append(text, '\n')...), 0o644)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
