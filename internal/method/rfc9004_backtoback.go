package method

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// buffer measures the longest burst without loss, and from it how much the DUT
// can hold (RFC 9004): a burst is longer than the buffer by the frames that
// were forwarded while it came in. The value is the length of the burst, as of
// back-to-back. Its other figures are the buffer in seconds' worth of frames, as
// implied by the burst and as corrected by the throughput, and the corrected
// one in frames.
//
// The procedure applies where the throughput is below the rate of the bursts.
// Where that is not so, or not even the longest burst that is tried (Trial)
// loses a frame, there is no result but an error.
//
// The rate is that of the medium. Where the medium has none, or the tester
// cannot send it, it is the one that was seen, which is a figure.
var buffer = Method{
	Name:     "rfc9004-back-to-back",
	RFC:      "RFC 9004 section 6",
	Summary:  "longest burst that loses nothing, and the size of the buffer behind it",
	Check:    claim.CheckBackToBack9004,
	Earns:    [][]string{{"back-to-back", "RFC 9004 back-to-back"}},
	Means:    "longest burst without loss",
	Takes:    []string{"trial", "width", "maximum"},
	Defaults: backToBackDefaults,
	Quick:    backToBack.Quick,
	Book:     backToBack.Book,
	Needs:    []string{throughputName},
	Measure:  single(runBuffer),
}

// depletion is the least time for the DUT to empty its buffer after a burst
// (RFC 9004 section 6.2).
const depletion = 2 * time.Second

func runBuffer(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	s.env.Waits.Residual = max(s.env.Waits.Residual, depletion, s.params.Trial)
	throughput, err := knownThroughput(s.env.Method.Name, env.Past)
	if err != nil {
		return s.result("frames"), err
	}
	if medium := env.MediaRate * s.ports(); medium > 0 && throughput >= medium {
		return s.result("frames"), &NotApplicableError{s.env.Method.Name, fmt.Sprintf("the throughput is all that the medium carries with frames of this size, %.0f frames/s, and no buffer ever fills", medium)}
	}
	b, err := s.bursts(ctx)
	r := b.result()
	if errors.Is(err, errAnyLoad) {
		s.withFinding(&r)
		return r, ctx.Err()
	}
	if len(s.trials) == 0 {
		return r, err
	}
	if len(b.longest) > 0 {
		if b.lossless == len(b.longest) && err == nil {
			err = &NotApplicableError{s.env.Method.Name, fmt.Sprintf("a burst of %d frames at %.0f frames/s, the longest that was tried, lost nothing; where the DUT cannot forward at that rate for long, give a longer burst (trial)",
				b.tried().Offered, b.tried().OfferedRate())}
		}
		r.Figures = append(r.Figures, weir.Figure{Name: claim.Throughput, Value: throughput, Unit: "frames/s"})
		r.Figures = append(r.Figures, buffers(r.Value, b.linkRate(), throughput)...)
		b.slower(&r, throughput)
	}
	s.claim(&r)
	return r, err
}

// slowed is how much of its throughput a DUT forwards at least while a burst comes
// in, for the calculations to hold.
const slowed = .95

// slower warns where the DUT forwarded less than its throughput while bursts came
// in, as one does that takes frames before it forwards them (livelock): RFC 9004
// section 6.4 reckons with the throughput. What more frames of a longer burst came
// back, of two that lost some, were forwarded meanwhile.
func (b *bursting) slower(r *weir.Result, throughput float64) {
	var short, long *weir.TrialResult
	for i := range b.trials {
		t := &b.trials[i]
		if t.LossRatio() <= 0 || t.Sending <= 0 {
			continue
		}
		if short == nil || t.Offered < short.Offered {
			short = t
		}
		if long == nil || t.Offered > long.Offered {
			long = t
		}
	}
	if short == nil || float64(long.Offered) < 1.5*float64(short.Offered) || long.Received < short.Received {
		return // too close to distinguish
	}
	rate := float64(long.Received-short.Received) / (long.Sending - short.Sending).Seconds()
	if rate >= slowed*throughput {
		return
	}
	holds := r.Value * (1 - rate/b.linkRate())
	r.Figures = append(r.Figures, weir.Figure{Name: "forwarding rate under bursts", Value: rate, Unit: "frames/s"},
		weir.Figure{Name: "buffer by that rate", Value: holds, Unit: "frames"})
	r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.FormulaDoesNotHold, "while bursts came in the DUT forwarded about %.0f frames/s, and not its throughput of %.0f, with which RFC 9004 section 6.4 reckons: the buffer holds about %.0f frames, more than the corrected buffer says",
		rate, throughput, holds))
}

// linkRate is the rate that the buffer is computed with, in frames/s over all
// ports: that of the medium, or that of the bursts that were found.
func (b *bursting) linkRate() float64 {
	if rate, by := b.limit(); by == limitMedium {
		return rate * b.ports()
	}
	return b.rate()
}

// buffers are the calculations of RFC 9004 section 6.4, of a burst in frames
// and rates in frames/s.
func buffers(burst, rate, throughput float64) []weir.Figure {
	implied := burst / rate
	corrected := max(0, implied-implied*throughput/rate)
	return []weir.Figure{
		{Name: "implied buffer time", Value: implied, Unit: "s"},
		{Name: claim.CorrectedBuffer, Value: corrected, Unit: "s"},
		{Name: "corrected buffer", Value: corrected * rate, Unit: "frames"},
	}
}
