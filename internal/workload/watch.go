package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	watchInterval = time.Second
	// standstill is how long nothing may arrive before a transfer is given up whose link
	// is down, and patience where it is up: then a machine may be busy. Where an end's kernel
	// says that it is, busy: as long as crowded, in percent of the last 10 s, some thread waited
	// for a CPU.
	standstill = 5 * time.Second
	patience   = 30 * time.Second
	busy       = 5 * time.Minute
	crowded    = 80
	// trickle is the rate below which a link counts as still, in octets/s: what
	// is left when nothing but questions for neighbours goes over it.
	trickle = 200
	// answers is how much comes back for what a port sends, at most: TCP
	// acknowledges every other segment. It tells a direction that stands still from
	// the other one's acknowledgements.
	answers = 0.05
)

// watcher looks at the port of the receiving end once a second.
type watcher struct {
	ctx  context.Context // cancelled, with the cause, when nothing arrives any more
	quit chan struct{}
	done chan struct{}

	rates []float64 // bit/s
}

// watch watches a job.
func watch(ctx context.Context, j *job) *watcher {
	w := &watcher{quit: make(chan struct{}), done: make(chan struct{})}
	var stop context.CancelCauseFunc
	w.ctx, stop = context.WithCancelCause(ctx)
	go func() {
		defer close(w.done)
		defer stop(nil)
		w.look(ctx, j, stop)
	}()
	return w
}

// end ends watching, and returns the rates that were seen.
func (w *watcher) end() ([]float64, time.Duration) {
	close(w.quit)
	<-w.done
	return w.rates, watchInterval
}

func (w *watcher) look(ctx context.Context, j *job, stop context.CancelCauseFunc) {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	before, err := portOctets(ctx, j.destination)
	at, moved := time.Now(), time.Now()
	for {
		select {
		case <-w.quit:
			return
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		now := time.Now()
		after, again := portOctets(ctx, j.destination)
		if err != nil || again != nil { // not known: a transfer is not ended for that
			before, err, moved = after, again, now
			continue
		}
		took := now.Sub(at).Seconds()
		rate, back := float64(after.in-before.in)/took, float64(after.out-before.out)/took
		w.rates = append(w.rates, 8*rate)
		if rate > max(trickle, answers*back) || j.pausing.Load() {
			moved = now
		}
		if still := now.Sub(moved); still >= standstill {
			limit, state := standstill, stateOf(ctx, j)
			if state == "" {
				limit = patience
			}
			if state == "" && still >= limit && isCrowded(ctx, j) {
				limit = busy
			}
			if still >= limit {
				stop(fmt.Errorf("nothing arrived at %s for %v%s", j.destination.Host.Name(), limit, state))
				return
			}
		}
		before, at = after, now
	}
}

// octets are what has passed a port.
type octets struct{ in, out uint64 }

// portOctets is what has passed the port of an end.
func portOctets(ctx context.Context, e End) (octets, error) {
	text, err := e.Host.ReadFile(ctx, "/proc/net/dev")
	if err != nil {
		return octets{}, err
	}
	for line := range strings.Lines(text) {
		name, counters, ok := strings.Cut(line, ":")
		if fields := strings.Fields(counters); ok && strings.TrimSpace(name) == e.Port && len(fields) > 8 {
			in, err := strconv.ParseUint(fields[0], 10, 64)
			out, again := strconv.ParseUint(fields[8], 10, 64)
			return octets{in, out}, errors.Join(err, again)
		}
	}
	return octets{}, errors.New("there is no port " + e.Port)
}

// stateOf says which link of a job's path is down, for people; "" when none is.
func stateOf(ctx context.Context, j *job) string {
	for _, e := range []End{j.source, j.destination} {
		said, err := e.Host.Run(ctx, "", "ip", "-brief", "link", "show", "dev", e.Port)
		if fields := strings.Fields(said); err == nil && len(fields) > 1 && fields[1] != "UP" && fields[1] != "UNKNOWN" { // as tap devices are that work
			return fmt.Sprintf(": the link of %s is %s", e.Host.Name(), strings.ToLower(fields[1]))
		}
	}
	return ""
}

// isCrowded reports whether threads waited for a CPU most of the last 10 s at an end of a job,
// by the pressure that its kernel tells (Documentation/accounting/psi.rst); false where it
// tells none.
func isCrowded(ctx context.Context, j *job) bool {
	for _, e := range []End{j.source, j.destination} {
		text, err := e.Host.ReadFile(ctx, "/proc/pressure/cpu")
		var share float64
		if _, scanned := fmt.Sscanf(text, "some avg10=%f", &share); err == nil && scanned == nil && share >= crowded {
			return true
		}
	}
	return false
}
