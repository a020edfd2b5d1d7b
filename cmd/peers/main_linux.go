package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Who runs where: the same for every sender.
const (
	sendingCPU = 0
	sinkCPU    = 1
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program; 0 means that weir's own rate was measured,
// where it was asked for.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 5, "`times` that each sender is measured")
	seconds := flags.Float64("seconds", 1, "`length` of each measurement")
	output := flags.String("o", "peers.json", "`file` for the medians as JSON")
	only := flags.String("only", "", "measure those senders alone: a `list` of names with commas")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *rounds < 1 || !(*seconds > 0) || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "peers: wants at least one round of more than 0 seconds, and no arguments")
		return 2
	}
	length := time.Duration(*seconds * float64(time.Second))
	if err := compare(ctx, *rounds, length, *only, *output, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 1
	}
	return 0
}

// compare measures the senders, prints what came of it and writes it to a file.
func compare(ctx context.Context, rounds int, length time.Duration, only, output string, stdout, stderr io.Writer) error {
	if runtime.NumCPU() <= sinkCPU {
		return errors.New("one CPU is not enough: the sender and the sink need one each")
	}
	l, err := openLab()
	if err != nil {
		return err
	}
	defer l.close()
	watch, err := startWatch(ctx)
	if err != nil {
		return err
	}
	contest := newContest(l, length)
	measured, err := chosen(contest.rows, only)
	if err != nil {
		return err
	}
	for round := range rounds {
		if err := watch.listen(ctx); err != nil {
			return err
		}
		for _, k := range rotation(len(measured), round) {
			i := measured[k]
			row := &contest.rows[i]
			if row.missing {
				continue
			}
			rate, err := contest.senders[i].measure(ctx)
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			row.add(rate, err)
			fmt.Fprintf(stderr, "round %d of %d: %-20s %s\n", round+1, rounds, row.name, outcome(rate, err))
		}
	}
	notes, err := watch.end(ctx)
	if err != nil {
		return err
	}
	if err := writeTable(stdout, contest.rows, append(contest.versions(), notes...)); err != nil {
		return err
	}
	if weir := contest.rows[weirRow]; len(weir.rates) == 0 && slices.Contains(measured, weirRow) {
		return fmt.Errorf("weir itself could not be measured: %s", weir.message)
	}
	return writeJSON(output, contest.rows)
}

func outcome(rate float64, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.0f /s", rate)
}
