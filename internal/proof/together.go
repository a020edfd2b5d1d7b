package proof

import "weir/stats"

// Together judges the differences of several views anew, as those of one table:
// who reads them all has as many chances of a false one as there are in all of
// them. Differences of values are judged together, and so are those of CPU times;
// vetoes hold. A single view is as Of has judged it.
func Together(views []View) {
	if len(views) < 2 {
		return
	}
	var values, times []*stats.Comparison
	for _, v := range views {
		for i := range v.Comparisons {
			if c := &v.Comparisons[i]; c.Figure == "" {
				values = append(values, &c.Comparison)
			} else {
				times = append(times, &c.Comparison)
			}
		}
	}
	o := options(views[0].Experiment)
	stats.Judge(values, o)
	stats.Judge(times, o)
}
