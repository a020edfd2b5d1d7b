package tester

import (
	"time"

	"weir"
	"weir/internal/xdp"
)

// lead is the time that several threads have for getting ready, so that they
// begin together. One alone begins when it is ready.
const lead = 30 * time.Millisecond

// orders are what a trial asks of each sending thread from now on. Threads
// share its load evenly, and there are no more of them than frames.
func (t *XDP) orders(trial weir.Trial, grid xdp.Grid) []xdp.Order {
	loads := loads(trial)
	orders := make([]xdp.Order, threads(loads, len(t.config.CPUs.Generator)))
	start := xdp.Now()
	if len(orders) > 1 {
		start += lead
	}
	for i := range orders {
		orders[i] = xdp.Order{
			Load: share(loads[0], i, len(orders)), Trial: t.trial, Start: start, Grid: grid, CPU: t.config.CPUs.Generator[i],
		}
		for side := range sides(trial) {
			orders[i].Streams[side] = uint8(identity(trial, side, i))
		}
		if len(loads) > 1 {
			then := share(loads[1], i, len(orders))
			orders[i].Then = &then
		}
	}
	return orders
}

// loads are those of a trial in turn, over all of its sides.
func loads(trial weir.Trial) []xdp.Load {
	n := sides(trial)
	counted := trial
	counted.Then = nil
	load := func(t weir.Trial) xdp.Load {
		l := xdp.Load{Duration: t.Duration, Frames: t.Frames() / uint64(t.Traffic.Ports()) * uint64(n)}
		if !t.Maximum {
			l.Rate, l.Burst = t.Intended*float64(n), t.Traffic.Burst*n
		}
		return l
	}
	all := []xdp.Load{load(counted)}
	if trial.Count > 0 {
		all[0].Duration = 0 // whatever it takes
		if !trial.Maximum {
			all[0].Duration = sending(trial)
		}
	}
	if trial.Then != nil {
		all = append(all, load(weir.Trial{Traffic: trial.Traffic, Intended: trial.Then.Intended, Duration: trial.Then.Duration}))
	}
	return all
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
