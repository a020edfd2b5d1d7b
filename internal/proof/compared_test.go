package proof

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/stats"
)

// swept is a model of which each run is a sweep: the saturated rate is as the
// knee, and the latency is its inverse.
func swept(change func(r *weir.Result)) weir.Campaign {
	return model{seed: 3, replicates: 10, effects: []float64{0, math.Log(0.9)}, noise: 0.01, same: true, sizes: []int{64},
		change: func(r *weir.Result, _ int) {
			r.Method, r.Width, r.LossRatio = "sweep", 0, 0.005
			r.Sweep = &weir.Sweep{Saturated: weir.Bounds{Value: 0.95 * r.Value}}
			r.Latency = &weir.Latency{P50: 20 / r.Value}
			if change != nil {
				change(r)
			}
		}}.campaign()
}

// A sweep is compared in its knee, its saturated rate and its latency.
func TestFiguresOfSweep(t *testing.T) {
	p, err := Of(swept(nil))
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		figure, unit string
		loss, want   float64
	}
	var got []line
	for _, c := range p.Comparisons {
		e := c.Effects[0]
		if e.Verdict != stats.Proven || c.Same == nil || e.Adjusted != e.P {
			t.Errorf("%s: %+v is not proven by itself, vetoes %v", title(c), e, c.Vetoes)
		}
		got = append(got, line{c.Figure, c.Unit, c.LossRatio, math.Round(20*e.Change.Estimate) / 20})
	}
	want := []line{{"", "frames/s", 0.005, -0.1}, {"saturated", "frames/s", 0.005, -0.1}, {"latency_p50", "s", 0.005, 0.1}, {"dut_cpu_seconds_per_frame", "s", 0.005, 0.1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Error(diff)
	}
}

// A figure that differs from itself says nothing against the others, and one
// that no run has is not compared.
func TestFiguresApart(t *testing.T) {
	p, err := Of(swept(func(r *weir.Result) {
		r.Saturated = weir.Bounds{}
		if r.Run.Again {
			r.Latency.P50 *= 2
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]stats.Verdict{}
	for _, c := range p.Comparisons {
		got[c.Figure] = c.Effects[0].Verdict
	}
	want := map[string]stats.Verdict{"": stats.Proven, "latency_p50": stats.Vetoed, "dut_cpu_seconds_per_frame": stats.Proven}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
