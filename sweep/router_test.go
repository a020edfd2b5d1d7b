package sweep

import (
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// sender sends windows through a DUT whose truth is known.
type sender interface {
	send(windows []weir.Window) []weir.WindowResult
}

// router is a model of a DUT on a machine that others use too: a queue of fluid
// before a server, whose capacity follows a slow wave, differs from window to
// window, and stands still at times. What it loses counts by the time of
// sending.
type router struct {
	capacity float64   // frames/s
	ring     float64   // frames
	wave     float64   // deviation of the logarithm of the capacity
	slow     float64   // time constant of the wave, s (Ornstein and Uhlenbeck)
	noise    float64   // deviation between windows
	stalls   float64   // of the DUT, a second; log-uniform lengths from 1 to 30 ms
	gaps     float64   // of the generator, a second; log-uniform lengths from 0.5 to 5 ms
	excess   float64   // what the capacity changes by for each frame/s beyond it
	most     float64   // that the tester can send, frames/s; 0: any
	sinks    float64   // share of the capacity that a second takes away
	speeds   []float64 // what the capacity is multiplied with in turn; none: it keeps its speed
	dwell    float64   // s: mean time of a speed
	random   *rand.Rand

	now      float64   // s
	x        float64   // the wave
	queue    float64   // frames
	arms     []float64 // what the capacity of each arm is multiplied with; none: there are no arms
	queues   []float64 // of the arms
	nextStop float64   // s: when the DUT stands still
	stopEnd  float64   // s: when it goes on
	nextGap  float64
	gapEnd   float64
	waves    []float64 // at each window: the truth
	speed    int       // index of the one that holds
	nextJump float64   // s: when another one does
	held     []float64 // the speed at each window: the truth
}

func newRouter(seed uint64) *router {
	r := &router{capacity: 700e3, ring: 256, wave: .08, slow: 1.5, noise: .02, stalls: 8, random: rand.New(rand.NewPCG(seed, 42))}
	return r
}

// start draws where the wave is.
func (r *router) start() *router {
	r.x = r.wave * r.random.NormFloat64()
	r.nextStop, r.nextGap = r.until(r.stalls), r.until(r.gaps)
	r.nextJump = math.Inf(1)
	if len(r.speeds) > 1 {
		r.speed = r.random.IntN(len(r.speeds))
		r.nextJump = r.until(1 / r.dwell)
	}
	return r
}

// pace is what the capacity is multiplied with now.
func (r *router) pace() float64 {
	p := math.Exp(-r.sinks * r.now)
	for r.now >= r.nextJump {
		r.speed = (r.speed + 1 + r.random.IntN(len(r.speeds)-1)) % len(r.speeds)
		r.nextJump += r.dwell * r.random.ExpFloat64()
	}
	if len(r.speeds) > 0 {
		p *= r.speeds[r.speed]
	}
	return p
}

func (r *router) until(rate float64) float64 {
	if rate == 0 {
		return math.Inf(1)
	}
	return r.now + r.random.ExpFloat64()/rate
}

// between draws a length between two, uniform in its logarithm.
func (r *router) between(low, high float64) float64 {
	return low * math.Pow(high/low, r.random.Float64())
}

// drift moves the wave on by a time.
func (r *router) drift(d float64) {
	if r.wave == 0 {
		return
	}
	a := math.Exp(-d / r.slow)
	r.x = r.x*a + r.wave*math.Sqrt(1-a*a)*r.random.NormFloat64()
}

// flowed is what became of the frames of a load.
type flowed struct {
	sent, lost, run, delay, gap float64
}

// flow lets a load flow for a time, in steps in which neither load nor capacity
// change and the queue neither fills nor empties.
func (r *router) flow(load, d, usual float64) (f flowed) {
	end := r.now + d
	run := 0.
	for r.now < end-1e-12 {
		capacity := usual * r.pace()
		if r.now >= r.nextStop {
			r.stopEnd = r.now + r.between(1e-3, 30e-3)
			r.nextStop = math.Max(r.until(r.stalls), r.stopEnd)
		}
		if r.now >= r.nextGap {
			g := r.between(.5e-3, 5e-3)
			r.gapEnd = r.now + g
			r.nextGap = math.Max(r.until(r.gaps), r.gapEnd)
		}
		in, out := load, capacity
		step := math.Min(end, math.Min(math.Min(r.nextStop, r.nextGap), r.nextJump)) - r.now
		if load > capacity {
			out = math.Max(0, capacity+r.excess*(load-capacity))
		}
		stopped := r.now < r.stopEnd
		if stopped {
			out, step = 0, math.Min(step, r.stopEnd-r.now)
		}
		if r.now < r.gapEnd {
			in, step = 0, math.Min(step, r.gapEnd-r.now)
			f.gap = math.Max(f.gap, r.gapEnd-r.now)
		}
		full := false
		switch {
		case in > out && r.queue >= r.ring-1e-9:
			full = true
		case in > out:
			step = math.Min(step, (r.ring-r.queue)/(in-out))
		case r.queue > 0 && out > in:
			step = math.Min(step, r.queue/(out-in))
		}
		step = math.Max(step, 1e-9)
		f.sent += in * step
		if in > 0 && (!full || out > 0) { // of those that come while it is full some find a place
			wait := r.queue / capacity
			if stopped {
				wait += r.stopEnd - r.now
			}
			f.delay = math.Max(f.delay, wait)
		}
		if full {
			f.lost += (in - out) * step
			if stopped {
				run += in * step
			}
		} else {
			run = 0
		}
		f.run = math.Max(f.run, run)
		r.queue = math.Min(r.ring, math.Max(0, r.queue+(in-out)*step))
		r.now += step
	}
	return f
}

func (r *router) send(windows []weir.Window) []weir.WindowResult {
	out := make([]weir.WindowResult, len(windows))
	for i, w := range windows {
		capacity := r.capacity * math.Exp(r.x+r.noise*r.random.NormFloat64())
		r.waves = append(r.waves, r.x)
		if w.Side > 0 && len(r.arms) > 0 {
			capacity *= r.arms[w.Side-1]
			r.queue = r.queues[w.Side-1]
		}
		o := &out[i]
		if w.Prime != nil {
			f := r.flow(r.able(w.Prime.Intended), w.Prime.Duration.Seconds(), capacity)
			o.PrimeSent = whole(f.sent)
			o.PrimeReceived = o.PrimeSent - min(o.PrimeSent, whole(f.lost))
			if w.Hold != nil {
				r.flow(r.able(w.Hold.Intended), w.Hold.Duration.Seconds(), capacity)
			}
			r.flow(0, w.Pause.Seconds(), capacity)
		}
		o.Begin = seconds(r.now)
		r.held = append(r.held, r.pace())
		f := r.flow(r.able(w.Intended), w.Duration.Seconds(), capacity)
		o.Sent = whole(f.sent)
		o.Received = o.Sent - min(o.Sent, whole(f.lost))
		o.Delay, o.GeneratorGap, o.LostRun = seconds(f.delay), seconds(f.gap), whole(f.run)
		r.flow(0, w.Silence.Seconds(), capacity)
		if w.Side > 0 && len(r.arms) > 0 {
			r.queues[w.Side-1] = r.queue
		}
		r.drift(w.Length().Seconds())
	}
	return out
}

func (r *router) able(load float64) float64 {
	if r.most > 0 {
		return math.Min(load, r.most)
	}
	return load
}

func whole(v float64) uint64 { return uint64(math.Round(v)) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
