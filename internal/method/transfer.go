package method

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
)

// A transfer is a method in whose trials programs of end hosts talk: its value
// is the rate of the payload that arrived. What is compared is the median of its
// trials; a peak is never the rate.
//
// A program that is not installed leaves the result without a value and says why
// (Result.Unmeasured): the rest of a campaign goes on, and is complete. One that
// broke off is a failure, too (BrokenOffError).

// tcpStream measures how fast TCP goes from one end host to the other.
var tcpStream = Method{
	Name:     "tcp",
	Summary:  "goodput of TCP between two end hosts, by weir's own program",
	Defaults: Params{Trial: 10 * time.Second, WarmUp: time.Second, Streams: 1, Trials: 1},
	Quick:    Params{Trial: 2 * time.Second, WarmUp: 200 * time.Millisecond, Trials: 1},

	Application: true,
	Run:         single(runTransfer("tcp")),
}

// udpStream measures how much of what UDP sends arrives.
var udpStream = Method{
	Name:     "udp",
	Summary:  "goodput and loss of UDP between two end hosts, by weir's own program",
	Defaults: Params{Trial: 10 * time.Second, WarmUp: time.Second, Streams: 1, Trials: 1},
	Quick:    Params{Trial: 2 * time.Second, WarmUp: 200 * time.Millisecond, Trials: 1},

	Application: true,
	Run:         single(runTransfer("udp")),
}

// BrokenOffError says that a transfer ended before it was complete, or did not
// begin. Its result is there, without a value.
type BrokenOffError struct{ Cause string }

func (e *BrokenOffError) Error() string { return e.Cause }

// runTransfer is the run of a transfer by a program.
func runTransfer(program string) func(context.Context, Env, Params) (weir.Result, error) {
	return func(ctx context.Context, env Env, p Params) (weir.Result, error) {
		s := &session{method: program, env: env, params: p}
		err := s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) { return s.transfer(ctx, program) })
		return s.transferred(err)
	}
}

// transfer performs one trial of a program.
func (s *session) transfer(ctx context.Context, program string) (weir.TrialResult, error) {
	p := s.params
	r, err := s.perform(ctx, weir.Trial{Purpose: s.method, Maximum: true, Duration: p.Trial, Transfer: &weir.Transfer{
		Program: program, Test: p.Test, Streams: p.Streams, WarmUp: p.WarmUp, Rate: p.Rate, Payload: p.Payload,
		Files: p.Files, FileSize: p.FileSize, Storage: p.Storage, Seed: s.env.Traffic.Seed,
	}})
	if err != nil {
		return r, err
	}
	s.trials = append(s.trials, r)
	if r.Transferred == nil {
		return r, errors.New("this testbed has no end hosts; take the lab in network namespaces (testbed: netns)")
	}
	if r.Transferred.Failed != "" {
		return r, &BrokenOffError{fmt.Sprintf("%s broke off: %s", program, r.Transferred.Failed)}
	}
	return r, nil
}

// transferred is the result of the trials of a transfer, which err ended.
func (s *session) transferred(err error) (weir.Result, error) {
	r := s.result("bit/s")
	var missing *weir.UnsupportedError
	if errors.As(err, &missing) {
		r.Unmeasured = missing.Error()
		return r, nil
	}
	var broken *BrokenOffError
	if errors.As(err, &broken) {
		r.Unmeasured = broken.Cause
		return r, err
	}
	if len(s.trials) == 0 || err != nil {
		return r, err
	}
	goodput := func(t weir.TrialResult) float64 { return t.Transferred.Goodput() }
	t := median(s.trials, goodput)
	r.Value = goodput(t)
	r.Lower, r.Upper = bounds(s.trials, goodput)
	r.Transfer, r.Rates, r.Server = t.Trial.Transfer, t.Transferred.Rates, t.Transferred.Server
	s.represent(&r, t)
	doubt(&r, s.trials...)
	return r, nil
}
