package tester

import (
	"time"

	"weir"
	"weir/internal/xdp"
)

// lead is the time that several threads have for getting ready, so that they
// begin together, and one alone that has several loads, which keep to the clock.
// One with a single load begins when it is ready.
const lead = 30 * time.Millisecond

// hands are the CPUs that send a trial's frames, one thread on each, and how
// these mark their frames.
type hands struct {
	cpus   []int
	mark   uint8                             // of the trial, 1-255
	stream func(side, thread int) (id uint8) // each thread has streams of its own
}

// hands are those of a trial of this tester.
func (t *XDP) hands(trial weir.Trial) hands {
	return hands{t.config.CPUs.Generator, t.trial, func(side, thread int) uint8 { return uint8(identity(trial, side, thread)) }}
}

// orders are what a trial asks of each sending thread from now on. Threads
// share its load evenly, and there are no more of them than frames.
func orders(trial weir.Trial, grid xdp.Grid, h hands) []xdp.Order {
	loads := loads(trial)
	orders := make([]xdp.Order, threads(loads, len(h.cpus)))
	start := xdp.Now()
	if len(orders) > 1 || len(loads) > 1 {
		start += lead
	}
	for i := range orders {
		orders[i] = xdp.Order{
			Load: share(loads[0], i, len(orders)), Trial: h.mark, Start: start, Grid: grid, CPU: h.cpus[i],
		}
		for side := range sides(trial) {
			orders[i].Streams[side] = h.stream(side, i)
		}
		for _, l := range loads[1:] {
			orders[i].Then = append(orders[i].Then, share(l, i, len(orders)))
		}
	}
	return orders
}

// loads are those of a trial in turn, over all of its sides: of a window two
// where it is primed, and three where that is held.
func loads(trial weir.Trial) (all []xdp.Load) {
	if len(trial.Windows) == 0 {
		all = append(all, only(trial))
		if then := trial.Then; then != nil {
			all = append(all, loadOf(trial, *then, 0))
		}
		return all
	}
	for _, w := range trial.Windows {
		if w.Prime != nil {
			all = append(all, loadOf(trial, *w.Prime, w.Side))
			if w.Hold != nil {
				all = append(all, loadOf(trial, *w.Hold, w.Side))
			}
			all[len(all)-1].Silence = w.Pause
		}
		l := loadOf(trial, weir.Phase{Intended: w.Intended, Duration: w.Duration}, w.Side)
		l.Silence = w.Silence
		all = append(all, l)
	}
	return all
}

// loadOf is a phase of a trial through one of its sides, or all of them (0).
func loadOf(trial weir.Trial, phase weir.Phase, side int) xdp.Load {
	n := sides(trial)
	if trial.Bypass {
		side = 0 // there is one
	} else if side > 0 {
		n = 1
	}
	one := weir.Trial{Intended: phase.Intended, Duration: phase.Duration} // of one port
	return xdp.Load{
		Duration: phase.Duration, Frames: one.Frames() * uint64(n),
		Rate: phase.Intended * float64(n), Burst: trial.Traffic.Burst * n, Side: side,
	}
}

// only is the load of a trial that has one, or that it begins with.
func only(trial weir.Trial) xdp.Load {
	l := loadOf(trial, weir.Phase{Intended: trial.Intended, Duration: trial.Duration}, 0)
	if trial.Count > 0 {
		l.Frames = trial.Count * uint64(sides(trial))
		l.Duration = sending(trial)
	}
	if trial.Maximum {
		l.Rate, l.Burst = 0, 0
		if trial.Count == 0 {
			l.Frames = 0
		} else {
			l.Duration = 0 // whatever it takes
		}
	}
	return l
}

// sending is how long a trial sends; with a number of frames at the maximum
// load nobody knows, and it is what the trial says.
func sending(trial weir.Trial) time.Duration {
	if trial.Count > 0 && !trial.Maximum {
		return time.Duration(float64(trial.Count) / trial.Intended * float64(time.Second))
	}
	return trial.Length()
}

// threads is how many of n threads send: each has a frame of each load.
func threads(loads []xdp.Load, n int) int {
	for _, l := range loads {
		if l.Frames > 0 {
			n = int(min(uint64(n), l.Frames))
		}
	}
	return n
}

// share is what thread i of n sends of a load. Their frames take turns.
func share(l xdp.Load, i, n int) xdp.Load {
	part := l
	part.Rate /= float64(n)
	part.Frames /= uint64(n)
	if uint64(i) < l.Frames%uint64(n) {
		part.Frames++
	}
	if l.Rate > 0 {
		part.Phase = time.Duration(float64(i) * float64(max(l.Burst, 1)) / l.Rate * float64(time.Second))
	}
	return part
}
