package report

import (
	"io"

	"weir/internal/figures"
	"weir/internal/result"
	"weir/stats"
)

func (s Versus) junit(w io.Writer, _ Options) error {
	a, name := s.names()
	test := name + " against " + a
	if s.failAbove > 0 {
		test = name + " forwards at most " + figures.Percent(s.failAbove) + " % less than " + a
	}
	one := junitCase{Class: "weir.versus", Name: test, Out: s.Sentence() + ". " + s.gated()}
	switch s.Gate() {
	case Fails:
		one.Failure = &junitFault{s.Sentence()}
	case Unknown:
		one.Error = &junitFault{s.Sentence()}
	}
	return junitSuite{Name: "weir versus", Cases: []junitCase{one}}.write(w)
}

func (s Versus) bencher(w io.Writer, _ Options) error {
	a, name := s.names()
	out := map[string]map[string]bencherMetric{}
	for i, of := range []string{a, name} {
		out[of] = map[string]bencherMetric{}
		for _, m := range result.Kept(result.History) {
			if v := s.median(s.arm(i), m); v > 0 {
				out[of][measureName(m, "frames/s")] = bencherMetric{Value: v}
			}
		}
	}
	if e, known := s.effect(); known && e.Verdict != stats.Vetoed {
		one := bencherMetric{Value: 1 + e.Change.Estimate}
		if limited(e.Change) {
			lower, upper := 1+e.Change.Lower, 1+e.Change.Upper
			one.Lower, one.Upper = &lower, &upper
			if e.AtMost {
				one.Lower = nil
			}
			if e.AtLeast {
				one.Upper = nil
			}
		}
		out[name+" / "+a] = map[string]bencherMetric{"throughput-ratio": one}
	}
	return writeIndented(w, out)
}
