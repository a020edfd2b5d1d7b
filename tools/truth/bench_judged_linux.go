package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// answered says how many benches ended well, with a number for each of their sizes.
func answered(all []bench, sizes []string) (string, bool) {
	good := 0
	var wrong []string
	for i, b := range all {
		missing := b.missing(sizes)
		switch {
		case b.err != nil:
			wrong = append(wrong, fmt.Sprintf("%d: %s", i+1, firstPart(b.err)))
		case len(missing) > 0:
			wrong = append(wrong, fmt.Sprintf("%d has none for %s", i+1, strings.Join(missing, ", ")))
		default:
			good++
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("%d of %d", good, len(all))}, wrong...), "; "), good == len(all)
}

// foretold says how many intervals contain the knee of the next bench, of all sizes: a lower
// bound contains what is not below it, and one that has no number contains none. Beside that it
// says how wide they are, and how many are lower bounds.
func foretold(all []bench) (string, bool) {
	const enough, narrow, lowerBounds = 31. / 36, .08, 9. / 40
	held, pairs, open, numbers := 0, 0, 0, 0
	var widths []float64
	for i, b := range all {
		for _, size := range benchSizes {
			r := b.sizes[size]
			bounded := r.Limited != ""
			if r.Value > 0 {
				numbers++
				if bounded {
					open++
				} else {
					widths = append(widths, (r.Upper-r.Lower)/2/r.Value)
				}
			}
			if i+1 == len(all) {
				continue
			}
			pairs++
			if next := all[i+1].sizes[size].Value; r.Value > 0 && next > 0 && r.Lower <= next && (bounded || next <= r.Upper) {
				held++
			}
		}
	}
	width := math.Inf(1)
	if len(widths) > 0 {
		width = median(widths)
	}
	return fmt.Sprintf("%d of %d, +-%.1f %% in the median, %d of %d lower bounds", held, pairs, 100*width, open, numbers),
		pairs > 0 && float64(held) >= enough*float64(pairs) && width <= narrow && float64(open) <= lowerBounds*float64(len(benchSizes)*len(all))
}

// steady says how far the ratio of knee and saturated rate is from its median,
// of each size by itself.
func steady(all []bench) (string, bool) {
	const within = .1
	var parts []string
	kept := true
	for _, size := range benchSizes {
		var ratios []float64
		for _, b := range all {
			if r := b.sizes[size]; r.Value > 0 && r.Saturated.Value > 0 {
				ratios = append(ratios, r.Value/r.Saturated.Value)
			}
		}
		kept = kept && len(ratios) == len(all)
		if len(ratios) == 0 {
			parts = append(parts, size+": none")
			continue
		}
		middle, out := median(ratios), 0
		for _, v := range ratios {
			if math.Abs(v/middle-1) > within {
				out++
			}
		}
		kept = kept && out == 0
		parts = append(parts, fmt.Sprintf("%s: %.3f (%+.1f to %+.1f %%, %d of %d beyond)", size, middle,
			100*(slices.Min(ratios)/middle-1), 100*(slices.Max(ratios)/middle-1), out, len(ratios)))
	}
	return strings.Join(parts, "; "), kept
}

// sealed says what was seen of benches outside of their labs.
func sealed(all []bench) (string, bool) {
	var leaks []string
	for _, b := range all {
		leaks = append(leaks, b.leaks...)
	}
	if len(leaks) == 0 {
		return fmt.Sprintf("none, in captures of all interfaces during %d benches", len(all)), len(all) > 0
	}
	return strings.Join(leaks, "; "), false
}

// longest says how long benches took.
func longest(all []bench, limit time.Duration) (string, bool) {
	var most time.Duration
	for _, b := range all {
		most = max(most, b.took)
	}
	return fmt.Sprintf("%.1f s at most of %d", most.Seconds(), len(all)), len(all) > 0 && most <= limit
}

// prompt says how long quick benches took, and how many of them ended well: one
// that fails is soon over.
func prompt(all []bench) (string, bool) {
	took, inTime := longest(all, 15*time.Second)
	ended, well := answered(all, quickSizes)
	return took + ", with all numbers " + ended, inTime && well
}

// median of at least one value; of an even number the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
