// Command weir measures how many frames a second a router forwards, at what
// loss, latency and CPU cost.
//
// This package is the wiring and the command line: one file for each verb,
// from flags to one call. It measures, stores and renders nothing by itself.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the campaign in order; a second one is obeyed at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
