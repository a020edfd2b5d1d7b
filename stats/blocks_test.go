package stats

import (
	"fmt"
	"math"
	"testing"
)

// sources are where runs come from: a model of a shared machine on which levels
// come in waves, and 200 real runs (FRMOL, one trial of 300 ms each, 0.65 s
// apart) of an unchanged lab on such a machine, when it was quiet. These differ
// by 12 %, and hardly in waves: one from the next by 10 %.
func sources(t testing.TB) []series {
	quiet, err := readLab("quiet", "testdata/frmol.txt")
	if err != nil {
		t.Fatal(err)
	}
	return []series{shared, quiet}
}

// TestMachineModel holds the model against what was seen.
func TestMachineModel(t *testing.T) {
	sum, steps, squares, n := 0.0, 0.0, 0.0, 0.0
	last := 0.0
	for i, o := range shared.runs(1, 20000, 1) {
		l := math.Log(o.Value / 1e6)
		sum, squares, n = sum+l, squares+l*l, n+1
		if i > 0 {
			steps += (l - last) * (l - last) / 2
		}
		last = l
	}
	cv := math.Sqrt(squares/n - sum/n*sum/n)
	near(t, "deviation between runs", cv, 0.13, 0.05)
	near(t, "deviation between neighbours", math.Sqrt(steps/n), 0.068, 0.05)
}

// TestBlocksNarrowTheInterval: on the noise of a shared machine the interval
// within blocks is, in the mean, at most 0.65 times as wide as Welch's; on that of
// a quiet one it is hardly wider.
func TestBlocksNarrowTheInterval(t *testing.T) {
	for _, s := range sources(t) {
		most := 0.65
		if s.name() != shared.name() {
			most = 1.1 // where nothing is slow, blocks cost little
		}
		for arms := 2; arms <= 4; arms++ {
			within, welch := widths(t, s, 200, arms)
			if ratio := within / welch; ratio > most {
				t.Errorf("%s, %d arms: %.1f %% within blocks and %.1f %% by Welch: %.2f times as wide", s.name(), arms, 100*within, 100*welch, ratio)
			}
		}
	}
}

// BenchmarkBlocks tells the mean widths of the two intervals of the same runs.
func BenchmarkBlocks(b *testing.B) {
	for _, s := range sources(b) {
		for arms := 2; arms <= 4; arms++ {
			b.Run(fmt.Sprintf("%s/arms=%d", s.name(), arms), func(b *testing.B) {
				within, welch := widths(b, s, b.N, arms)
				b.ReportMetric(100*within, "%-within-blocks")
				b.ReportMetric(100*welch, "%-welch")
				b.ReportMetric(within/welch, "ratio")
			})
		}
	}
}

// widths are those of the intervals of the last arm in campaigns of 12 blocks.
func widths(t testing.TB, s series, campaigns, arms int) (within, welch float64) {
	for seed := range uint64(campaigns) {
		c, err := Compare(s.runs(seed, 12, arms), Options{Baseline: arm(0), Arms: asked.Arms})
		if err != nil {
			t.Fatal(err)
		}
		e := c.Effects[arms-2]
		within += (e.Change.Upper - e.Change.Lower) / float64(campaigns)
		welch += (e.Welch.Upper - e.Welch.Lower) / float64(campaigns)
	}
	return within, welch
}

// BenchmarkCompare is the analysis of 10,000 runs.
func BenchmarkCompare(b *testing.B) {
	for _, blocked := range []bool{true, false} {
		b.Run(fmt.Sprintf("runs=10000/blocks=%v", blocked), func(b *testing.B) {
			obs := shared.runs(1, 2500, 4)
			for i := range obs {
				if !blocked {
					obs[i].Block = 0
				}
			}
			for b.Loop() {
				if _, err := Compare(obs, asked); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
