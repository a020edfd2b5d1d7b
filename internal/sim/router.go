package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"weir"
)

// Ceiling is what one port of the simulated tester can send and receive,
// in frames/s. A load above it is offered at this rate.
const Ceiling = 20e6

// Router is a tester with a DUT that is a formula, of which Config is the
// truth. Time is simulated: a trial of any length returns at once, and trials
// of the same number are the same.
//
// Of a trial of T seconds at a load of r frames/s over all ports:
//
//	C    = Capacity x (1 + Noise x N(0, 1)), drawn for each trial, and then
//	       x (1 - RouteCost)^log10(routes) x XDPGain, where it forwards by XDP
//	       / (1 + FilterCost x (filters + rules) + FirewallCost x f + NAPICost x p)
//	       x (1 + RunNoise x N(0, 1)) x (1 + Wave x sin(2 pi n / 5)) x (1 + Drift)^(n - 1)
//	Ceff = C while r <= C, else C x (1 - Livelock x (r - C) / C), at least 0
//	received = min(offered, floor(Ceff x T) + Buffer)
//
// where f is 0 without a firewall, 1 of a stateless one, 2 of a stateful one and
// 3 of NAT; p is 1 with NAPI threads, -1 with a process that polls, and else 0; and
// n is the number of the run, whose trials all have the same draw
// (the last line is left out of trials of no run: the wave rises and falls once
// in five runs, as that of shared machines does). The parameters are those of
// Config, or what the tunings of the trial's condition say instead
// (Tunings).
//
// So it is while the DUT stays as it is. Where it has what machines have that others
// use too, its capacity changes within a trial:
//
//	C(t) = C x exp(SharedWave x w(t)) x exp(WindowNoise x N(0, 1)), or 0 while it is interrupted
//
// where w is an Ornstein-Uhlenbeck process of mean 0 and deviation 1 with the time
// constant WaveTime, in steps of a 256th of that, which is anywhere when a trial
// begins; the second factor is drawn for each window with its priming and the
// silence after it (a trial of one load is one window, one of two loads two of
// them); and interruptions begin Interruptions times a second at random, each as
// long as drawn evenly on a logarithmic scale between the two times of
// Interruption. All of that follows from the seed and the trial's number alone.
//
// With Speeds, C(t) is multiplied with one of them, which changes to any other one
// after a time that is drawn from an exponential distribution of mean SpeedTime. They
// follow from the seed, and go on from trial to trial: a trial begins when the one
// that was performed before it has ended. Transfers, and trials without the DUT, know
// none.
//
// In such a trial, and in one of windows, frames come evenly and are served at Ceff
// of C(t), and those that are not served yet, at most Buffer, are carried from
// window to window, through priming and silences. A frame leaves as soon as the DUT could have served all before it. What
// is queued when the sending ends is served at C(t). The port of a window with a
// Side sends alone, and no port more than Ceiling. Recovery is left out: windows
// are no overload to recover from. A lost run is of the frames that come while none
// is accepted; where a part of them is, they are lost one by one, or as many as
// are lost for one that is not. What the receiver sees has the gaps of the DUT,
// without jitter, and nobody knows of preemption.
//
// The generator stands still Stalls times a second, as long as Stall says, in the
// same manner, without the DUT too. What is due in a stall is not sent later. A
// number of frames that is asked for (Trial.Count) knows no stalls.
//
// Where the DUT stays as it is no frame is lost up to C + Buffer / (T x (1 +
// Livelock)), and of frames that leave at a rate r above C the first Buffer / (1 -
// Ceff / r) come back, however long that takes: the longest burst. Where the traffic itself is
// made of bursts of n frames, each loses n x (1 - Ceff / r) - Buffer with r as
// the tester's ceiling, or what the load loses if that is more.
//
// A frame takes Latency, up to Jitter longer, and behind q others q / Ceff
// longer, at most T: what is still queued when the sending ends leaves at once.
// Up to C the queue is empty; above it the queue grows evenly until it holds
// Buffer frames, and stays so until a load below C lets it drain. The jitter of
// all frames is evenly spread, so that a share x of the frames takes no longer
// than Latency + x x Jitter, and no more than Jitter x (1 - sqrt(1 - x)) longer
// or shorter than the one before, a third of the jitter in the mean. That of
// tagged frames is drawn. A lost frame takes two changes of delay with it.
//
// All frames are lost that are sent within Recovery after a load above C was
// followed by one that is not, within Reset after a reset, and before an
// announcement. From then on Learning prefixes are learnt each second, in the
// order in which destinations go round: of n routes the last is learnt n /
// Learning later, and the share of the frames that is lost falls evenly until
// then, but not below what the load loses.
//
// The DUT's one CPU is busy for min(1, r / C) of the time. Its control plane
// shares what befalls it: where x = Livelock x (r - C) / C of its capacity is
// lost, at most all of it, so are that share of the echoes and of the
// connections; the others, and the heartbeat, take 1 / (1 - x) as long as below
// C, where they take 100 us, 200 us and 5 ms.
//
// With a Bucket all frames that are accepted are Buffer + Bucket, of which those of
// the bucket do not wait: a policer's bucket of tokens, with a queue or without.
//
// DUTs side by side (weir.Trial.Beside) are that of the first condition, and others
// of another capacity, each in the windows of its own port. The queue is one: between
// the windows there has to be a silence that empties it.
//
// In a trial of a transfer the DUT is between two end hosts (see transfer), and
// the same from its beginning to its end.
//
// A trial that bypasses the DUT gets every frame back with a latency of 0. The
// traffic's addresses, how the DUT takes its frames, and the program that sets
// its firewall make no difference.
type Router struct {
	config Config
	count  atomic.Uint64 // of trials without a number
	clock  clock
}

// The events of a simulated DUT.
const (
	resetEvent          = "reset"
	resetInterfaceEvent = "reset interface"
	announceEvent       = "announce"
)

// Events are the names of what can be done to a simulated DUT during a
// trial. Any other weir.Event fails.
func Events() []string { return []string{resetEvent, resetInterfaceEvent, announceEvent} }

// Measure performs one trial; it is a weir.Measurer. The errors are those of a
// trial that has no duration or load, phases that do not go together, or a
// condition that the model does not have (Cannot), windows that cannot be
// (weir.Trial.CheckWindows), too many interruptions, and that of the context.
func (s *Router) Measure(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	if err := ctx.Err(); err != nil {
		return weir.TrialResult{}, err
	}
	if err := validSimTrial(t); err != nil {
		return weir.TrialResult{}, fmt.Errorf("simulated trial: %w", err)
	}
	r := weir.TrialResult{Trial: t, Start: time.Now(), Pacing: weir.Pacing{Batch: max(1, t.Traffic.Burst)}, Simulated: true, Backend: "sim"}
	d, err := s.dut(t)
	if err == nil {
		err = d.drawable(t)
	}
	if err != nil {
		return weir.TrialResult{}, fmt.Errorf("simulated trial: %w", err)
	}
	if d.began > 0 {
		r.Start = s.clock.start(d.began)
	}
	if t.Transfer != nil && !t.Bypass {
		d.transfer(&r)
		return r, nil
	}
	intended, stalls := phasesOf(t), d.stalls(t)
	phases := sent(t, intended, stalls)
	r.Sending = seconds(phases[len(phases)-1].end)
	if t.Count == 0 {
		r.Sending = t.Length()
	}
	r.Happened = happened(t, r.Sending)
	p := d.pass(t, phases, d.outages(t, phases, r.Happened))

	r.Offered = p.frames()
	lost := p.lostOf(r.Offered)
	r.Received = r.Offered - lost
	down := p.lostToOutages()
	spoilt, damaged := p.lostToDefects()
	r.Ledger = weir.Balance(r.Offered, r.Received, []weir.Drop{
		{Place: "sim buffer full", Count: lost - min(lost, down+spoilt)}, {Place: "sim outage", Count: down}, {Place: "wrong checksum on receipt", Count: damaged, Kind: weir.DropDamaged}})
	if len(t.Windows) > 0 {
		r.Streams = p.windowStreams(t.Traffic)
	} else {
		r.Streams = streams(t.Traffic, r.Offered/uint64(t.Traffic.Ports()), lost)
	}
	for i, n := 0, uint64(len(r.Streams)); i < len(r.Streams); i++ {
		r.Streams[i].Corrupt = damaged*uint64(i+1)/n - damaged*uint64(i)/n
	}
	if p.course == nil {
		d.time(&r, p)
	} else {
		d.windows(&r, p)
	}
	r.Arms = r.OfArms(nil)
	for i, l := range r.Arms {
		r.Arms[i] = weir.Balance(l.Offered, l.Received, []weir.Drop{{Place: "sim buffer full", Count: l.Offered - l.Received}})
	}
	d.asked(&r, p)
	paced(&r, intended, stalls)
	if t.Resolution > 0 {
		timeline := p.timeline(t.Resolution)
		p.refine(&timeline)
		r.Timeline = &timeline
	}
	if !t.Bypass {
		r.DUTCPU, r.DUTIdle = p.cpu(d.capacity, r.Sending)
		if t.Probe {
			r.Probe = p.probe(d)
		}
	}
	return r, nil
}

func validSimTrial(t weir.Trial) error {
	switch {
	case t.Traffic.Backward && t.Traffic.Bidirectional:
		return errors.New("its traffic goes backward alone, and in both directions: take one of these")
	case len(t.Windows) > 0 && t.Transfer != nil:
		return errors.New("a transfer has no windows")
	case len(t.Windows) > 0:
		return t.CheckWindows()
	case t.Duration <= 0 && t.Count == 0:
		return fmt.Errorf("a duration of %v is not above 0", t.Duration)
	case !t.Maximum && !(t.Intended > 0):
		return fmt.Errorf("a load of %v frames/s is not above 0", t.Intended)
	case t.Then == nil:
		return nil
	case t.Maximum || t.Count > 0:
		return fmt.Errorf("a second load does not follow on the maximum load or a number of frames")
	case t.Then.Duration <= 0 || !(t.Then.Intended > 0):
		return fmt.Errorf("a second load of %v frames/s for %v is not above 0", t.Then.Intended, t.Then.Duration)
	}
	return nil
}

// happened is what becomes of the trial's event; nil when it has none.
func happened(t weir.Trial, length time.Duration) *weir.Happened {
	switch e := t.Event; {
	case e == nil:
		return nil
	case !slices.Contains(Events(), e.Name):
		return &weir.Happened{Error: fmt.Sprintf("a simulated DUT has no event %q; it has: %s", e.Name, strings.Join(Events(), ", "))}
	case e.After < 0 || e.After >= length:
		return &weir.Happened{Error: fmt.Sprintf("an event %v after the start is not within the trial of %v", e.After, length)}
	default:
		return &weir.Happened{Began: e.After, Ended: e.After}
	}
}

// streams spreads the loss evenly over one stream for each port.
func streams(t weir.Traffic, sent, lost uint64) []weir.StreamResult {
	var out []weir.StreamResult
	ports := uint64(t.Ports())
	for i := range ports {
		direction := t.Direction()
		if t.Bidirectional {
			direction = int(i % 2)
		}
		share := lost*(i+1)/ports - lost*i/ports
		out = append(out, weir.StreamResult{Stream: int(i), Direction: weir.Directions[direction], Sent: sent, Received: sent - share, Lost: share})
	}
	return out
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
