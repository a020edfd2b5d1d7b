package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/endhost"
)

// lineCounts are what the ends of an access line have come to: the client, and the
// concentrator.
type lineCounts [2]endhost.AccessCounts

// cpu is the CPU time of both ends.
func (c lineCounts) cpu() time.Duration { return c[0].CPU + c[1].CPU }

// counts asks both ends; a line that is not there has none.
func (l *accessLine) counts(ctx context.Context) (c lineCounts, err error) {
	if l == nil {
		return c, nil
	}
	ask := func(i int) (err error) {
		if i == 0 && l.crowd != nil {
			c[i], err = l.crowd.counts(ctx, l.ends[i])
			return err
		}
		c[i], err = l.ends[i].counts(ctx)
		return err
	}
	return c, errors.Join(ask(0), ask(1))
}

// counts asks an end.
func (e *lineEnd) counts(ctx context.Context) (c endhost.AccessCounts, err error) {
	if e.service != nil {
		return e.kernelCounts(ctx)
	}
	err = e.agent.Ask(ctx, "counts", nil, &c)
	return c, err
}

// alive is nil while what keeps an end's session up does.
func (e *lineEnd) alive() error {
	if e.service != nil {
		return e.service.Alive()
	}
	return e.agent.Alive()
}

// alive is nil while the session is there, or none is to be.
func (l *accessLine) alive() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.ends[0].alive(), l.ends[1].alive())
}

// tell adds to a transfer's result what went through the session in each second of it, as
// nobody counts its frames. A result must not bear the name of an access that nothing went
// through.
func (l *accessLine) tell(r *weir.TrialResult, before, after lineCounts) error {
	if l == nil {
		return nil
	}
	sent := after[0].Sent - before[0].Sent + after[1].Sent - before[1].Sent
	if t := r.Transferred; t != nil && t.Failed == "" && sent == 0 && r.Trial.Transfer.Sessions == 0 {
		return fmt.Errorf("%s came to its end, and the PPPoE session carried nothing of it: does a route lead past it?", r.Trial.Transfer.Program)
	}
	seconds := r.Sending.Seconds()
	if seconds <= 0 { // it broke off before it began
		return nil
	}
	for i, e := range l.ends {
		was, is := before[i], after[i]
		took := (is.CPU - was.CPU).Seconds() / seconds
		r.Readings = append(r.Readings, weir.Reading{Source: "pppoe", Name: e.name + " CPU", Value: took, Unit: "CPUs"})
		if t := r.Transferred; t != nil && t.Failed == "" {
			t.Figures = append(t.Figures, weir.Figure{Name: "CPU of PPPoE at " + e.name, Value: took, Unit: "CPUs"})
		}
		if e.bare && l.crowd != nil {
			if err := l.crowd.tell(r, before, after); err != nil {
				return err
			}
		}
		for _, f := range is.Protocol.Faults(was.Protocol) {
			r.Readings = append(r.Readings, weir.Reading{Source: "pppoe", Name: e.name + " " + f.What, Value: float64(f.Count) / seconds, Unit: "/s"})
		}
		if e.bare {
			continue // what comes to its program is none of the trial's
		}
		r.Readings = append(r.Readings, perSecond(e.name, seconds, []happening{
			{"datagrams sent", is.Sent - was.Sent},
			{"datagrams received", is.Received - was.Received},
			{"datagrams that the port did not take", is.Unsent - was.Unsent},
			{"datagrams that the device did not take", is.Untaken - was.Untaken},
			{"frames that came faster than they were read", is.Missed - was.Missed},
		})...)
		if err := e.tellPast(r, was, is, seconds); err != nil {
			return err
		}
	}
	return nil
}

// happening is how often something has happened.
type happening struct {
	what string
	n    uint64
}

// perSecond are readings of what has happened at an end of a line.
func perSecond(end string, seconds float64, all []happening) (out []weir.Reading) {
	for _, c := range all {
		if c.n > 0 {
			out = append(out, weir.Reading{Source: "pppoe", Name: end + " " + c.what, Value: float64(c.n) / seconds, Unit: "/s"})
		}
	}
	return out
}

// observer samples the machine around a trial, with what the concentrator of an access line
// takes for what the DUT does where it is the DUT. What the programs at its ends take is
// none of others'.
func (l *netnsLab) observer(programs bool) campaign.Observer {
	observe := observer(l.bed, programs)
	return func(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
		line := l.line
		before, err := line.counts(ctx)
		if err != nil {
			return nil, err
		}
		done, err := observe(ctx)
		if err != nil || line == nil {
			return done, err
		}
		return func(sending time.Duration) (campaign.Observation, error) {
			seen, err := done(sending)
			if err != nil {
				return seen, err
			}
			after, err := line.counts(context.WithoutCancel(ctx))
			if !programs {
				seen.Host.Other = max(0, seen.Host.Other-after.cpu()+before.cpu())
			}
			if line.ends[1].dut {
				seen.DUTCPU += after[1].CPU - before[1].CPU
			}
			return seen, err
		}, nil
	}
}
