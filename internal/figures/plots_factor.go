package figures

import (
	"fmt"
	"slices"

	"weir/internal/chart"
)

// FactorPlots show what was found over each factor that has several levels
// which are numbers: throughput over the number of routes, flows or filters
// (RFC 3222). One line stands for each method and frame size.
func FactorPlots(g Grid) []chart.Chart {
	var out []chart.Chart
	for _, factor := range scales(g) {
		for _, unit := range []string{"frames/s", "s"} {
			c := chart.Chart{
				Title: fmt.Sprintf("%s over %s", map[string]string{"frames/s": "Rates", "s": "Times"}[unit], factor),
				X:     chart.Axis{Label: factor, Log: true},
				Y:     chart.Axis{Label: map[string]string{"frames/s": "frames/s", "s": "s"}[unit], Log: unit == "s"},
			}
			c.Series = linesOver(g, factor, unit)
			if !c.Empty() {
				out = append(out, c)
			}
		}
	}
	return out
}

// scales are the factors that have at least two levels above 0, but for the
// frame size.
func scales(g Grid) []string {
	levels := make(map[string][]float64)
	var order []string
	for _, w := range g.Rows {
		for _, name := range Names(w.Results[0].Factors) {
			v, ok := numeric(w.Results[0].Factors[name])
			if name == "frame_size" || !ok || v <= 0 {
				continue
			}
			order = With(order, name)
			levels[name] = With(levels[name], v)
		}
	}
	return slices.DeleteFunc(order, func(name string) bool { return len(levels[name]) < 2 })
}

func linesOver(g Grid, factor, unit string) []chart.Series {
	var out []chart.Series
	for _, w := range g.Rows {
		x, ok := numeric(w.Results[0].Factors[factor])
		if !ok || x <= 0 {
			continue
		}
		for _, r := range w.Results {
			if r.Unit != unit || r.Value <= 0 {
				continue
			}
			name := fmt.Sprintf("%s, %s", Sought(*r), w.Traffic)
			i := FindOrAdd(&out, func(s chart.Series) bool { return s.Name == name }, chart.Series{Name: name, Color: len(out), Line: true, Dots: true})
			out[i].Points = append(out[i].Points, chart.Point{X: x, Y: r.Value,
				Tip: fmt.Sprintf("%s, %s: %s", name, written(factor, x), Quantity(r.Value, r.Unit))})
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].Points, func(a, b chart.Point) int { return int(a.X - b.X) })
	}
	return slices.DeleteFunc(out, func(s chart.Series) bool { return len(s.Points) < 2 })
}

// numeric is a level that is a number, whether it was read back from a store
// or not.
func numeric(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}
