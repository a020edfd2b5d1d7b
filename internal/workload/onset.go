package workload

import (
	"context"
	"sync"
	"time"
)

const (
	onsetEvery = 2 * time.Millisecond
	// greeting is more than any of the programs says before it moves the first
	// octet of a file, in octets of frames: keys and a login are some kilobytes.
	greeting = 32 << 10
	// mostGreetings is how many of them files have at least when one is nothing
	// beside them.
	mostGreetings = 200
)

// onset looks from now on for the first octets of files. The function that it
// returns has to be called: it says when they arrived, and how long that took. That
// is the last time at which no more had arrived than a greeting, which is at most
// two milliseconds early at any rate. When less than a greeting arrives in all, it
// is the time of the call of onset.
func (j *job) onset(ctx context.Context) (began func() (time.Time, time.Duration)) {
	asked := time.Now()
	at := asked
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(onsetEvery)
		defer ticks.Stop()
		first, err := portOctets(ctx, j.destination)
		for before := asked; err == nil; {
			now := time.Now()
			var all octets
			if all, err = portOctets(ctx, j.destination); err == nil && all.in-first.in > greeting {
				at = before
				return
			}
			before = now
			select {
			case <-quit:
				return
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
		}
	}()
	var once sync.Once
	return func() (time.Time, time.Duration) {
		once.Do(func() { close(quit) })
		<-done
		return at, at.Sub(asked)
	}
}
