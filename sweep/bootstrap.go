package sweep

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// replicates is how often blocks are drawn anew: a deviation from so many is
// known to 5 %.
const replicates = 200

// scheme is how blocks are drawn within a round.
type scheme int

const (
	// apart draws any block of the round: blocks are taken as independent.
	apart scheme = iota
	// neighbours draws within pairs of successive blocks, whose difference holds
	// what changes from block to block and little of a slow wave, which all
	// loads have seen alike (the variance of a systematic sample by successive
	// differences: Wolter, "Introduction to Variance Estimation", chapter 8).
	neighbours
)

// blocksOf lists the blocks of each round in their order.
func blocksOf(samples []sample) (rounds [][]int) {
	round, last := -1, -1
	for _, s := range samples {
		if s.round != round {
			round = s.round
			rounds = append(rounds, nil)
		}
		if s.block != last {
			last = s.block
			rounds[len(rounds)-1] = append(rounds[len(rounds)-1], s.block)
		}
	}
	return rounds
}

// bootstrap draws the blocks of each round anew and gives what a statistic is
// then, so often. The statistic gets how often each block counts. What a draw
// of few blocks lacks in variance is made up for by what comes back being
// stretched around the first value of the result, that of the blocks as they
// are.
func (g Goal) bootstrap(rounds [][]int, how scheme, salt uint64, statistic func(weights []int) float64) []float64 {
	most, blocks, groups := 0, 0, 0
	for _, r := range rounds {
		for _, b := range r {
			most = max(most, b)
		}
		blocks += len(r)
		if how == apart {
			groups++
		} else {
			groups += max(1, len(r)/2)
		}
	}
	weights := make([]int, most+1)
	for _, r := range rounds {
		for _, b := range r {
			weights[b] = 1
		}
	}
	value := statistic(weights)
	out := []float64{value}
	if blocks <= groups {
		return out
	}
	stretch := math.Sqrt(float64(blocks) / float64(blocks-groups))
	random := rand.New(rand.NewPCG(g.Seed, salt^0x5eed))
	for range replicates {
		clear(weights)
		for _, r := range rounds {
			draw(random, r, how, weights)
		}
		out = append(out, value+stretch*(statistic(weights)-value))
	}
	return out
}

// draw draws as many blocks as a round has.
func draw(random *rand.Rand, round []int, how scheme, weights []int) {
	for len(round) > 0 {
		n := len(round)
		if how == neighbours && n > 3 {
			n = 2
		}
		for range n {
			weights[round[random.IntN(n)]]++
		}
		round = round[n:]
	}
}

// deviation of the replicates of a bootstrap, which come after its value; 0 when
// there are none.
func deviation(boot []float64) float64 {
	if len(boot) < 3 {
		return 0
	}
	return spread(boot[1:])
}

// spread is the standard deviation of values; 0 of fewer than two.
func spread(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m := mean(values)
	sum := 0.
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// critical is what |t| exceeds in one of twenty cases.
func critical(freedom int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(max(freedom, 1))}.Quantile(.975)
}
