package method

import (
	"context"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// latency measures the one-way latency of a stream at a share of the
// throughput, which a throughput method has to have found before.
//
// Without tags the value is the median of the latencies of all frames, and of
// several trials the one with the median value is the result; the default load
// is half of the throughput, where queues are short and the path is what is
// measured. With one tag (RFC 2544 section 26.2) one frame of each trial
// counts, the first one sent after Settled, and the value is the average of
// these; by the book the load is the throughput itself. All percentiles of all
// frames are in the result either way. The loss ratio is that of its stream.
//
// Where the tester has no common clock for both ends there is no such value, and the
// result has the round trips in its place.
//
// The time is from before a frame is handed to the tester's port until its
// receiver sees it, which comes closest to the definition of RFC 1242 section
// 3.8 for store and forward devices.
var latency = Method{
	Name:     "latency",
	RFC:      "RFC 2544 section 26.2",
	Summary:  "one-way latency at a share of the throughput: of every frame, or of one tagged frame in each trial",
	Kind:     Delay,
	Check:    claim.CheckLatency,
	Earns:    [][]string{{"latency, short stream", "latency", "RFC 2544 latency"}, {"latency", "RFC 5180 latency"}},
	Takes:    []string{"trial", "load", "tags", "settled"},
	Defaults: latencyDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1, Phases: Phases{Settled: 100 * time.Millisecond}},
	Book:     Params{Trial: fullStream, Trials: fullRepeats, Load: 1, Phases: Phases{Tags: 1, Settled: tagAfter}},
	Needs:    []string{throughputName},
	Measure:  single(runLatency),
}

var latencyDefaults = Params{Trial: time.Second, Trials: 1, Load: 0.5}

func runLatency(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	tags := weir.Tags{After: s.params.Phases.Settled, Count: s.params.Phases.Tags}
	trials, err := s.streamAt(ctx, weir.Trial{Tags: tags}, timedAnyhow)
	if slices.ContainsFunc(trials, func(t weir.TrialResult) bool { return !timed(t) }) {
		return s.roundTrips(trials), err
	}
	r := s.delays(trials, medianLatency)
	if tags.Count > 0 {
		var tagged []float64
		for _, t := range trials {
			tagged = append(tagged, taggedSeconds(t)...)
		}
		if len(tagged) > 0 {
			r.Value = mean(tagged)
			r.Lower, r.Upper = percentile(tagged, 0), percentile(tagged, 1)
		}
		r.Figures = append(r.Figures, weir.Figure{Name: claim.TaggedFrames, Value: float64(len(tagged)), Unit: "frames"},
			weir.Figure{Name: "median of all frames", Value: stats.Median(each(trials, medianLatency)), Unit: "s"})
	}
	if len(trials) > 0 {
		s.claim(&r)
	}
	return r, err
}

func medianLatency(t weir.TrialResult) float64 { return t.Latency.Quantile(.5) }

// timedAnyhow reports whether a trial has latencies, or round trips.
func timedAnyhow(r weir.TrialResult) bool { return timed(r) || r.RoundTrip.N > 0 }

// roundTrips is the result of trials that have no latencies, or not all of them: it has no
// value, which would be a latency.
func (s *session) roundTrips(trials []weir.TrialResult) weir.Result {
	trials = slices.DeleteFunc(slices.Clone(trials), func(t weir.TrialResult) bool { return t.RoundTrip.N == 0 })
	r := s.delays(trials, func(t weir.TrialResult) float64 { return t.RoundTrip.Quantile(.5) })
	r.Value, r.Lower, r.Upper, r.Latency = 0, 0, 0, nil
	r.Unmeasured = "the clocks of sender and receiver were not proven to agree: round trips were measured in its place"
	s.claim(&r)
	return r
}
