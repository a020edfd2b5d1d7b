package telemetry

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// turns are how often a number goes to and fro before the clock is read.
const turns = 64

// Crossing measures for a while how long a cache line takes from one CPU to another: a thread on
// each of them waits for the other's number, and writes the next one. It returns the time one way
// in the quickest of many turns, which nothing has interrupted. It is an error where a CPU cannot
// be had, or was not had for long enough.
func Crossing(a, b int, d time.Duration) (time.Duration, error) {
	var line struct {
		_    [128]byte // a line of its own, and that beside it
		ball atomic.Uint64
		_    [128]byte
		over atomic.Bool
	}
	// play answers each number of the other side: this one writes odd ones or even ones.
	play := func(cpu int, mine uint64, watch func()) error {
		runtime.LockOSThread() // and never unlocked: the thread ends with its affinity
		var set unix.CPUSet
		set.Set(cpu)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			line.over.Store(true)
			return err
		}
		for next := mine; !line.over.Load(); {
			if line.ball.Load() == next {
				line.ball.Store(next + 1)
				next += 2
				if watch != nil && (next-mine)%(2*turns) == 0 {
					watch()
				}
			}
		}
		return nil
	}
	least, begin := time.Duration(0), time.Now()
	last := begin
	errs := make(chan error)
	go func() { errs <- play(b, 1, nil) }()
	go func() {
		errs <- play(a, 0, func() {
			now := time.Now()
			if took := now.Sub(last); last != begin && (least == 0 || took < least) {
				least = took
			}
			last = now
		})
	}()
	stop := time.AfterFunc(d, func() { line.over.Store(true) })
	defer stop.Stop()
	if err := errors.Join(<-errs, <-errs); err != nil {
		return 0, err
	}
	if least == 0 {
		return 0, errors.New("two CPUs were not to be had at the same time")
	}
	return least / (2 * turns), nil
}
