package agent

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Exchange is a process that passes a cache line to and fro between two CPUs.
type Exchange struct{ *Agent }

// StartExchange starts one, which passes nothing yet.
func StartExchange(ctx context.Context, at Place, from, to int) (Exchange, error) {
	at.CPUs = []int{from, to}
	a, err := Start(ctx, at, "exchange", at.CPUs, nil)
	return Exchange{a}, err
}

// Measure returns how long the line takes one way, in the median of about a millisecond; 0
// where one of the CPUs had other things to do.
func (e Exchange) Measure(ctx context.Context) (took time.Duration, err error) {
	err = e.Ask(ctx, "measure", nil, &took)
	return took, err
}

// How long an exchange is.
const (
	exchangeParts = 41 // of which the median counts
	exchangeTurns = 50 // to and fro, in each of them
	exchangeLimit = 50 * time.Millisecond
	exchangeSpins = 1 << 12 // between two looks at the clock
)

func openExchange(_ context.Context, cpus [2]int) (Opened, error) {
	runtime.GOMAXPROCS(len(cpus) + 1) // both wait for each other without a pause
	return Opened{Commands: map[string]Command{"measure": Do(func(context.Context, struct{}) (time.Duration, error) {
		return exchange(cpus)
	})}}, nil
}

// exchange measures how long a cache line takes from one CPU to the other.
func exchange(cpus [2]int) (took time.Duration, err error) {
	var line struct {
		_    [128]byte // nothing else is in the same line, nor in the one that is fetched with it
		turn atomic.Uint32
		_    [128]byte
		over atomic.Bool
	}
	answered, asked := make(chan error, 1), make(chan error, 1)
	go func() {
		answered <- bindThread(cpus[1])
		for !line.over.Load() {
			if v := line.turn.Load(); v&1 == 1 {
				line.turn.Store(v + 1)
			}
		}
	}()
	go func() {
		defer line.over.Store(true)
		err := bindThread(cpus[0])
		if err == nil {
			took = measureTurns(&line.turn)
		}
		asked <- err
	}()
	if err := <-asked; err != nil {
		return 0, err
	}
	return took, <-answered
}

// measureTurns gives the turn away and waits for it, again and again, and returns what one
// way took; 0: it did not come back in time.
func measureTurns(turn *atomic.Uint32) time.Duration {
	limit := time.Now().Add(exchangeLimit)
	pass := func(times int) bool {
		for range times {
			v := turn.Load() + 1
			turn.Store(v)
			for n := 1; turn.Load() == v; n++ {
				if n%exchangeSpins == 0 && time.Now().After(limit) {
					return false
				}
			}
		}
		return true
	}
	if !pass(1) { // the other one is there
		return 0
	}
	var parts []time.Duration
	for range exchangeParts {
		began := time.Now()
		if !pass(exchangeTurns) {
			return 0
		}
		parts = append(parts, time.Since(began)/(2*exchangeTurns))
	}
	slices.Sort(parts)
	return parts[len(parts)/2]
}

// bindThread binds the goroutine to a thread of its own on a CPU. The thread ends with it.
func bindThread(cpu int) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("bind to CPU %d: %w", cpu, err)
	}
	return nil
}
