package method

import (
	"context"
	"math"

	"weir"
	"weir/frame"
	"weir/internal/claim"
)

const (
	// soundLoad is the share of the bottleneck bandwidth at which a sound path
	// loses hardly anything.
	soundLoad = 0.9
	// mostLookups is how many streams of datagrams there are at most, until one
	// just below a bandwidth gets through.
	mostLookups = 8
	// collapsed is the loss above which what arrives says nothing of a bandwidth.
	collapsed = 0.9
)

// lookup looks for a bottleneck bandwidth with streams of datagrams. What arrives
// of too fast a stream is the bandwidth, and a stream just below it confirms
// that. Only where hardly anything arrives, as a device may collapse under far
// too much, the load is halved between what got through and what did not.
type lookup struct {
	bandwidth float64 // bit/s of an Ethernet, to be confirmed; 0: not known
	guessed   bool    // whether it is only a load that may get through
	low, high float64 // bit/s: the most that got through of such loads, and the least that did not; 0: none
	tries     int     // how often the bandwidth was what arrived
	loss      float64 // of the stream that got through, or the last one
}

// find performs the streams. The bandwidth is 0 when none got through.
func (p *path6349) find(ctx context.Context, s *session) error {
	l := lookup{bandwidth: s.env.LinkRate}
	length := min(s.params.Trial, lookupLength)
	wire := func(frames float64) float64 { return frame.WireRate(frames, claim.FrameSize(p.mtu)) }
	ports := float64(s.env.Traffic.Ports())
	for done := false; !done; {
		asked := weir.Transfer{Program: "udp", Streams: 1, Payload: p.payload(), WarmUp: max(0, min(s.params.Transfer.WarmUp, length/10))}
		if l.bandwidth > 0 {
			asked.Rate = soundLoad * 8 * float64(p.payload()) * frame.LineRate(l.bandwidth, claim.FrameSize(p.mtu))
		}
		r, err := s.prepare(ctx, length, asked, goodput(s.params))
		if err != nil {
			return err
		}
		p.lookups++
		p.check(r)
		// Datagrams are those of all of the trial. What the socket of the receiving
		// host dropped has passed the path all the same.
		rate := func(figure string) float64 { return counted(*r.Transferred, figure) / r.Trial.Duration.Seconds() }
		arrived := wire((r.Transferred.Goodput()/float64(8*p.payload()) + rate(weir.DatagramsDropped)) / ports)
		sent := wire(rate(weir.DatagramsSent) / ports)
		done = l.next(lossOf(r), asked.Rate > 0, arrived, sent) || p.lookups == mostLookups
	}
	p.bandwidth, p.loss = l.found()
	return nil
}

// next takes what became of a stream: limited is whether it was sent at a rate,
// and what arrived of it and was sent is in bit/s of an Ethernet. It returns true
// when there is nothing more to look for.
func (l *lookup) next(loss float64, limited bool, arrived, sent float64) bool {
	through := limited && loss <= claim.MostLoss
	if l.low == 0 || through {
		l.loss = loss
	}
	switch {
	case through && !l.guessed:
		return true
	case through:
		l.low = l.bandwidth
	case loss > collapsed:
		l.guessed, l.high = true, sent
	case l.tries == 2:
		return true // each stream loses its share, however slow it is
	default:
		l.bandwidth, l.guessed = arrived, false
		l.tries++
		return false
	}
	const nearEnough = 1.1 // closer than that is close enough
	switch {
	case l.low > 0 && l.high > 0:
		l.bandwidth = math.Sqrt(l.low * l.high)
		return l.high < nearEnough*l.low
	case l.low > 0:
		l.bandwidth = 3 * l.low
	default:
		l.bandwidth = l.high / 10
	}
	return l.bandwidth == 0
}

// warnOfLookups adds the warnings of the streams. One that sends all it can is to
// keep the hosts as busy as they can be, which is no reason for a warning.
func warnOfLookups(r *weir.Result, streams []weir.TrialResult) {
	for _, t := range streams {
		for _, w := range t.Warnings {
			if w.Code != weir.TesterLimited || t.Trial.Transfer.Rate > 0 {
				r.Warnings = weir.AddWarning(r.Warnings, w)
			}
		}
	}
}

// found is the bandwidth, 0 when it is not known, and the loss of a stream just
// below it.
func (l *lookup) found() (bandwidth, loss float64) {
	if l.guessed {
		return soundLoad * l.low, l.loss // which is what got through
	}
	return l.bandwidth, l.loss
}
