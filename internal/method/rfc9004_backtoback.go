package method

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// buffer measures the longest burst without loss, and from it how much the DUT
// can hold (RFC 9004): a burst is longer than the buffer by the frames that
// were forwarded while it came in. The value is the length of the burst, as of
// back-to-back. Beside it are the buffer in seconds' worth of frames, as
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
	Defaults: backToBackDefaults,
	Quick:    backToBack.Quick,
	Book:     backToBack.Book,
	Needs:    []string{throughputName},
	Run:      single(runBuffer),
}

// depletion is the least time for the DUT to empty its buffer after a burst
// (RFC 9004 section 6.2).
const depletion = 2 * time.Second

func runBuffer(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := &session{method: "rfc9004-back-to-back", env: env, params: p.or(backToBackDefaults)}
	s.env.Waits.Residual = max(s.env.Waits.Residual, depletion, s.params.Trial)
	throughput, err := knownThroughput(s.method, env.Past)
	if err != nil {
		return s.result("frames"), err
	}
	if medium := env.MediaRate * s.ports(); medium > 0 && throughput >= medium {
		return s.result("frames"), &NotApplicableError{s.method, fmt.Sprintf("the throughput is all that the medium carries with frames of this size, %.0f frames/s, and no buffer ever fills", medium)}
	}
	b, err := s.bursts(ctx)
	r := b.result()
	if len(s.trials) == 0 {
		return r, err
	}
	if len(b.longest) > 0 {
		if b.whole == len(b.longest) && err == nil {
			err = &NotApplicableError{s.method, fmt.Sprintf("a burst of %d frames at %.0f frames/s, the longest that was tried, lost nothing; where the DUT cannot forward at that rate for long, give a longer burst (trial)",
				b.tried().Offered, b.tried().OfferedRate())}
		}
		r.Figures = append(r.Figures, weir.Figure{Name: claim.Throughput, Value: throughput, Unit: "frames/s"})
		r.Figures = append(r.Figures, buffers(r.Value, b.linkRate(), throughput)...)
	}
	s.claim(&r)
	return r, err
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
