package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// errAliased says that columns of a model depend on each other.
var errAliased = errors.New("terms cannot be told apart")

// solution is a least-squares fit.
type solution struct {
	beta    mat.VecDense
	inverse mat.TriDense // of R in the matrix's QR
	err     float64      // deviation of what is left
	freedom float64
}

// fit fits the columns of a stratum within its groups. It is nil where there is
// nothing to fit, or nothing left to tell the noise from.
func (s *stratum) fit() (*solution, error) {
	n, p := len(s.logs), len(s.columns)
	number := map[int]int{}
	for _, g := range s.group {
		if _, known := number[g]; !known {
			number[g] = len(number)
		}
	}
	freedom := n - len(number) - p
	if p == 0 || freedom < 1 {
		return nil, nil
	}
	x, y := mat.NewDense(n, p, nil), mat.NewVecDense(n, nil)
	for k, c := range s.columns {
		values := make([]float64, n)
		for i := range values {
			values[i] = c.at(s.levels[i])
		}
		x.SetCol(k, centred(values, s.group, number))
	}
	for i, v := range centred(s.logs, s.group, number) {
		y.SetVec(i, v)
	}
	var qr mat.QR
	qr.Factorize(x)
	if qr.Cond() > 1e9 {
		return nil, errAliased
	}
	out := &solution{freedom: float64(freedom)}
	if err := qr.SolveVecTo(&out.beta, false, y); err != nil {
		return nil, errAliased
	}
	var r mat.Dense
	qr.RTo(&r)
	upper := mat.NewTriDense(p, mat.Upper, nil)
	for i := range p {
		for j := i; j < p; j++ {
			upper.SetTri(i, j, r.At(i, j))
		}
	}
	if err := out.inverse.InverseTri(upper); err != nil {
		return nil, errAliased
	}
	var left mat.VecDense
	left.MulVec(x, &out.beta)
	left.SubVec(y, &left)
	out.err = mat.Norm(&left, 2) / math.Sqrt(out.freedom)
	return out, nil
}

// centred are values with the mean of their group taken off.
func centred(values []float64, group []int, number map[int]int) []float64 {
	sum, size := make([]float64, len(number)), make([]float64, len(number))
	for i, v := range values {
		sum[number[group[i]]] += v
		size[number[group[i]]]++
	}
	out := make([]float64, len(values))
	for i, v := range values {
		g := number[group[i]]
		out[i] = v - sum[g]/size[g]
	}
	return out
}

// estimate is a weighted sum of the coefficients.
func (q *solution) estimate(weights []float64) estimate {
	w := mat.NewVecDense(len(weights), weights)
	var u mat.VecDense
	u.MulVec(q.inverse.T(), w)
	value := mat.Dot(w, &q.beta)
	if math.Abs(value) < nothing {
		value = 0
	}
	return estimate{value: value, err: q.err * mat.Norm(&u, 2), freedom: q.freedom}
}
