package method

import "time"

// Phases are the parameters of methods in whose trials something begins while
// frames are sent: a lower load, tagged frames, what is done to the DUT.
type Phases struct {
	// After is the load once an overload is over, as a share of it (recovery) or of
	// the MLFRR (overload).
	After float64
	// Settled is how long that load lasts, or when it is that the tagged frames begin
	// (latency) or something is done to the DUT (reset, convergence).
	Settled time.Duration
	Tags    int    // tagged frames of each trial (latency)
	Event   string // what is done to the DUT (reset)
}

// or is p with the zero fields filled in from d.
func (p Phases) or(d Phases) Phases {
	fill(&p.After, d.After)
	fill(&p.Settled, d.Settled)
	fill(&p.Tags, d.Tags)
	fill(&p.Event, d.Event)
	return p
}

// quicker is p cut down to what q allows.
func (p Phases) quicker(q Phases) Phases {
	shorten(&p.Settled, q.Settled)
	shorten(&p.Tags, q.Tags)
	return p
}
