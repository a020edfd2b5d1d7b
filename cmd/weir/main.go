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
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// The first signal ends the campaign in order; a second one is obeyed at once,
	// also by a program in the background, which was told to ignore SIGINT.
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
