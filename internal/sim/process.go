package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// What the wave and the interruptions of a simulated DUT, and the stalls of its
// generator, are like that does not say so.
const (
	DefaultWaveTime      = 1500 * time.Millisecond // time constant of the wave
	ShortestInterruption = time.Millisecond
	LongestInterruption  = 30 * time.Millisecond
)

// What is drawn apart for the same trial, so that one process stays the same
// whatever the others are.
const (
	waveDraws         = 0x77617665
	interruptionDraws = 0x73746f70
	windowDraws       = 0x77696e64
	stallDraws        = 0x7374616c
)

// How finely the wave in time is drawn: so many steps in its time constant, but
// not more than so many in a trial.
const (
	waveSteps     = 256
	mostWaveSteps = 1 << 16
)

// mostInterruptions is how many interruptions are drawn for one trial at most.
const mostInterruptions = 1 << 20

// stretch is a time in which the process that changes a DUT's capacity does not
// move.
type stretch struct {
	end  float64 // s since the start; endless, the last one
	pace float64 // capacity, relative to that of a DUT without such a process; 0: it stands still
}

// draws are those of a process in a trial: the same for the same seed and
// number of the trial.
func (d dut) draws(process uint64) *rand.Rand {
	return rand.New(rand.NewPCG(d.Seed^process, d.number))
}

// drawable says what is too much to draw for a trial, or nil.
func (d dut) drawable(t weir.Trial) error {
	if n := max(d.Interruptions, d.Stalls) * t.Length().Seconds(); n > mostInterruptions {
		return fmt.Errorf("%.0f interruptions or stalls in %v are more than the %d that are drawn for one trial: make it shorter, or them fewer", n, t.Length(), mostInterruptions)
	}
	return nil
}

// stretches are how the capacity changes in so many seconds: a wave with steps,
// interruptions in it, and speeds. What comes after that is as at their end.
func (d dut) stretches(length float64) []stretch {
	return multiply(d.disturbed(length), d.atSpeeds(d.began, length))
}

// disturbed are the steps of the wave, and the interruptions in it.
func (d dut) disturbed(length float64) []stretch {
	wave, step := d.wave(length)
	stops := d.interruptions(length)
	out := make([]stretch, 0, len(wave)+2*len(stops))
	i := 0 // of the wave
	until := func(t float64) {
		for ; i < len(wave)-1 && float64(i+1)*step <= t; i++ {
			out = append(out, stretch{float64(i+1) * step, wave[i]})
		}
	}
	for _, stop := range stops {
		until(stop[0])
		if stop[0] > 0 {
			out = append(out, stretch{stop[0], wave[i]})
		}
		for i < len(wave)-1 && float64(i+1)*step <= stop[1] {
			i++
		}
		out = append(out, stretch{stop[1], 0})
	}
	until(math.Inf(1))
	return append(out, stretch{math.Inf(1), wave[i]})
}

// wave is an Ornstein-Uhlenbeck process in the logarithm of the capacity, from
// its stationary distribution on: the capacity in each step of so many seconds.
func (d dut) wave(length float64) (paces []float64, step float64) {
	if d.SharedWave <= 0 {
		return []float64{1}, length
	}
	constant := cmp.Or(d.WaveTime, DefaultWaveTime).Seconds()
	step = constant / waveSteps
	for step*mostWaveSteps < length {
		step *= 2
	}
	n := int(max(1, math.Ceil(length/step)))
	random, kept := d.draws(waveDraws), math.Exp(-step/constant)
	fresh := math.Sqrt(1 - kept*kept)
	x := random.NormFloat64()
	for range n {
		paces = append(paces, math.Exp(d.SharedWave*x))
		x = kept*x + fresh*random.NormFloat64()
	}
	return paces, step
}

// interruptions are when the DUT stands still, from and until, in s.
func (d dut) interruptions(length float64) [][2]float64 {
	return d.stops(interruptionDraws, d.Interruptions, d.Interruption, length)
}

// stops are when something stands still in so many seconds, so often a second
// and from the one to the other time. They begin at random, one before the start
// may last into it, and those that overlap are one.
func (d dut) stops(process uint64, rate float64, times [2]time.Duration, length float64) (out [][2]float64) {
	if rate <= 0 {
		return nil
	}
	if times == [2]time.Duration{} {
		times = [2]time.Duration{ShortestInterruption, LongestInterruption}
	}
	shortest, longest := times[0].Seconds(), times[1].Seconds()
	random := d.draws(process)
	for at := -longest; ; {
		at += random.ExpFloat64() / rate
		end := at + shortest*math.Pow(longest/shortest, random.Float64())
		switch {
		case at >= length:
			return out
		case end <= 0:
		case len(out) > 0 && at <= out[len(out)-1][1]:
			out[len(out)-1][1] = max(out[len(out)-1][1], end)
		default:
			out = append(out, [2]float64{max(0, at), end})
		}
	}
}

// windowNoise is the capacity in each of so many windows, relative to that of a
// DUT without it.
func (d dut) windowNoise(n int) []float64 {
	out := make([]float64, n)
	random := d.draws(windowDraws)
	for i := range out {
		out[i] = 1
		if d.WindowNoise > 0 {
			out[i] = math.Exp(d.WindowNoise * random.NormFloat64())
		}
	}
	return out
}

// CapacityOf is the truth about one trial, which has a number: the geometric
// mean, over its time, of the capacity in frames/s that the DUT has where it is
// neither interrupted nor overloaded, without the noise of windows. It is what
// an estimate from that trial is held against: the wave seldom has its mean
// within a few of its time constants. With speeds it is that of a trial that was
// performed, or else of one that would be by now. The errors are those of the condition.
func (s *Router) CapacityOf(t weir.Trial) (float64, error) {
	d, err := s.dut(t)
	if err != nil {
		return 0, fmt.Errorf("simulated trial: %w", err)
	}
	length := t.Length().Seconds()
	paces, step := d.wave(length)
	sum := 0.
	for i, pace := range paces {
		sum += math.Log(pace) * (min(float64(i+1)*step, length) - float64(i)*step)
	}
	last := 0.
	for _, s := range d.atSpeeds(d.began, length) {
		sum += math.Log(s.pace) * (min(s.end, length) - last)
		last = s.end
	}
	return d.capacity * math.Exp(sum/length), nil
}
