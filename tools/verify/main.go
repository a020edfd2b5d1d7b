// Command verify runs what must hold of weir, part by part, and goes on after a part that
// fails. At its end it prints what passed, failed and was skipped, and how long each part
// took, and writes the same as JUnit.
//
//	go -C tools run ./verify            all parts: make verify
//	go -C tools run ./verify -short     those of make test
//	go -C tools run ./verify race pppd  some of them
//
// It begins in the folder tools, as these have it, and works on the tree around that.
// It installs what a part needs (scripts/setup), and takes root for tests of the lab through
// sudo where an ordinary user calls it. It measures nothing: that is `make truth`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// options are what a run was asked for.
type options struct {
	short    bool   // the parts of make test, and its tests alone
	failFast bool   // stop after the first part that fails
	junit    string // a file; "": none
	list     bool
	names    []string // of parts; none: all
}

func main() {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.BoolVar(&o.short, "short", false, "the parts of make test")
	flags.BoolVar(&o.failFast, "failfast", false, "stop after the first part that fails")
	flags.StringVar(&o.junit, "junit", "", "write the results to a `file` as JUnit XML")
	flags.BoolVar(&o.list, "list", false, "list the parts")
	if flags.Parse(args) != nil {
		return 2
	}
	o.names = flags.Args()
	chosen, err := choose(o)
	if err != nil {
		fmt.Fprintln(errs, "verify:", err)
		return 2
	}
	if o.list {
		for _, p := range chosen {
			fmt.Fprintf(out, "%-12s %s\n", p.name, p.what)
		}
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	reports, err := runParts(ctx, o, chosen, out)
	summarise(out, reports)
	if err != nil {
		fmt.Fprintln(errs, "verify:", err)
		return 1
	}
	if o.junit != "" {
		fmt.Fprintln(out, "as JUnit:", o.junit)
	}
	if ctx.Err() != nil || slices.ContainsFunc(reports, report.failed) {
		return 1
	}
	return 0
}

// choose returns the parts that were asked for, in the table's order.
func choose(o options) ([]part, error) {
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	for _, name := range o.names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("there is no part %q; there are: %s", name, strings.Join(all, " "))
		}
	}
	var chosen []part
	for _, p := range parts {
		if len(o.names) > 0 && slices.Contains(o.names, p.name) || len(o.names) == 0 && (p.short || !o.short) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// runParts runs the parts one after the other. After each the file of results is there, with
// what was found by then: all of them take an hour.
func runParts(ctx context.Context, o options, chosen []part, out io.Writer) (reports []report, err error) {
	e := newEnvironment(o, out)
	if i := slices.IndexFunc(chosen, func(p part) bool { return p.needs != "" }); i > 0 {
		var ahead sync.WaitGroup // it is set up while the parts before this one run
		ahead.Go(func() { e.setUp(ctx, chosen[i].needs) })
		defer ahead.Wait()
	}
	for _, p := range chosen {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(out, "== %s: %s\n", p.name, p.what)
		began := time.Now()
		r := report{part: p.name}
		if err := e.setUp(ctx, p.needs); err != nil {
			r.add(result{name: "set-up", outcome: failed, output: err.Error()})
		} else {
			p.run(ctx, e, &r)
		}
		if len(r.results) == 0 {
			r.add(result{name: "part", outcome: failed, output: "nothing was checked"})
		}
		r.took = time.Since(began)
		reports = append(reports, r)
		r.printFailures(out)
		if o.junit != "" {
			err = errors.Join(err, writeJUnit(o.junit, reports))
		}
		if r.failed() && o.failFast {
			break
		}
	}
	return reports, err
}
