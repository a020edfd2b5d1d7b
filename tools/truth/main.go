// Command truth measures on this machine what weir promises of times and rates,
// and prints what is asked beside what was measured. Such promises are no tests:
// a machine that does other work breaks them, and nothing is wrong with weir.
// It ends with 1 when one was not kept. `make truth` builds and runs it.
//
// It compares with nothing else: tools/peers does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
)

// A promise is measured by a function, which says what it found and whether
// that is what is asked. An error says why there is nothing to say.
type promise struct {
	group, name, asked string
	measure            func(ctx context.Context, s setup) (measured string, kept bool, err error)
}

// A setup is what promises are measured with.
type setup struct {
	weir, peers, disturb string   // programs
	near                 []string // the words that have a command run where something is there for weir; none: right here
	times                int      // that each measurement is made; 0: as often as the promise says
	benches              int      // in a row
	alone                bool     // none of them beside what disturbs
	from                 int      // of the kills and stops, the first: those before were made already
	say                  func(format string, args ...any)
}

// often is how many times to measure what a promise wants measured n times.
func (s setup) often(n int) int {
	if s.times > 0 {
		return s.times
	}
	return n
}

// chosen reports whether a promise is among those that -only names: groups, or
// parts of names, separated by commas.
func (p promise) chosen(only string) bool {
	for text := range strings.SplitSeq(only, ",") {
		if p.group == text || strings.Contains(p.name, text) {
			return true
		}
	}
	return false
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], promises(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: 0 when every promise was kept, 1 when one was not
// or could not be measured, 2 when it was called wrongly.
func run(ctx context.Context, args []string, all []promise, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("truth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	s := setup{say: func(format string, args ...any) { fmt.Fprintf(stderr, "truth:   "+format+"\n", args...) }}
	flags.StringVar(&s.weir, "weir", "bin/weir", "weir's `program`")
	flags.StringVar(&s.peers, "peers", "bin/peers", "`program` that compares weir's generator with others")
	flags.StringVar(&s.disturb, "disturb", "bin/disturb", "`program` that takes a tenth of each CPU")
	flags.IntVar(&s.times, "times", 0, "measure each policer, order and so on so many `times`; 0: as often as is promised")
	flags.IntVar(&s.benches, "benches", 20, "`times` that weir bench runs in a row")
	flags.BoolVar(&s.alone, "alone", false, "disturb none of the benches in a row; else every second one")
	flags.IntVar(&s.from, "from", 0, "go on with the kills, or stops, at this `number`")
	only := flags.String("only", "", "measure those alone: a `list` of groups ("+strings.Join(groups(all), ", ")+") or parts of names, with commas")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	if s.times < 0 || s.benches < 1 {
		fmt.Fprintln(stderr, "truth: wants no fewer than 0 times and one bench")
		return 2
	}
	code, measured := 0, 0
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "promise\tasked\tmeasured\tkept")
	for _, p := range all {
		if !p.chosen(*only) || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(stderr, "truth: %s\n", p.name)
		found, kept, err := p.measure(ctx, s)
		verdict := "yes"
		switch {
		case err != nil:
			found, verdict, code = strings.ReplaceAll(err.Error(), "\n", "; "), "not measured", 1
		case !kept:
			verdict, code = "NO", 1
		}
		s.say("asked %s; measured %s; kept: %s", p.asked, found, verdict)
		measured++
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.name, p.asked, found, verdict)
	}
	if err := table.Flush(); err != nil || ctx.Err() != nil || measured == 0 {
		fmt.Fprintln(stderr, "truth: not all of it was measured")
		return 1
	}
	return code
}

// groups are those of the promises, in their order.
func groups(all []promise) []string {
	var out []string
	for _, p := range all {
		if !slices.Contains(out, p.group) {
			out = append(out, p.group)
		}
	}
	return out
}
