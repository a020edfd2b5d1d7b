package plan

import (
	"cmp"
	"math"
	"time"

	"weir"
	"weir/internal/claim"
)

// model is a router in a dry run: between its clean rate and its capacity it
// loses a frame or a share of them. One that is hard to measure contradicts
// itself in repeated trials for as long as it can.
type model struct {
	clean, capacity float64         // frames/s
	loss            float64         // share of the frames lost in between; 0 is a single frame
	hard            bool            // whether first trials contradict the next ones
	seen            map[float64]int // trials by load, in the step under way
}

// What the models have in common.
const (
	dryCeiling = 2e7 // frames/s that the tester of a dry run sends
	dryBuffer  = 10 * time.Millisecond
	dryDelay   = 10 * time.Microsecond
	dryOutage  = time.Millisecond // after an event, or an overload
)

// dryEvents are what a testbed might be able to do to a DUT.
var dryEvents = []string{"reset interface", "reset", "reset forwarding", "reset hook", "announce"}

// hardModels are routers of several speeds, of which each method takes long to
// measure one.
func hardModels() []model {
	var out []model
	for _, capacity := range []float64{5e4, 5e5, 5e6} {
		for _, clean := range []float64{1, 0.99, 0.9, 0.7, 0.4, 0.1, 0.01, 1e-3, 1e-6} {
			for _, loss := range []float64{0, 0.02} {
				out = append(out, model{capacity: capacity, clean: capacity * clean, loss: loss, hard: true})
			}
		}
	}
	return out
}

// friendlyModels are routers with which a measurement goes well: below what a
// medium carries, and near what the tester sends.
var friendlyModels = []model{{capacity: 5e4, clean: 5e4}, {capacity: 1e6, clean: 1e6}, {capacity: .95 * dryCeiling, clean: .95 * dryCeiling}}

func (m model) measure(t weir.Trial) weir.TrialResult {
	if t.Transfer != nil {
		return m.transfer(t)
	}
	if len(t.Windows) > 0 {
		return m.windows(t)
	}
	ports := float64(t.Traffic.Ports())
	load := t.Intended * ports
	if t.Maximum {
		load = dryCeiling
	}
	r := weir.TrialResult{Trial: t, Sending: t.Length(), Offered: t.Frames(), Simulated: true, Backend: "dry run"}
	if t.Count > 0 {
		r.Sending = time.Duration(float64(t.Count) * ports / load * float64(time.Second))
	} else if t.Maximum {
		r.Offered = uint64(math.Floor(load*t.Duration.Seconds() + 0.5))
	}
	lost := min(m.lost(t, load, r), r.Offered)
	r.Received = r.Offered - lost
	r.Ledger = weir.Balance(r.Offered, r.Received, nil)
	r.Latency.Add(uint64(dryDelay), r.Received)
	if t.Tags.Count > 0 {
		r.Tagged = make([]time.Duration, t.Tags.Count)
		for i := range r.Tagged {
			r.Tagged[i] = dryDelay
		}
	}
	if t.Variation {
		r.Variation = &weir.Variation{}
		r.Variation.Longer.Add(uint64(dryDelay), r.Received)
	}
	if t.Event != nil {
		r.Happened = &weir.Happened{Began: t.Event.After, Ended: t.Event.After}
	}
	if t.Resolution > 0 {
		r.Timeline = timeline(r, lost, load > m.clean)
	}
	if t.Probe {
		r.Probe = &weir.Probe{EchoSent: 1, AcceptTried: 1}
	}
	return r
}

// windows is a trial of windows in a dry run: how hard a router is to measure
// makes no difference to how long it takes.
func (m model) windows(t weir.Trial) weir.TrialResult {
	r := weir.TrialResult{Trial: t, Sending: t.Length(), Offered: t.Frames(), Simulated: true, Backend: "dry run"}
	for _, w := range t.Windows {
		ports := t.Traffic.Ports()
		if w.Side > 0 {
			ports = 1
		}
		one := weir.Trial{Intended: w.Intended, Duration: w.Duration}
		sent := one.Frames() * uint64(ports)
		most := uint64(m.capacity * w.Duration.Seconds())
		out := weir.WindowResult{Sent: sent, Received: min(sent, most), Delay: dryDelay, Preempted: -1}
		if w.Prime != nil {
			out.PrimeSent = weir.Trial{Intended: w.Prime.Intended, Duration: w.Prime.Duration}.Frames() * uint64(ports)
		}
		r.Received += out.Received
		r.Windows = append(r.Windows, out)
	}
	r.Ledger = weir.Balance(r.Offered, r.Received, nil)
	r.Latency.Add(uint64(dryDelay), r.Received)
	return r
}

// What end hosts have in a dry run.
const (
	dryMTU     = 1500
	dryHeaders = 52 // octets of it that TCP with time stamps takes, over IPv4
	dryRTT     = 10 * dryDelay
	dryRate    = 1e6 // bit/s of their programs: less than any link carries
)

// transfer is a transfer in a dry run: it takes as long as it is asked to, comes
// to its end and has all that a claim may ask for. Only its time matters.
func (m model) transfer(t weir.Trial) weir.TrialResult {
	asked := *t.Transfer
	took := max(t.Duration-asked.WarmUp, time.Millisecond)
	found := weir.Transferred{
		Took: took, Octets: uint64(.9 * dryRate / 8 * took.Seconds()), Count: uint64(1e3 * took.Seconds()), Server: t.Traffic.Server,
		PathMTU: dryMTU, Segment: dryMTU - dryHeaders, IdleRTT: dryRTT.Seconds(), CPU: weir.EndsCPU{Source: took / 10, Destination: took / 10},
		Figures: []weir.Figure{{Name: weir.Jitter, Unit: "s"}},
	}
	if asked.Files > 0 {
		found.Octets, found.Verified = uint64(asked.Files)*uint64(asked.FileSize), true
	}
	if asked.Program == "udp" || claim.Datagrams(asked.Test) {
		found.Octets = uint64(cmp.Or(asked.Rate, dryRate) / 8 * took.Seconds())
		for _, name := range []string{weir.DatagramsSent, weir.DatagramsReceived} {
			found.Figures = append(found.Figures, weir.Figure{Name: name, Value: float64(found.Octets / 1e3), Unit: "datagrams"})
		}
	}
	if asked.Program == "pppoe-flood" {
		found.Figures = append(found.Figures, weir.Figure{Name: weir.SetUpUnderFlood, Value: dryRTT.Seconds(), Unit: "s"})
	}
	found.RTT.Add(uint64(dryRTT), 1)
	return weir.TrialResult{Trial: t, Sending: t.Duration, Transferred: &found, Simulated: true, Backend: "dry run"}
}

// lost is how many frames of a trial do not come back.
func (m model) lost(t weir.Trial, load float64, r weir.TrialResult) uint64 {
	frames := r.Offered
	if t.Count > 0 {
		if room := m.clean * (dryBuffer + r.Sending).Seconds(); float64(frames) > room {
			return frames - uint64(room)
		}
		return 0
	}
	if t.Then != nil { // the second load is one that is forwarded
		frames = uint64(load * t.Duration.Seconds())
	}
	n := m.seen[load]
	m.seen[load]++
	switch {
	case t.Bypass:
		return 0
	case load > m.capacity:
		return uint64(float64(frames) * max(m.loss, 1-m.capacity/load))
	case load > m.clean, m.hard && n == 0 && load > m.clean/2: // the latter is a first trial that the next ones contradict
		return max(1, uint64(float64(frames)*m.loss))
	}
	return 0
}

// timeline says when the frames of a trial were lost: around the event or the
// end of the overload, where there is one, and otherwise in its first half.
func timeline(r weir.TrialResult, lost uint64, overload bool) *weir.Timeline {
	t := r.Trial
	tl := &weir.Timeline{Resolution: t.Resolution, Intervals: []weir.Interval{{Sent: r.Offered, Received: r.Received}}}
	e := weir.Episode{Until: t.Length() / 2, Lost: lost}
	switch {
	case t.Event != nil:
		e = weir.Episode{From: t.Event.After, Until: t.Event.After + dryOutage, Lost: max(lost, 1)}
	case t.Then != nil && overload:
		e.Until = t.Duration + dryOutage
	case lost == 0:
		return tl
	}
	tl.Episodes, tl.LastLoss = []weir.Episode{e}, e.Until
	return tl
}
