package sweep

import "math"

// near is how far above the knee a loss ratio may lie of which the line to the
// knee is drawn.
const near = .1

// sparse is the share of the windows of the load with most of them below which a
// load says nothing: half of four windows are interrupted by chance.
const sparse = .25

// dense leaves out sparse loads.
func dense(loads, raw, sums []float64) (l, r, s []float64) {
	most := 0.
	for _, n := range sums {
		most = max(most, n)
	}
	n := 0
	for i := range loads {
		if sums[i] >= sparse*most {
			loads[n], raw[n], sums[n] = loads[i], raw[i], sums[i]
			n++
		}
	}
	return loads[:n], raw[:n], sums[:n]
}

// medianOf is the median loss of a column in which each block counts as often
// as weights says; nil: once. It returns the sum of the weights too.
func (c column) medianOf(weights []int) (loss, weight float64) {
	total := len(c.windows)
	if weights != nil {
		total = 0
		for _, s := range c.windows {
			total += weights[s.block]
		}
	}
	if total == 0 {
		return 0, 0
	}
	seen, low := 0, math.NaN()
	for _, s := range c.windows {
		n := 1
		if weights != nil {
			n = weights[s.block]
		}
		seen += n
		if math.IsNaN(low) && 2*seen >= total {
			low = s.loss
		}
		if 2*seen > total {
			return (low + s.loss) / 2, float64(total)
		}
	}
	return low, float64(total)
}

// crossing is where the median loss of columns crosses a ratio.
type crossing struct {
	load         float64
	below, above bool // the ratio is crossed below the lowest load, or above the highest
}

// knee finds where the median loss crosses a ratio: between the highest load up
// to which it does not, made monotone, and the next. There it lies on the line
// through the losses near and above it: loss grows about in proportion to the
// overload from the knee on, while a line from the last load without loss would
// lie too low by a part of the step, as loss there has a kink.
func knee(columns []column, ratio float64, weights []int) crossing {
	loads := make([]float64, 0, len(columns))
	raw := make([]float64, 0, len(columns))
	sums := make([]float64, 0, len(columns))
	for _, c := range columns {
		if loss, n := c.medianOf(weights); n > 0 {
			loads, raw, sums = append(loads, c.load), append(raw, loss), append(sums, n)
		}
	}
	loads, raw, sums = dense(loads, raw, sums)
	if len(loads) == 0 {
		return crossing{below: true}
	}
	smooth := isotonic(append([]float64(nil), raw...), sums)
	j := 0
	for j < len(smooth) && smooth[j] <= ratio {
		j++
	}
	switch j {
	case 0:
		return crossing{load: loads[0], below: true}
	case len(smooth):
		return crossing{load: loads[j-1], above: true}
	}
	low, high := loads[j-1], loads[j]
	at := low * math.Pow(high/low, (ratio-smooth[j-1])/(smooth[j]-smooth[j-1]))
	if a, b, ok := line(loads[j:], raw[j:], sums[j:], smooth[j]+near); ok && a > ratio {
		at = b / (a - ratio)
	}
	return crossing{load: min(max(at, low), high)}
}

// line fits loss = a - b / load by weighted least squares to the losses up to a
// limit. That is the shape of loss beyond a capacity C, 1 - C / load, and also
// where each frame beyond it costs or adds a share of the rate.
func line(loads, loss, weights []float64, limit float64) (a, b float64, ok bool) {
	var n, x, y, xx, xy float64
	used := 0
	unit := loads[0]
	for i, l := range loads {
		if loss[i] > limit {
			break
		}
		u, w := unit/l, weights[i]
		n, x, y, xx, xy = n+w, x+w*u, y+w*loss[i], xx+w*u*u, xy+w*u*loss[i]
		used++
	}
	d := n*xx - x*x
	if used < 2 || !(d > 1e-12*n*n) {
		return 0, 0, false
	}
	b = -(n*xy - x*y) / d
	a = (y + b*x) / n
	return a, b * unit, b > 0
}
