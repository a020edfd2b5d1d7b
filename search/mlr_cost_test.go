package search

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
)

// What is compared: the trial time of one MLRsearch for two goals (loss 0 and
// 0.5 %; trials of 1 s, 21 s at a load, exceed ratio 50 %, width 0.5 %) and of
// two binary searches, one after the other, for the same goals: at most 21
// trials of 1 s at a load, decided by 11 of a kind, within the same range of
// loads and to the same width. DUT and noise are the same: trial n of either
// search meets the DUT at the same capacity.
//
// The binary searches know what a plan lets them know: the first starts from
// the forwarding rate at the maximum load, the trial for which is not counted,
// and the second from what the first has found. The MLRsearch knows nothing,
// and its trial at the maximum load is counted. Neither knows anything of other
// frame sizes.
const (
	costDUTs    = 100
	costMaximum = sim.Ceiling
	costMost    = 0.60 // of the time of the binary searches
)

var costSizes = []weir.Size{64, 256, 512, 1518}

// costDUT is the same DUT at each frame size: its capacity falls with the
// octets of a frame.
func costDUT(i int) (sizes []sim.Config) {
	rng := rand.New(rand.NewPCG(uint64(i), 9971))
	c := sim.Config{
		Capacity: 5e4 * math.Exp(rng.Float64()*math.Log(200)), // 50,000 to 10,000,000 frames/s
		Buffer:   []int{0, 64, 256, 2048}[rng.IntN(4)],
		Livelock: []float64{0, 0, 0, .05, .3, 1}[rng.IntN(6)],
		Noise:    []float64{0, .002, .005, .01, .02}[i%5],
	}
	octet := 2e-3 * rng.Float64()
	for _, size := range costSizes {
		at := c
		at.Capacity /= 1 + octet*float64(size-costSizes[0])
		at.Seed = rng.Uint64()
		sizes = append(sizes, at)
	}
	return sizes
}

// simulation measures a DUT, and counts the time that its trials take.
type simulation struct {
	router *sim.Router
	size   weir.Size
	trials int
	spent  time.Duration
}

func (s *simulation) measure(ctx context.Context, load float64, d time.Duration) (Observation, error) {
	s.trials++
	s.spent += d
	r, err := s.router.Measure(ctx, weir.Trial{
		Number: s.trials, Intended: load, Duration: d, Traffic: weir.Traffic{Sizes: []weir.Size{s.size}},
	})
	return Observation{Load: load, Loss: r.LossRatio(), Forwarded: r.ForwardingRate(), Duration: d}, err
}

// bothSearches are the outcomes of either way for the two goals, and the time
// that each took.
func bothSearches(t testing.TB, c sim.Config, size weir.Size) (mlr, binary []Outcome, mlrTime, binaryTime time.Duration) {
	t.Helper()
	router, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	m := usual(costMaximum)
	s := simulation{router: router, size: size}
	if mlr, err = m.Run(t.Context(), s.measure); err != nil {
		t.Fatal(err)
	}
	mlrTime = s.spent

	s = simulation{router: router, size: size}
	frmol, err := s.measure(t.Context(), costMaximum, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	s = simulation{router: router, size: size}
	start := frmol.Forwarded
	for _, g := range m.Goals {
		found, err := Run(t.Context(), Goal{
			LossRatio: g.LossRatio, Exceed: g.Exceed, Trial: g.Final, Trials: 21, Width: g.Width, Maximum: costMaximum, Start: start,
		}, func(ctx context.Context, load float64) (Observation, error) { return s.measure(ctx, load, time.Second) })
		if err != nil {
			t.Fatal(err)
		}
		binary = append(binary, found)
		if found.Lower > 0 {
			start = found.Lower
		}
	}
	return mlr, binary, mlrTime, s.spent
}

// truth is the load up to which a DUT without noise keeps a loss ratio, in
// trials of 1 s.
func truth(c sim.Config, loss float64) float64 {
	return (c.Capacity*(1+c.Livelock) + float64(c.Buffer)) / (1 + c.Livelock - loss)
}

func TestMLRCost(t *testing.T) {
	var all, easy struct{ mlr, binary time.Duration }
	var mlrError, binaryError, noisy float64
	for i := range costDUTs {
		for j, c := range costDUT(i) {
			mlr, binary, mlrTime, binaryTime := bothSearches(t, c, costSizes[j])
			all.mlr += mlrTime
			all.binary += binaryTime
			if c.Livelock == 0 { // the forwarding rate at the maximum is the truth, but for the noise
				easy.mlr += mlrTime
				easy.binary += binaryTime
			}
			for k, g := range usual(costMaximum).Goals {
				truth := truth(c, g.LossRatio)
				for way, o := range map[string]Outcome{"MLRsearch": mlr[k], "binary search": binary[k]} {
					if !o.Done || (o.Upper-o.Lower)/o.Upper > g.Width*(1+1e-9) {
						t.Fatalf("%s of %+v for a loss of %v ended with %+v", way, c, g.LossRatio, o)
					}
					if c.Noise == 0 && (o.Lower > truth+2 || o.Upper < truth-2) { // loads are whole frames
						t.Errorf("%s of %+v for a loss of %v found %v to %v, and the truth is %v", way, c, g.LossRatio, o.Lower, o.Upper, truth)
					}
				}
				if c.Noise > 0 {
					mlrError += math.Abs(mlr[k].Lower/truth - 1)
					binaryError += math.Abs(binary[k].Lower/truth - 1)
					noisy++
				}
			}
		}
	}
	t.Logf("MLRsearch %v, binary searches %v: %.3f; without livelock %.3f", all.mlr, all.binary,
		all.mlr.Seconds()/all.binary.Seconds(), easy.mlr.Seconds()/easy.binary.Seconds())
	t.Logf("mean error with noise: MLRsearch %.5f, binary searches %.5f", mlrError/noisy, binaryError/noisy)
	if share := all.mlr.Seconds() / all.binary.Seconds(); share > costMost {
		t.Errorf("MLRsearch took %.3f of the time of the binary searches", share)
	}
	if share := easy.mlr.Seconds() / easy.binary.Seconds(); share > costMost {
		t.Errorf("where the DUTs have no livelock, MLRsearch took %.3f of the time of the binary searches", share)
	}
	if mlrError > 1.25*binaryError || mlrError/noisy > .005 {
		t.Errorf("with noise MLRsearch is off by %.5f on average, and the binary searches by %.5f", mlrError/noisy, binaryError/noisy)
	}
}

// The trial time of the two goals for one DUT at four frame sizes, as a mean
// over the DUTs.
func BenchmarkMLRCost(b *testing.B) {
	for b.Loop() {
		var mlr, binary time.Duration
		for i := range costDUTs {
			for j, c := range costDUT(i) {
				_, _, m, bin := bothSearches(b, c, costSizes[j])
				mlr += m
				binary += bin
			}
		}
		b.ReportMetric(mlr.Seconds()/costDUTs, "mlrsearch-s/DUT")
		b.ReportMetric(binary.Seconds()/costDUTs, "binary-s/DUT")
		b.ReportMetric(mlr.Seconds()/binary.Seconds(), "ratio")
	}
}
