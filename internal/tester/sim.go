package tester

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"weir"
)

// SimCeiling is what one port of the simulated tester can send and receive,
// in frames/s. A load above it is offered at this rate.
const SimCeiling = 20e6

// queuePoints is the number of points by which the growing queue of an
// overloaded DUT is drawn in the latency histogram.
const queuePoints = 16

// leastCapacity is the share of its capacity that noise leaves a DUT at least.
const leastCapacity = 1e-3

// SimConfig is the truth about a simulated DUT.
type SimConfig struct {
	Capacity float64       // frames/s that it forwards, all directions together; > 0
	Buffer   int           // frames that it can hold, >= 0
	Latency  time.Duration // one way, of a frame that does not queue; >= 0
	Livelock float64       // share of the capacity lost per unit of overload, >= 0
	Noise    float64       // standard deviation of the capacity between trials, relative to it; 0 to 1
	Seed     uint64        // of the noise
}

// Sim is a tester with a DUT that is a formula. Time is simulated: a trial of
// any length returns at once, and trials of the same number are the same.
//
// Of a trial of T seconds at a load of r frames/s over all ports:
//
//	C    = Capacity x (1 + Noise x N(0, 1)), drawn for each trial
//	Ceff = C while r <= C, else C x (1 - Livelock x (r - C) / C), at least 0
//	received = min(offered, floor(Ceff x T) + Buffer)
//
// so that no frame is lost up to C + Buffer / (T x (1 + Livelock)). A frame
// takes Latency, and behind q others q / Ceff longer, at most T: what is still
// queued when the sending ends leaves at once. Up to C the queue is empty;
// above it the queue grows evenly until it holds Buffer frames, and stays so.
// The DUT's one CPU is busy for min(1, r / C) of the time.
//
// A trial that bypasses the DUT gets every frame back with a latency of 0.
type Sim struct {
	config SimConfig
	count  atomic.Uint64 // of trials without a number
}

// NewSim makes a simulated tester, or says what is wrong with its truth.
func NewSim(c SimConfig) (*Sim, error) {
	switch {
	case !(c.Capacity > 0) || math.IsInf(c.Capacity, 1):
		return nil, fmt.Errorf("simulated DUT: a capacity of %v frames/s is not above 0", c.Capacity)
	case c.Buffer < 0:
		return nil, fmt.Errorf("simulated DUT: a buffer of %d frames is below 0", c.Buffer)
	case c.Latency < 0:
		return nil, fmt.Errorf("simulated DUT: a latency of %v is below 0", c.Latency)
	case !(c.Livelock >= 0) || math.IsInf(c.Livelock, 1):
		return nil, fmt.Errorf("simulated DUT: a livelock of %v is not 0 or more", c.Livelock)
	case !(c.Noise >= 0 && c.Noise <= 1):
		return nil, fmt.Errorf("simulated DUT: a noise of %v is not between 0 and 1", c.Noise)
	}
	return &Sim{config: c}, nil
}

// Measure performs one trial; it is a weir.Measurer. The errors are those of a
// trial without a duration or a load, and that of the context.
func (s *Sim) Measure(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	switch {
	case ctx.Err() != nil:
		return weir.TrialResult{}, ctx.Err()
	case t.Duration <= 0:
		return weir.TrialResult{}, fmt.Errorf("simulated trial: a duration of %v is not above 0", t.Duration)
	case !t.Maximum && !(t.Intended > 0):
		return weir.TrialResult{}, fmt.Errorf("simulated trial: a load of %v frames/s is not above 0", t.Intended)
	}
	ports := uint64(t.Traffic.Ports())
	seconds := t.Duration.Seconds()
	perPort := uint64(SimCeiling * seconds)
	load := SimCeiling * float64(ports)
	if !t.Maximum && t.Intended <= SimCeiling {
		perPort = t.Frames() / ports
		load = t.Intended * float64(ports)
	}
	r := weir.TrialResult{
		Trial: t, Start: time.Now(), Sending: t.Duration, Offered: perPort * ports,
		Pacing: weir.Pacing{Batch: 1}, Simulated: true, Backend: "sim",
	}
	if t.Bypass {
		r.Received = r.Offered
		r.Latency.Add(0, r.Received)
	} else {
		s.forward(&r, s.capacity(t.Number), load, seconds)
	}
	r.Ledger = weir.Balance(r.Offered, r.Received, []weir.Drop{{Place: "sim buffer full", Count: r.Offered - r.Received}})
	r.Streams = streams(ports, perPort, r.Offered-r.Received)
	return r, nil
}

// capacity is that of the DUT in one trial.
func (s *Sim) capacity(trial int) float64 {
	n := uint64(trial)
	if trial <= 0 {
		n = s.count.Add(1)
	}
	noise := s.config.Noise * rand.New(rand.NewPCG(s.config.Seed, n)).NormFloat64()
	return s.config.Capacity * max(1+noise, leastCapacity)
}

// forward is the DUT: it fills in what comes back of r.Offered frames.
func (s *Sim) forward(r *weir.TrialResult, capacity, load, seconds float64) {
	r.DUTCPU = time.Duration(min(1, load/capacity) * float64(r.Trial.Duration))
	if load <= capacity {
		r.Received = r.Offered
		r.Latency.Add(uint64(s.config.Latency), r.Received)
		return
	}
	effective := max(0, capacity*(1-s.config.Livelock*(load-capacity)/capacity))
	r.Received = min(r.Offered, uint64(effective*seconds)+uint64(s.config.Buffer))

	// The queue grows by load - effective frames each second.
	growth := load - effective
	longest := min(float64(s.config.Buffer), growth*seconds)
	growing := min(r.Received, uint64(load*longest/growth)) // frames that found it growing
	wait := func(queue float64) uint64 {
		return uint64(s.config.Latency) + uint64(min(queue/effective, seconds)*1e9)
	}
	for i := range uint64(queuePoints) {
		share := growing*(i+1)/queuePoints - growing*i/queuePoints
		r.Latency.Add(wait(longest*(float64(i)+.5)/queuePoints), share)
	}
	r.Latency.Add(wait(longest), r.Received-growing)
}

// streams spreads the loss evenly over one stream for each direction.
func streams(ports, sent, lost uint64) []weir.StreamResult {
	var out []weir.StreamResult
	for i, direction := range []string{"forward", "reverse"}[:ports] {
		share := lost*uint64(i+1)/ports - lost*uint64(i)/ports
		out = append(out, weir.StreamResult{Stream: i, Direction: direction, Sent: sent, Received: sent - share, Lost: share})
	}
	return out
}
