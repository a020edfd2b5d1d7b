package search

// What makes an upper bound doubtful.
const (
	farBelowMet       = 2   // so many times as much met the goal at a higher load
	farBelowForwarded = 1.5 // so many times as much was forwarded at a higher load
	doubts            = 2   // trials that a doubtful upper bound has beyond those that made it one
	doubtsInAll       = 4   // and all of them together, so that a DUT that is never twice the same ends a search soon
)

// verdict is what the trials of a doubtful upper bound say.
type verdict int

const (
	believed  verdict = iota // it is not doubtful
	doubted                  // it has to be tried again
	confirmed                // it is an upper bound all the same
	refuted                  // most of its trials met the goal: it is a lower bound
)

// verdict judges an upper bound by its trials and those at higher loads. Where a
// DUT met the goal, or forwarded, far more at one of these, a single trial that
// lost frames may have been disturbed. So that load is tried again until the
// majority of its trials is certain; as many good ones as bad ones are none.
func (b Binary) verdict(past []Observation, load float64) verdict {
	far := false
	var good, bad, since int // since: trials after it was an upper bound
	made := false
	for _, o := range past {
		switch {
		case o.Load > load:
			far = far || o.Forwarded >= farBelowForwarded*load || b.Good(o.Loss) && o.Load >= farBelowMet*load
		case o.Load == load:
			if made {
				since++ // also where it says nothing: the tester may never send more
			}
			switch {
			case b.Good(o.Loss):
				good++
			case !o.inconclusive(b.LossRatio):
				bad++
			}
			made = made || b.classify(good, bad) == upperBound
		}
	}
	left := max(0, doubts-since)
	switch {
	case !far:
		return believed
	case good > bad+left:
		return refuted
	case bad >= good+max(left, 1) || left == 0:
		return confirmed
	}
	return doubted
}

// doubtful reports whether the lowest upper bound has to be tried again before
// it is believed. Where another one was confirmed the DUT does lose frames far
// below what it forwards: then this one is tried again only when the search
// would end with it.
func (b Binary) doubtful(past []Observation, v view) bool {
	if v.kind[v.upper] != upperBound || b.verdict(past, v.upper) != doubted || b.doubted(past) >= doubtsInAll {
		return false
	}
	if b.done(v) {
		return true
	}
	for load, k := range v.kind {
		if k == upperBound && load > v.upper && b.verdict(past, load) == confirmed {
			return false
		}
	}
	return true
}

// doubted is how many trials were at loads that were upper bounds by then.
func (b Binary) doubted(past []Observation) (n int) {
	type tally struct{ good, bad int }
	tallies := make(map[float64]tally)
	for _, o := range past {
		t := tallies[o.Load]
		if b.classify(t.good, t.bad) == upperBound {
			n++
		}
		if b.Good(o.Loss) {
			t.good++
		} else if !o.inconclusive(b.LossRatio) {
			t.bad++
		}
		tallies[o.Load] = t
	}
	return n
}

// torn reports whether the bounds contradict other trials: a load far above the
// upper bound met the goal.
func (b Binary) torn(past []Observation, v view) bool {
	for _, o := range past {
		if v.uppers > 0 && b.Good(o.Loss) && v.kind[o.Load] == lowerBound && o.Load >= farBelowMet*v.upper {
			return true
		}
	}
	return false
}
