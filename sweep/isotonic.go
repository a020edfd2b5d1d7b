package sweep

// isotonic is the rising function that is nearest to values in the sense of
// weighted least squares, by pooling adjacent violators (Ayer and others, "An
// empirical distribution function for sampling with incomplete information",
// 1955). It works in place of values.
func isotonic(values, weights []float64) []float64 {
	type pool struct {
		value, weight float64
		n             int
	}
	pools := make([]pool, 0, len(values))
	for i, v := range values {
		pools = append(pools, pool{v, weights[i], 1})
		for len(pools) > 1 {
			a, b := pools[len(pools)-2], pools[len(pools)-1]
			if a.value <= b.value {
				break
			}
			w := a.weight + b.weight
			pools = append(pools[:len(pools)-2], pool{(a.value*a.weight + b.value*b.weight) / w, w, a.n + b.n})
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			values[i] = p.value
			i++
		}
	}
	return values
}
