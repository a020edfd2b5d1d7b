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
	rounds := flags.Int("rounds", 25, "`times` that each sender has its turn, 1000 at most")
	seconds := flags.Float64("seconds", .2, "`length` of each turn, 10 at most")
	output := flags.String("o", "peers.json", "`file` for rates, ratios and turns as JSON")
	only := flags.String("only", "", "measure those senders alone: a `list` of names with commas")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *rounds < 1 || *rounds > 1000 || !(*seconds > 0 && *seconds <= 10) || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "peers: wants 1 to 1000 rounds, turns of at most 10 seconds, and no arguments")
		return 2
	}
	length := time.Duration(*seconds * float64(time.Second))
	if err := compare(ctx, *rounds, length, *only, *output, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
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
	var c contest
	defer c.close()
	if err := c.open(ctx, only, stderr); err != nil {
		return err
	}
	watch, err := startWatch(ctx)
	if err != nil {
		return err
	}
	for block := 1; block <= rounds; block++ {
		if err := watch.listen(ctx); err != nil {
			return err
		}
		if err := c.block(ctx, block, length); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "block %d of %d\n", block, rounds)
	}
	notes, err := watch.end(ctx)
	if err != nil {
		return err
	}
	if err := writeTable(stdout, c.results, append(c.versions(), notes...)); err != nil {
		return err
	}
	if reason, failed := c.trouble(weirName); failed {
		return fmt.Errorf("weir itself could not be measured: %s", reason)
	}
	return writeJSON(output, c.results)
}
