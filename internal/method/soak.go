package method

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// soak measures the loss over a long time at a share of the throughput, and
// marks each span of it in which frames were lost: what a DUT does once in an
// hour is in no trial of a second. It is one long trial, or Trials of them one
// after the other, of which each is on record when it ends; what happens
// between two is not seen. Interval is the least time that is distinguished.
//
// The value is the share of the frames sent that were lost, the mean of the
// trials; what the tester should have sent and did not is a figure of its own.
// The verdict says how
// many spans of loss there were. The ledger, the latency and the CPU time are
// those of the trial that lost most; the timelines are those of the trials.
var soak = Method{
	Name:     "soak",
	Summary:  "loss over a long time at a share of the throughput, and when it came",
	Check:    claim.CheckSoak,
	Earns:    [][]string{{"short soak", "soak"}},
	Means:    "frames lost",
	Takes:    []string{"trial", "load", "interval"},
	Defaults: soakDefaults,
	Quick:    Params{Trial: 5 * time.Second, Trials: 1, Soak: Soak{Interval: 100 * time.Millisecond}},
	Book:     Params{Trial: time.Hour, Trials: 24},
	Needs:    []string{throughputName},
	Measure:  single(runSoak),
}

var soakDefaults = Params{Trial: time.Minute, Trials: 1, Load: .9, Soak: Soak{Interval: time.Second}}

// Soak are the parameters of a soak.
type Soak struct {
	Interval time.Duration // the time of one point of its curve
}

// or is s with the zero fields filled in from d.
func (s Soak) or(d Soak) Soak {
	fill(&s.Interval, d.Interval)
	return s
}

// quicker is s cut down to what q allows.
func (s Soak) quicker(q Soak) Soak {
	shorten(&s.Interval, q.Interval)
	return s
}

// clean is the verdict on a soak without loss.
const clean = "clean"

func runSoak(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	throughput, err := knownThroughput(s.env.Method.Name, env.Past)
	if err != nil {
		return s.result(""), err
	}
	load, _ := s.offerable(s.params.Load * throughput / s.ports())
	trials, err := s.timelines(ctx, weir.Trial{Intended: load, Resolution: s.params.Soak.Interval})
	r := s.result("")
	if len(trials) == 0 {
		return r, err
	}
	r.Value = mean(each(trials, weir.TrialResult.DUTLoss))
	r.Lower, r.Upper = bounds(trials, weir.TrialResult.DUTLoss)
	r.LossRatio = r.Value
	r.Figures = []weir.Figure{
		{Name: claim.Load, Value: load * s.ports(), Unit: "frames/s"},
		{Name: "resolution", Value: trials[0].Timeline.Resolution.Seconds(), Unit: "s"},
	}
	l := lossesOf(trials)
	r.Figures = append(r.Figures, l.figures()...)
	if unsent := unsentBy(trials); unsent > 0 {
		r.Figures = append(r.Figures, weir.Figure{Name: "frames not sent", Value: unsent, Unit: "frames"})
	}
	r.Verdict = l.verdict()
	worst := trials[0]
	for _, t := range trials {
		if t.DUTLoss() > worst.DUTLoss() {
			worst = t
		}
	}
	s.represent(&r, worst)
	addWarnings(&r, trials...)
	s.claim(&r)
	return r, err
}

// unsentBy is how many frames trials should have sent and did not, of those that
// fell short.
func unsentBy(trials []weir.TrialResult) (sum float64) {
	for _, t := range trials {
		if t.Short() {
			sum += float64(t.Trial.Frames()) - float64(t.Offered)
		}
	}
	return sum
}

// lossSpans are the spans of loss of trials that follow one another.
type lossSpans struct {
	frames  float64
	spans   int
	longest time.Duration
	most    uint64        // frames in one of them
	first   time.Duration // sending time before the first of them
	last    time.Duration // sending time until the last lost frame
}

func lossesOf(trials []weir.TrialResult) (l lossSpans) {
	begin := time.Duration(0) // of the trial, in sending time
	for _, t := range trials {
		l.frames += float64(t.Offered) - float64(t.Received)
		for _, e := range t.Timeline.Episodes {
			if l.spans == 0 {
				l.first = begin + e.From
			}
			l.spans++
			l.longest, l.most = max(l.longest, e.Until-e.From), max(l.most, e.Lost)
		}
		l.spans += t.Timeline.More
		if t.Timeline.LastLoss > 0 {
			l.last = begin + t.Timeline.LastLoss
		}
		begin += t.Trial.Length()
	}
	return l
}

func (l lossSpans) verdict() string {
	switch l.spans {
	case 0:
		return clean
	case 1:
		return "1 event"
	}
	return fmt.Sprintf("%d events", l.spans)
}

func (l lossSpans) figures() []weir.Figure {
	out := []weir.Figure{
		{Name: "frames lost", Value: l.frames, Unit: "frames"},
		{Name: "spans of loss", Value: float64(l.spans)},
	}
	if l.spans > 0 {
		out = append(out,
			weir.Figure{Name: "longest span of loss", Value: l.longest.Seconds(), Unit: "s"},
			weir.Figure{Name: "most frames lost in one", Value: float64(l.most), Unit: "frames"},
			weir.Figure{Name: "first loss", Value: l.first.Seconds(), Unit: "s"},
			weir.Figure{Name: "last loss", Value: l.last.Seconds(), Unit: "s"},
		)
	}
	return out
}
