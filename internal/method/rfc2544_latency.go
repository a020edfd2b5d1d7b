package method

import (
	"context"
	"errors"
	"time"

	"weir"
)

// latency measures the one-way latency of every frame of a stream at a share
// of the throughput, which a throughput method has to have found before. The
// value is the median of the frames' latencies; all percentiles are in the
// result. Of several trials the one with the median value is the result. The
// loss ratio is that of its stream.
//
// RFC 2544 section 26.2 asks for the latency of one tagged frame, at the
// throughput rate; here each frame is tagged and the default load is half of
// the throughput, where queues are short and the path is what is measured. The
// time is from before a frame is handed to the tester's port until its
// receiver sees it, which comes closest to the definition of RFC 1242 section
// 3.8 for store and forward devices.
var latency = Method{
	Name:     "latency",
	RFC:      "RFC 2544 section 26.2",
	Summary:  "one-way latency of every frame at a share of the throughput",
	Defaults: latencyDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1},
	Needs:    []string{throughputName},
	Run:      single(runLatency),
}

var latencyDefaults = Params{Trial: time.Second, Trials: 1, Load: 0.5}

func runLatency(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := &session{method: "latency", env: env, params: p.or(latencyDefaults)}
	rate, err := knownThroughput(env.Past)
	if err != nil {
		return weir.Result{}, err
	}
	load := s.params.Load * rate / s.ports()
	err = s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) {
		t, err := s.trial(ctx, load)
		if err == nil && t.Received == 0 {
			err = nothingForwarded(t)
		}
		return t, err
	})
	r := s.result("s")
	measured := make([]weir.TrialResult, 0, len(s.trials))
	for _, t := range s.trials {
		if t.Latency.N > 0 {
			measured = append(measured, t)
		}
	}
	if len(measured) == 0 {
		if err == nil {
			err = errors.New("this tester does not time frames; use the XDP or the simulated one")
		}
		return r, err
	}
	t := median(measured, medianLatency)
	r.Value = medianLatency(t)
	r.Lower, r.Upper = r.Value, r.Value
	r.LossRatio = t.LossRatio()
	r.Claim = claimLatency(s.params, env, len(measured))
	s.represent(&r, t)
	doubt(&r, s.trials...)
	return r, err
}

func medianLatency(t weir.TrialResult) float64 { return t.Latency.Quantile(.5) }

// knownThroughput is the last throughput of the past, in frames/s over all
// ports.
func knownThroughput(past []weir.Result) (float64, error) {
	rate, found := 0., false
	for _, r := range past {
		if r.Method == throughputName && r.LossRatio == 0 {
			rate, found = r.Value, true
		}
	}
	switch {
	case !found:
		return 0, errors.New("latency is measured at a share of the throughput, which is not known: put throughput with loss 0 before latency in the plan")
	case rate <= 0:
		return 0, errors.New("latency is measured at a share of the throughput, but no load was forwarded without loss")
	}
	return rate, nil
}
