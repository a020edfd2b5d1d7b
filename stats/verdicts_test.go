package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// noise is how runs differ that nothing was changed between: draw is a run's, with
// the number of its arm. Blocks have levels of their own; in waves a level lasts for
// four to six runs instead, as on a shared machine.
type noise struct {
	name  string
	draw  func(random *rand.Rand, arm int) float64
	waves bool
}

// arms of these campaigns: the baseline, its A/A, one that is the same, and one
// that forwards a tenth less.
const (
	sameArm  = 2
	otherArm = 3
	ownNoise = .04
)

// loud has some arms three times as noisy as the others.
func loud(arms ...int) func(*rand.Rand, int) float64 {
	return func(random *rand.Rand, arm int) float64 {
		times := 1.
		for _, a := range arms {
			if a == arm {
				times = 3
			}
		}
		return times * ownNoise * random.NormFloat64()
	}
}

var noises = []noise{
	{"alike", loud(), false},
	{"waves", loud(), true},
	{"one arm three times as noisy", loud(otherArm), false},
	{"the same arm three times as noisy", loud(sameArm), false},
	{"the baseline three times as noisy", loud(0, 1), false},
	{"two arms three times as noisy", loud(sameArm, otherArm), false},
	{"heavy tails", func(random *rand.Rand, _ int) float64 { // Student's t with 4 degrees of freedom
		squares := 0.
		for range 4 {
			v := random.NormFloat64()
			squares += v * v / 4
		}
		return ownNoise * random.NormFloat64() / math.Sqrt(squares)
	}, false},
	{"dips", func(random *rand.Rand, _ int) float64 {
		dip := 0.
		if random.Float64() < .3 {
			dip = .1 * random.ExpFloat64()
		}
		return ownNoise*random.NormFloat64() - dip
	}, false},
	{"steps", func(random *rand.Rand, _ int) float64 { return .02 * math.Round(random.NormFloat64()*2) }, false},
}

// verdicts of many campaigns, as shares.
type shares struct{ same, wrong, covered, proven float64 }

func (n noise) verdicts(t testing.TB, blocks, campaigns int) (s shares) {
	truth := math.Log(.9)
	each := 1 / float64(campaigns)
	for seed := range campaigns {
		random := rand.New(rand.NewPCG(uint64(seed), uint64(blocks)))
		var obs []Observation
		level, left := 0., 0
		for b := range blocks {
			for i, a := range random.Perm(otherArm + 1) {
				if left == 0 && n.waves || i == 0 && !n.waves {
					level, left = shared.level*random.NormFloat64(), shared.least+random.IntN(shared.most-shared.least+1)
				}
				left--
				log := math.Log(1e6) + level + n.draw(random, a)
				if a == otherArm {
					log += truth
				}
				obs = append(obs, Observation{Block: b + 1, Arm: arm(a), Value: math.Exp(log), Order: len(obs) + 1})
			}
		}
		c, err := Compare(obs, asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []struct {
			is  bool
			sum *float64
		}{{c.Same.P <= .05, &s.same}, {c.Effects[0].P <= .05, &s.wrong}, {holds(c.Effects[1].Change, truth), &s.covered}, {c.Effects[1].P <= .05, &s.proven}} {
			if of.is {
				*of.sum += each
			}
		}
	}
	return s
}

// BenchmarkVerdicts tells how often a baseline differs from itself, an equal arm
// from it (asked of both: 5 +- 1 %), the interval holds the truth (95 +- 1 %), and a
// tenth less is proven, by itself, in 4,000 campaigns of each noise and length:
//
//	go test -run xxx -bench Verdicts -benchtime 1x ./stats
func BenchmarkVerdicts(b *testing.B) {
	for _, n := range noises {
		for _, blocks := range []int{6, 8, 12} {
			b.Run(fmt.Sprintf("%s/blocks=%d", n.name, blocks), func(b *testing.B) {
				var s shares
				for b.Loop() {
					s = n.verdicts(b, blocks, 4000)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(100*s.same, "%-A/A-differs")
				b.ReportMetric(100*s.wrong, "%-false")
				b.ReportMetric(100*s.covered, "%-covered")
				b.ReportMetric(100*s.proven, "%-proven")
			})
		}
	}
}
