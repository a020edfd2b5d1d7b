package figures

import (
	"slices"
	"time"

	"weir"
)

// What makes it the machine that was slower, and not the DUT.
const (
	fewestCrossings = 3   // at either speed
	slowerCrossing  = 1.3 // times the median at the fastest speed
	crossingOdds    = .9  // that a crossing at a slower speed takes longer than one at the fastest
	fastestShare    = .9  // of the fastest speed that counts as that
	trackEnd        = 500 * time.Millisecond
)

// machineSlower says by which evidence other speeds are the machine's: cache lines took longer
// between its CPUs at the moments at which the DUT was slower. It is "" where nothing tells.
func machineSlower(c weir.Campaign) string {
	var fast, slow []float64 // ns
	for i := range c.Results {
		r := &c.Results[i]
		if r.Sweep == nil || len(r.Track) == 0 || len(r.Speeds) == 0 {
			continue
		}
		for _, t := range c.Trials {
			if t.Trial.Number < r.First || t.Trial.Number > r.Last || t.Host.Crossing <= 0 {
				continue
			}
			switch m, known := momentBefore(r.Sweep, t.Start.Add(t.Sending)); {
			case !known || m.AtLeast:
			case m.Capacity >= fastestShare*r.Speeds[0].Capacity:
				fast = append(fast, float64(t.Host.Crossing))
			default:
				slow = append(slow, float64(t.Host.Crossing))
			}
		}
	}
	if len(fast) < fewestCrossings || len(slow) < fewestCrossings || middle(slow) < slowerCrossing*middle(fast) || odds(slow, fast) < crossingOdds {
		return ""
	}
	return weir.Say("that is the machine, and not the DUT: when it was slower a cache line took %.0f ns from the generator's CPU to the DUT's, and otherwise %.0f ns", middle(slow), middle(fast)).String()
}

// momentBefore returns what a DUT could forward when a trial ended.
func momentBefore(s *weir.Sweep, at time.Time) (m weir.Moment, known bool) {
	end := at.Sub(s.TrackBegan).Seconds()
	for _, one := range slices.Backward(s.Track) {
		if one.From <= end {
			return one, end-one.Until < trackEnd.Seconds()
		}
	}
	return m, false
}

// odds returns how likely one of some is greater than one of others.
func odds(some, others []float64) float64 {
	greater := 0
	for _, a := range some {
		for _, b := range others {
			if a > b {
				greater++
			}
		}
	}
	return float64(greater) / float64(len(some)*len(others))
}
