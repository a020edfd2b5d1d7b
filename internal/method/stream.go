package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/claim"
)

// A stream is what the methods for delays have in common: trials at a share of
// the throughput, of which each gives figures of its own.

// streamAt performs the parameters' number of trials at their share of the
// throughput, each as asked for by t, and returns those that timed frames. It
// is an error when there is none. Along with the error the trials that there are can
// be used.
func (s *session) streamAt(ctx context.Context, t weir.Trial, timed func(weir.TrialResult) bool) ([]weir.TrialResult, error) {
	rate, err := s.rateWithoutLoss()
	if err != nil {
		return nil, err
	}
	t.Intended, t.Timed = s.params.Load*rate/s.ports(), true
	err = s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) { return s.measure(ctx, t) })
	measured := slices.DeleteFunc(slices.Clone(s.trials), func(r weir.TrialResult) bool { return !timed(r) })
	nothing := !slices.ContainsFunc(s.trials, func(r weir.TrialResult) bool { return r.Received > 0 })
	switch {
	case len(measured) > 0 || err != nil:
	case nothing:
		err = fmt.Errorf("no frame came back at %.0f frames/s, %.4g %% of the throughput, though the DUT forwards %.0f: that throughput does not hold; find it with longer or more trials",
			t.Intended*s.ports(), 100*s.params.Load, trickleRate)
	default:
		err = errors.New("this tester does not time frames in this way; use the XDP or the simulated one, with both ends at one machine")
	}
	return measured, err
}

// timed reports whether a trial has latencies.
func timed(r weir.TrialResult) bool { return r.Latency.N > 0 }

// delays is the result of trials of which the median by a figure is the value:
// that trial is the one that is shown.
func (s *session) delays(trials []weir.TrialResult, figure func(weir.TrialResult) float64) weir.Result {
	r := s.result("s")
	if len(trials) == 0 {
		return r
	}
	t := median(trials, figure)
	r.Value = figure(t)
	r.Lower, r.Upper = r.Value, r.Value
	r.LossRatio = t.DUTLoss()
	s.represent(&r, t)
	addWarnings(&r, s.trials...)
	s.lossy(&r)
	return r
}

// lossy warns where frames were lost at a load that the throughput's trials
// sustained. Nothing is done there that would explain it.
func (s *session) lossy(r *weir.Result) {
	var offered, lost uint64
	for _, t := range s.trials {
		if t.Trial.Event == nil && t.Trial.Then == nil && t.DUTLoss() > 0 {
			offered, lost = offered+t.Offered, lost+t.Offered-t.Received
		}
	}
	if lost > 0 && s.params.Load <= 1 {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.NoisyResult, "of %d frames %d were lost at %.4g %% of the throughput, of which the trials lost none: these delays are those of the others; find the throughput with longer or more trials", offered, lost, 100*s.params.Load))
	}
}

// spread are the 1st and the 99th percentile of the trials' figures (RFC 8219
// section 7.3.1), and how many of them there are.
func spread(name string, trials []weir.TrialResult, figure func(weir.TrialResult) float64) []weir.Figure {
	values := each(trials, figure)
	return []weir.Figure{
		{Name: name + ", 1st percentile of the trials", Value: percentile(values, .01), Unit: "s"},
		{Name: name + ", 99th percentile of the trials", Value: percentile(values, .99), Unit: "s"},
	}
}

// each is a figure of every trial.
func each(trials []weir.TrialResult, figure func(weir.TrialResult) float64) []float64 {
	out := make([]float64, len(trials))
	for i, t := range trials {
		out[i] = figure(t)
	}
	return out
}

// percentile is the least of the values that a share q of them does not
// exceed; 0 of none.
func percentile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(q*float64(len(sorted)) + 0.999999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// deviation is the standard deviation of the values as a sample; 0 of less than
// two.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := mean(values), 0.
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

// taggedSeconds are the latencies of the tagged frames of a trial, in seconds.
func taggedSeconds(r weir.TrialResult) []float64 {
	out := make([]float64, len(r.Tagged))
	for i, d := range r.Tagged {
		out[i] = d.Seconds()
	}
	return out
}

// lastThroughput is the last throughput of the past, for what is measured at a
// share of it: one whose search ended with the fastest rate without loss, or
// else any with a loss of 0.
func lastThroughput(past []weir.Result) (last weir.Result, found bool) {
	fit := false
	for _, r := range past {
		if r.Method != throughputName || r.LossRatio != 0 {
			continue
		}
		if is := claim.Unfit(r) == ""; is || !fit {
			last, found, fit = r, true, is
		}
	}
	return last, found
}

// knownThroughput is that in frames/s over all ports.
func knownThroughput(method string, past []weir.Result) (float64, error) {
	t, found := lastThroughput(past)
	rate := t.Value
	switch {
	case !found:
		return 0, fmt.Errorf("%s is measured at a share of the throughput, which is not known: put throughput with loss 0 before it in the plan", method)
	case rate <= 0 && t.Verdict == claim.NotEnded:
		return 0, fmt.Errorf("%s is measured at a share of the throughput, which is not known: its search was cut short before it found a load without loss; give it more time (within)", method)
	case rate <= 0:
		return 0, fmt.Errorf("%s is measured at a share of the throughput, but no load was forwarded without loss", method)
	}
	return rate, nil
}

// rateWithoutLoss is the throughput in frames/s over all ports, or where the
// method makes do with that and there is no throughput, the knee of the last
// sweep at no loss.
func (s *session) rateWithoutLoss() (float64, error) {
	rate, err := knownThroughput(s.env.Method.Name, s.env.Past)
	if err == nil || !s.kneeDoes {
		return rate, err
	}
	for i := len(s.env.Past) - 1; i >= 0; i-- {
		if r := s.env.Past[i]; r.Method == sweepName && r.Sweep != nil && r.KneeZero.Value > 0 {
			return r.KneeZero.Value, nil
		}
	}
	return 0, fmt.Errorf("%s is measured at a share of what is forwarded without loss, which is not known: put throughput with loss 0 before it in the plan, or sweep, and see why that found none", s.env.Method.Name)
}
