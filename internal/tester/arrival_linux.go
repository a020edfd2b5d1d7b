package tester

import (
	"time"

	"weir"
	"weir/internal/xdp"
)

// Arrival is what the receivers of a trial saw, all of them together.
type Arrival struct {
	Streams   map[int]xdp.Stream `json:"streams,omitempty"` // by identity
	Latency   weir.Histogram     `json:"latency"`
	Windows   []xdp.Arrived      `json:"windows,omitempty"`
	Tagged    []time.Duration    `json:"tagged,omitempty"` // by stream and tag; negative: did not come
	Variation *weir.Variation    `json:"variation,omitempty"`
	Steps     []uint32           `json:"steps,omitempty"`
	Gaps      []xdp.Gaps         `json:"gaps,omitempty"`
	GapsKnown bool               `json:"gaps_known,omitempty"`
	SentBack  uint64             `json:"sent_back,omitempty"` // frames, from a tester at another machine

	waits threadWaits // of the DUT, where it has this kernel
}

// arrival reads what came of a trial with so many windows, loads between them included.
func (t *XDP) arrival(trial weir.Trial, windows int) (a Arrival, err error) {
	if a.Streams, err = t.seen(trial); err != nil {
		return a, err
	}
	a.Windows = make([]xdp.Arrived, windows)
	for _, receiver := range t.listening(trial) {
		if err := a.add(receiver, windows); err != nil {
			return a, err
		}
	}
	if err := a.addGaps(t, trial); err != nil {
		return a, err
	}
	if windows > 0 {
		a.waits, err = t.threadWaits()
	}
	return a, err
}

// add adds what one more receiver saw.
func (a *Arrival) add(receiver *xdp.Receiver, windows int) error {
	h, err := receiver.Latency()
	if err != nil {
		return err
	}
	a.Latency.Merge(h)
	if windows > 0 {
		seen, err := receiver.Arrivals(windows)
		if err != nil {
			return err
		}
		for i, one := range seen {
			a.Windows[i] = a.Windows[i].With(one)
		}
	}
	tagged, err := receiver.Tagged()
	if err != nil {
		return err
	}
	a.Tagged = together(a.Tagged, tagged)
	v, err := receiver.Variation()
	if err != nil {
		return err
	}
	if v != nil {
		if a.Variation == nil {
			a.Variation = &weir.Variation{}
		}
		a.Variation.Longer.Merge(v.Longer)
		a.Variation.Shorter.Merge(v.Shorter)
	}
	steps, err := receiver.Steps()
	if err != nil {
		return err
	}
	if a.Steps == nil {
		a.Steps = make([]uint32, len(steps))
	}
	addSteps(a.Steps, steps)
	return nil
}

// addGaps adds what the receivers noted of the frames beside those that were lost; nobody
// knows that where one of them does not.
func (a *Arrival) addGaps(t *XDP, trial weir.Trial) error {
	a.GapsKnown = true
	for _, direction := range directions(trial) {
		for _, receiver := range t.toward(trial, direction) {
			gaps, known, err := receiver.Gaps()
			if err != nil || !known {
				a.Gaps, a.GapsKnown = nil, false
				return err
			}
			for _, g := range gaps {
				if g.Stream/identities(trial.Traffic)%2 == direction {
					a.Gaps = append(a.Gaps, g)
				}
			}
		}
	}
	return nil
}
