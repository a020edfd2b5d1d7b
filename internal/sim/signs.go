package sim

import (
	"math"
	"time"

	"weir"
)

// mostSteps is the largest number of steps of a simulated timeline.
const mostSteps = 1 << 20

// timeline is that of a passage, in steps as asked for, but not shorter than
// the gap between two frames, not more than mostSteps, and not with more frames
// in one than can be counted.
func (p *passage) timeline(asked time.Duration) weir.Timeline {
	length, fastest := seconds(p.length()), 1/p.length() // a trial without a frame has a timeline too
	for _, f := range p.phases {
		fastest = max(fastest, f.rate())
	}
	step := max(asked, (length+mostSteps-1)/mostSteps, time.Duration(math.Ceil(float64(time.Second)/fastest)))
	step = min(step, seconds(math.MaxUint32/fastest)/2)
	n := int((length + step - 1) / step)
	sent, received := make([]uint32, n), make([]uint32, n)
	var before, arrived uint64
	for i := range n {
		until := p.frames()
		if i < n-1 {
			until = uint64(p.sentBy((time.Duration(i+1) * step).Seconds()))
		}
		back := until - p.lostOf(until)
		sent[i], received[i] = uint32(until-before), uint32(back-arrived)
		before, arrived = until, back
	}
	return weir.NewTimeline(step, sent, received)
}

// cpu is how long the DUT's CPU had work, and how long it had none, of the time
// of a trial.
func (p *passage) cpu(capacity float64, length time.Duration) (busy, idle time.Duration) {
	if c := p.course; c != nil {
		busy = min(seconds(c.worked), length)
		return busy, max(0, length-busy-seconds(c.stood))
	}
	sum := 0.
	for _, f := range p.phases {
		sum += min(1, f.load/capacity) * (f.end - f.begin)
	}
	busy = seconds(sum)
	return busy, length - busy
}

// How a control plane that is not kept from its work answers, and how often it
// is asked.
const (
	asking    = 10 * time.Millisecond
	echo      = 100 * time.Microsecond
	accept    = 200 * time.Microsecond
	heartbeat = 5 * time.Millisecond
)

// probe is what the control plane says meanwhile, worst where the load is
// highest.
func (p *passage) probe(d dut) *weir.Probe {
	var out weir.Probe
	for _, f := range p.phases {
		kept := d.service(f.load) / d.capacity // what is left of the capacity
		length := seconds(f.end - f.begin)
		asked := uint64(max(1, length/asking))
		lost := uint64(whole(float64(asked) * (1 - kept)))
		late := func(d time.Duration) time.Duration {
			return time.Duration(min(float64(d)/kept, float64(max(d, length))))
		}
		out.EchoSent, out.EchoLost = out.EchoSent+asked, out.EchoLost+lost
		out.AcceptTried, out.AcceptFailed = out.AcceptTried+asked, out.AcceptFailed+lost
		out.Echo.Add(uint64(late(echo)), asked-lost)
		out.Accept.Add(uint64(late(accept)), asked-lost)
		out.Heartbeat = max(out.Heartbeat, late(heartbeat))
	}
	return &out
}
