package method

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"weir"
	"weir/internal/losses"
	"weir/search"
)

// session is one run of a method: its trials so far, in order.
type session struct {
	env           Env
	params        Params
	trials        []weir.TrialResult
	trickles      []weir.TrialResult // likewise
	trickled      bool               // whether a trickle came back since the last trial of which anything did
	kneeDoes      bool               // whether a share of a sweep's knee does as well as one of the throughput
	found         *losses.Found      // a loss of every load; nil: none was found
	examinations  int                // for that, until now
	held          *held              // what the DUT holds; nil: no more than passes in a trial, as far as is known
	speeds        speeds             // of the DUT, or of its machine
	leastHold     *losses.Hold       // what an overload has shown that it holds, the least of several; nil: none has
	unproven      *losses.Hold       // what it may hold: an overload has shown it, and a second one has not; nil: there is nothing to prove
	looked        int                // times for that
	othersAtLeast string             // what goes before the rate of the frames that are not lost so
	reused        map[int]bool       // trials that a search has counted again after that
	reach         float64            // what the tester could send while the DUT works, frames/s per port; 0 until known
}

// begin is the session of the method that runs.
func begin(env Env, p Params) *session { return &session{env: env, params: p} }

// maximum performs one trial at the maximum offered load (RFC 2285 section
// 3.5.3): what the medium carries, or as much as the tester can where that is
// less or no medium has a limit.
func (s *session) maximum(ctx context.Context) (weir.TrialResult, error) {
	if medium := s.env.MediaRate; medium > 0 && (s.env.Ceiling == 0 || medium <= s.env.Ceiling) {
		return s.measure(ctx, weir.Trial{Intended: medium})
	}
	return s.measure(ctx, weir.Trial{Maximum: true})
}

// measure performs a trial of the method. It is an error, along with the trial, when
// the DUT turns out to forward nothing at all.
func (s *session) measure(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	t.Purpose = s.env.Method.Name
	r, err := s.perform(ctx, t)
	if err != nil {
		return r, err
	}
	s.trials = append(s.trials, r)
	return r, s.forwardsAtAll(ctx, r)
}

// perform completes a trial with what all of them have, and performs it.
func (s *session) perform(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	if t.Purpose != holding { // which says these itself
		t.Traffic, t.Waits = s.env.Traffic, s.env.Waits
	}
	t.Condition = s.env.Condition
	for _, arm := range s.env.Arms {
		t.Beside = append(t.Beside, arm.Condition)
	}
	if t.Duration == 0 && len(t.Windows) == 0 {
		t.Duration = s.params.Trial
	}
	r, err := s.env.Measure(ctx, t)
	if err != nil {
		return r, fmt.Errorf("trial %d: %w", len(s.trials)+1, err)
	}
	return r, nil
}

// observation is a trial as a search sees it.
func (s *session) observation(t weir.TrialResult) search.Observation {
	return search.Observation{
		Load: t.Trial.Intended, Loss: s.lossOf(t), Unsent: t.Unsent(),
		Forwarded: t.ForwardingRate() / s.ports(), Duration: t.Trial.Duration, Attempts: t.Attempts,
	}
}

// beyondTester is the warning of a search that the tester ended at a load in
// frames/s over all ports.
func beyondTester(load float64) weir.Warning {
	return weir.Warn(weir.SearchLimit, "the tester sent less than %.0f frames/s whenever it was asked for that, and all of it came back: the tester ends the search there, and the DUT may do more; give the tester more CPUs, or a quieter machine", load)
}

// repeat performs the parameters' number of trials, all alike. Along with the
// error the trials that there are can be used.
func (s *session) repeat(ctx context.Context, trial func(context.Context) (weir.TrialResult, error)) error {
	for range max(s.params.Trials, 1) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := trial(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ports is how many ports send.
func (s *session) ports() float64 { return float64(s.env.Traffic.Ports()) }

// result is what all methods say alike: how it was measured, and how much was
// spent, in earlier rounds too. The first and the last trial are those of this
// round alone: between rounds there are trials of others.
func (s *session) result(unit string) weir.Result {
	r := weir.Result{
		Method: s.env.Method.Name, Factors: maps.Clone(s.env.Factors), Unit: unit, MeanSize: s.env.Traffic.MeanSize(),
		TrialSeconds: s.params.Trial.Seconds(),
	}
	var spent time.Duration
	for i, t := range slices.Concat(s.trials, s.trickles) {
		attempts := max(t.Attempts, 1)
		if i == 0 {
			r.First = max(0, t.Trial.Number-attempts+1) // its attempts are numbered one after the other
		}
		r.Last = max(r.Last, t.Trial.Number)
		r.Trials += attempts
		spent += time.Duration(attempts) * t.Trial.Length()
		r.Simulated = r.Simulated || t.Simulated
	}
	for _, t := range s.env.Earlier { // each attempt is one of them
		r.Trials++
		spent += t.Trial.Length()
		r.Simulated = r.Simulated || t.Simulated
	}
	r.SearchTime = spent.Seconds()
	return r
}

// addWarnings adds the warnings of the trials that decided a result.
func addWarnings(r *weir.Result, trials ...weir.TrialResult) {
	for _, t := range trials {
		for _, w := range t.Warnings {
			r.Warnings = weir.AddWarning(r.Warnings, w)
		}
	}
}

// leastSampled is how long frames are sent at least for the DUT's CPU time to
// be that of forwarding them.
const leastSampled = 100 * time.Millisecond

// represent fills in what a result takes from one trial: the ledger, the
// latency and the DUT's CPU time at its load.
func (s *session) represent(r *weir.Result, t weir.TrialResult) {
	r.Ledger = t.Ledger
	r.Latency, r.RoundTrip = t.Latency.Summary(), t.RoundTrip.Summary()
	sending := t.Sending
	if sending <= 0 {
		sending = t.Trial.Duration
	}
	// The CPU time is sampled around the trial: for a burst of an instant that
	// says nothing.
	if t.Host.Over > 0 && t.Trial.Count > 0 && sending < leastSampled {
		return
	}
	r.CPUPerFrame = t.CPUPerFrame()
	if s.env.DUTCPUs > 0 && sending > 0 {
		// It is sampled around the sending, and so may hold more time than that has.
		r.CPUShare = min(1, t.DUTCPU.Seconds()/(sending.Seconds()*float64(s.env.DUTCPUs)))
	}
}

// median is the middle one of the trials by a figure, the lower of the two
// middle ones of an even number: a trial that took place, so that the result
// and its ledger are of one piece. There has to be a trial.
func median(trials []weir.TrialResult, figure func(weir.TrialResult) float64) weir.TrialResult {
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b weir.TrialResult) int {
		return cmp.Compare(figure(a), figure(b))
	})
	return sorted[(len(sorted)-1)/2]
}

// single is the run of a method that has one result.
func single(run func(context.Context, Env, Params) (weir.Result, error)) func(context.Context, Env, Params) ([]weir.Result, error) {
	return func(ctx context.Context, env Env, p Params) ([]weir.Result, error) {
		r, err := run(ctx, env, p)
		return []weir.Result{r}, err
	}
}
