package main

import (
	"context"
	"io"
)

// own is a sender of this process, which runs until its context ends.
func own(ctx context.Context, sender io.Closer, run func(context.Context) error) flow {
	ctx, cancel := context.WithCancel(ctx)
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(gone)
		ended <- run(ctx)
		sender.Close()
	}()
	return flow{ended: ended, stop: func() { cancel(); <-gone }}
}
