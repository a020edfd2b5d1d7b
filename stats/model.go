package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// errApart says that arms have no chain of blocks between them.
var errApart = errors.New("some arms share no block with the others, so that nothing compares them: measure all of them in each block")

// model is the least-squares fit of log = block + arm + noise. Runs may be
// missing. Without blocks there is one that holds all runs.
type model struct {
	arm     []float64  // effect of each arm beyond the baseline's
	inverse *mat.Dense // of the normal equations of the arms but the baseline, the blocks eliminated
	block   []float64  // level of each block, of the baseline there
	size    []float64  // runs of each block
	weight  [][]float64
	squares float64 // of what is left
	freedom float64
}

// fit solves the model. The blocks are eliminated first, so that it is as quick
// with thousands of them.
func fit(s sample) (*model, error) {
	arms, blocks := len(s.arms), max(s.blocks, 1)
	m := &model{arm: make([]float64, arms), block: make([]float64, blocks), size: make([]float64, blocks), weight: make([][]float64, blocks)}
	mean := make([]float64, blocks)
	for i := range m.weight {
		m.weight[i] = make([]float64, arms)
	}
	for _, r := range s.runs {
		m.weight[r.block][r.arm]++
		m.size[r.block]++
		mean[r.block] += r.log
	}
	normal := mat.NewSymDense(arms-1, nil)
	for i := range blocks {
		mean[i] /= m.size[i]
		for j := 1; j < arms; j++ {
			w := m.weight[i][j]
			if w == 0 {
				continue
			}
			normal.SetSym(j-1, j-1, normal.At(j-1, j-1)+w)
			for k := j; k < arms; k++ {
				normal.SetSym(j-1, k-1, normal.At(j-1, k-1)-w*m.weight[i][k]/m.size[i])
			}
		}
	}
	right := mat.NewVecDense(arms-1, nil)
	for _, r := range s.runs {
		if r.arm > 0 {
			right.SetVec(r.arm-1, right.AtVec(r.arm-1)+r.log-mean[r.block])
		}
	}
	var factors mat.Cholesky
	if !factors.Factorize(normal) || factors.Cond() > 1e12 {
		return nil, errApart
	}
	var solution mat.VecDense
	var inverse mat.SymDense
	if err := errors.Join(factors.SolveVecTo(&solution, right), factors.InverseTo(&inverse)); err != nil {
		return nil, errApart
	}
	m.inverse = mat.DenseCopyOf(&inverse)
	for j := 1; j < arms; j++ {
		m.arm[j] = solution.AtVec(j - 1)
	}
	for i := range blocks {
		m.block[i] = mean[i]
		for j, w := range m.weight[i] {
			m.block[i] -= w * m.arm[j] / m.size[i]
		}
	}
	for _, r := range s.runs {
		left := m.residual(r)
		m.squares += left * left
	}
	m.freedom = float64(len(s.runs) - blocks - (arms - 1))
	return m, nil
}

// residual is what the model leaves of a run.
func (m *model) residual(r run) float64 { return r.log - m.block[r.block] - m.arm[r.arm] }

// deviation is that of what the model leaves.
func (m *model) deviation() float64 {
	if m.freedom <= 0 {
		return 0
	}
	return math.Sqrt(m.squares / m.freedom)
}

// effect is that of an arm, not the baseline.
func (m *model) effect(arm int) estimate {
	return estimate{value: m.arm[arm], err: m.deviation() * math.Sqrt(m.inverse.At(arm-1, arm-1)), freedom: m.freedom}
}

// level is that of an arm in the mean of the blocks.
func (m *model) level(arm int) estimate {
	// The mean of the block's means is independent of the arms' effects; the
	// level is that mean with the effects of what was measured taken off and
	// the arm's put on.
	b := float64(len(m.block))
	shift := make([]float64, len(m.arm))
	shift[arm] = 1
	own, value := 0.0, m.arm[arm]
	for i, w := range m.weight {
		value += m.block[i] / b
		own += 1 / m.size[i]
		for j := range shift {
			shift[j] -= w[j] / m.size[i] / b
		}
	}
	c := mat.NewVecDense(len(shift)-1, shift[1:])
	variance := own/(b*b) + mat.Inner(c, m.inverse, c)
	return estimate{value: value, err: m.deviation() * math.Sqrt(max(0, variance)), freedom: m.freedom}
}
