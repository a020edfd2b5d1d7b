package proof

import "weir/stats"

// Together judges the differences of several views anew, as those of one table:
// who reads them all has as many chances of a false one as there are in all of
// them. Differences of values are judged together, and so are those of each figure;
// vetoes hold. A single view is as Of has judged it.
func Together(views []View) {
	if len(views) < 2 {
		return
	}
	var all []*Comparison
	for _, v := range views {
		for i := range v.Comparisons {
			all = append(all, &v.Comparisons[i])
		}
	}
	o := options(views[0].Experiment)
	for _, family := range families(all) {
		stats.Judge(family, o)
	}
}
