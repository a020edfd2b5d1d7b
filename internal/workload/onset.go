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

// onset looks from now on when the first octets of files arrive, and began, which
// has to be called, says when that was and how long it took: the last time that
// it looked and no more had arrived than a greeting. That is early by two
// milliseconds at most, so no rate is too high for it. Where less than a greeting
// arrives in all, it is the time of the call.
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
