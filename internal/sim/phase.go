package sim

import (
	"math"
	"sort"

	"weir"
)

// phase is a part of a trial with a load of its own. Frames of all ports
// together are numbered from 0, in the order of sending. Between two phases
// nothing is sent.
type phase struct {
	from, to   float64 // numbers of frames
	begin, end float64 // s
	load       float64 // intended, as far as the tester can send it; frames/s over all ports that send
	window     int     // of the trial, from 0; the second load of a trial is its window 1
	prime      bool    // whether it is a load before its window
	hold       bool    // whether it is the second one of these
	side       int     // the port that sends alone, from 1; 0: all of them
}

// rate is the load that makes it whole frames.
func (f phase) rate() float64 { return (f.to - f.from) / (f.end - f.begin) }

// at is the number of the phase's first frame that is sent at a time or later.
func (f phase) at(t float64) float64 {
	const grace = 1e-6 // of a frame: what rounding leaves
	return min(max(f.from, f.from+math.Ceil((t-f.begin)*f.rate()-grace)), f.to)
}

// when is the time at which a frame is sent.
func (f phase) when(n float64) float64 {
	if f.to <= f.from {
		return f.begin
	}
	return f.begin + (n-f.from)/f.rate()
}

// phasesOf are the phases of a trial.
func phasesOf(t weir.Trial) []phase {
	if len(t.Windows) > 0 {
		return windowPhases(t)
	}
	ports := float64(t.Traffic.Ports())
	load := min(t.Intended, Ceiling)
	if t.Maximum {
		load = Ceiling
	}
	if t.Count > 0 {
		n := float64(t.Count)
		return []phase{{to: n * ports, end: n / load, load: load * ports}}
	}
	length := t.Duration.Seconds()
	first := phase{to: whole(load*length) * ports, end: length, load: load * ports}
	if t.Then == nil {
		return []phase{first}
	}
	load, length = min(t.Then.Intended, Ceiling), t.Then.Duration.Seconds()
	return []phase{first, {
		from: first.to, to: first.to + whole(load*length)*ports,
		begin: first.end, end: first.end + length, load: load * ports, window: 1,
	}}
}

// windowPhases are the phases of a trial of windows, each after that which
// primes for it.
func windowPhases(t weir.Trial) []phase {
	var out []phase
	var at float64
	now := 0 * t.Duration
	for i, w := range t.Windows {
		ports := float64(t.Traffic.Ports())
		if w.Side > 0 {
			ports = 1
		}
		add := func(of weir.Phase, prime, hold bool) {
			load := min(of.Intended, Ceiling)
			f := phase{
				from: at, to: at + whole(load*of.Duration.Seconds())*ports, begin: now.Seconds(), end: (now + of.Duration).Seconds(),
				load: load * ports, window: i, prime: prime, hold: hold, side: w.Side,
			}
			out, at, now = append(out, f), f.to, now+of.Duration
		}
		if w.Prime != nil {
			add(*w.Prime, true, false)
			if w.Hold != nil {
				add(*w.Hold, true, true)
			}
			now += w.Pause
		}
		add(weir.Phase{Intended: w.Intended, Duration: w.Duration}, false, false)
		now += w.Silence
	}
	return out
}

func whole(frames float64) float64 { return math.Floor(frames + .5) }

// sentBy is how many frames were sent before a time.
func (p *passage) sentBy(t float64) float64 {
	i := sort.Search(len(p.phases), func(i int) bool { return t < p.phases[i].end })
	if i == len(p.phases) {
		return float64(p.frames())
	}
	return p.phases[i].at(t)
}
