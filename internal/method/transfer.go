package method

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
)

// A transfer is a method in whose trials programs of end hosts talk: its value
// is the rate of the payload that arrived, or what else its measure says. What is
// compared is the median of its trials; a peak is never the rate.
//
// A program that is not installed leaves the result without a value and says why
// (Result.Unmeasured): the rest of a campaign goes on, and is complete. One that
// did not start or broke off is a failure, too (BrokenOffError).
type transfer struct {
	program string // of the end hosts
	measure func(Params) measure
}

// measure is what the value of a transfer is.
type measure struct {
	unit string
	of   func(weir.Transferred) float64
	// lacks says what a transfer without an error lacks for a value; "": nothing.
	lacks func(weir.Transferred) string
	// own returns figures that only this measure has; nil: none.
	own func(weir.Transferred) []weir.Figure
}

// goodput is the payload that arrived in a second. Datagrams that were sent and
// did not arrive are a result, too.
func goodput(Params) measure {
	return measure{unit: "bit/s", of: weir.Transferred.Goodput, lacks: func(t weir.Transferred) string {
		if t.Goodput() > 0 || counted(t, weir.DatagramsSent) > 0 {
			return ""
		}
		return "nothing arrived"
	}}
}

// perSecond is what was completed in a second, in a unit.
func perSecond(unit string) measure {
	return measure{unit: unit, of: weir.Transferred.PerSecond, lacks: func(t weir.Transferred) string {
		if t.PerSecond() > 0 {
			return ""
		}
		return "nothing was completed"
	}}
}

// TransferError is an error of the programs of a transfer. What else goes wrong
// in a trial is no matter of theirs, and ends a method as in any other one.
type TransferError struct{ Err error }

func (e *TransferError) Error() string { return e.Err.Error() }

func (e *TransferError) Unwrap() error { return e.Err }

// BrokenOffError says that a transfer ended before it was complete, or did not
// begin. Its result is there, without a value.
type BrokenOffError struct {
	Cause    string
	BrokeOff string // the message of its program; "": it came to its end, or never began
}

func (e *BrokenOffError) Error() string { return e.Cause }

// run performs the trials of a transfer.
func (x transfer) run(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	asked, m := s.asked(x.program), x.measure(s.params)
	err := s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) { return s.transfer(ctx, asked, m) })
	return s.transferred(ctx, asked, m, err)
}

// transfer performs one trial in which programs of end hosts talk, of the length
// that the parameters or the files give it.
func (s *session) transfer(ctx context.Context, asked weir.Transfer, m measure) (weir.TrialResult, error) {
	if asked.Files > 0 {
		return s.transferFor(ctx, s.lasts(asked), asked, m)
	}
	return s.transferFor(ctx, s.params.Trial, asked, m)
}

// transferFor performs a trial of a length. Its error is a *BrokenOffError when
// the transfer was not complete.
func (s *session) transferFor(ctx context.Context, duration time.Duration, asked weir.Transfer, m measure) (weir.TrialResult, error) {
	r, err := s.perform(ctx, weir.Trial{Purpose: s.env.Method.Name, Maximum: true, Duration: duration, Transfer: &asked})
	if err != nil {
		return r, ended(ctx, err)
	}
	if r.Transferred == nil {
		return r, &NotApplicableError{s.env.Method.Name, "this testbed has no end hosts; take the lab in network namespaces (testbed: netns)"}
	}
	s.trials = append(s.trials, r)
	if why := r.Transferred.Failed; why != "" {
		return r, &BrokenOffError{asked.Program + " broke off: " + why, why}
	}
	if why := m.lacks(*r.Transferred); why != "" {
		return r, &BrokenOffError{Cause: fmt.Sprintf("%s came to its end, but %s", asked.Program, why)}
	}
	return r, nil
}

// ended sorts the error of a trial: a message of a program is a transfer
// that did not begin, unless it was stopped or is not there.
func ended(ctx context.Context, err error) error {
	var own *TransferError
	var missing *weir.UnsupportedError
	switch {
	case !errors.As(err, &own):
		return err
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	case errors.As(own.Err, &missing):
		return &missingError{missing}
	}
	return &BrokenOffError{Cause: own.Error()}
}

// missingError says that a program is not installed.
type missingError struct{ what *weir.UnsupportedError }

func (e *missingError) Error() string { return e.what.Error() }

func (e *missingError) Unwrap() error { return e.what }

// transferred is the result of the trials of a transfer, which err ended.
func (s *session) transferred(ctx context.Context, asked weir.Transfer, m measure, err error) (weir.Result, error) {
	r := s.result(m.unit)
	r.Transfer, r.Server = &asked, s.env.Traffic.Server
	if err := s.unmeasured(ctx, &r, err); r.Unmeasured != "" {
		return r, err
	}
	trials := complete(s.trials)
	if len(trials) == 0 {
		return r, err
	}
	s.fill(&r, trials, m)
	r.Claim = s.env.Method.claim(r, s.trials)
	return r, err
}

// unmeasured says in a result why it has no value, where programs are the reason
// for it, and returns what is left of the error.
func (s *session) unmeasured(ctx context.Context, r *weir.Result, err error) error {
	var missing *missingError
	var broken *BrokenOffError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &missing):
		r.Unmeasured, err = missing.Error(), nil
	case errors.As(err, &broken):
		r.Unmeasured, r.BrokeOff = broken.Cause, broken.BrokeOff
	default:
		return err
	}
	if n := len(s.trials); n > 0 {
		last := s.trials[n-1]
		if last.Trial.Transfer.Program == r.Transfer.Program {
			r.Rates = countedSeconds(last)
		}
		if last.Transferred.Server != "" {
			r.Server = last.Transferred.Server
		}
		addWarnings(r, s.trials...)
	}
	r.Claim = s.env.Method.claim(*r, s.trials)
	return err
}

// complete are the trials whose transfer came to its end.
func complete(trials []weir.TrialResult) []weir.TrialResult {
	return slices.DeleteFunc(slices.Clone(trials), func(t weir.TrialResult) bool { return t.Transferred.Failed != "" })
}

// fill fills in a result from trials, of which there is at least one and all are
// complete. It returns the one that is shown: the median by a measure.
func (s *session) fill(r *weir.Result, trials []weir.TrialResult, m measure) weir.TrialResult {
	value := func(t weir.TrialResult) float64 { return m.of(*t.Transferred) }
	t := median(trials, value)
	r.Value = value(t)
	r.Lower, r.Upper = bounds(trials, value)
	r.Rates, r.Server = countedSeconds(t), t.Transferred.Server
	r.LossRatio = lossOf(t)
	s.represent(r, t)
	if r.Unit == "s" {
		r.Latency = t.Transferred.RTT.Summary()
	}
	if r.Transfer.Files > 0 {
		r.TrialSeconds, r.SearchTime = t.Transferred.Took.Seconds(), 0
		for _, t := range s.trials {
			r.SearchTime += t.Transferred.Took.Seconds()
		}
	}
	if m.own != nil {
		r.Figures = append(r.Figures, m.own(*t.Transferred)...)
	}
	r.Figures = append(r.Figures, otherFigures(t, r.Figures)...)
	addWarnings(r, trials...)
	warnOfTransfer(r, t, trials)
	return t
}

// lossOf is the share of the datagrams of a trial that were lost on the way; 0
// of one that sent none. What the socket of the receiving host dropped was not.
func lossOf(t weir.TrialResult) float64 {
	sent := counted(*t.Transferred, weir.DatagramsSent)
	if sent == 0 {
		if !claim.Datagrams(t.Trial.Transfer.Test) && !claim.Datagrams(t.Trial.Transfer.Program) {
			return 0
		}
		return max(0, t.DUTLoss())
	}
	arrived := counted(*t.Transferred, weir.DatagramsReceived) + counted(*t.Transferred, weir.DatagramsDropped)
	return max(0, (sent-arrived)/sent)
}

// counted is a figure that a program found; 0 when it did not.
func counted(t weir.Transferred, name string) float64 {
	for _, f := range t.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return 0
}
