package weir

import (
	"fmt"
	"time"
)

// Window is a load for some milliseconds inside of a trial. What it has not
// sent by its end is not sent in the next one.
type Window struct {
	Intended float64       `json:"intended"`          // frames/s per port that sends; > 0
	Duration time.Duration `json:"duration"`          // > 0
	Side     int           `json:"side,omitempty"`    // the sending port that sends alone, from 1; 0: all of them in turn
	Silence  time.Duration `json:"silence,omitempty"` // after it, in which nothing is sent; >= 0
	// Prime is a load right before it, which fills what the DUT can hold. Its
	// frames, at most MaxPrime, are counted apart. Nil: there is none.
	Prime *Phase `json:"prime,omitempty"`
	// Hold is a load after the Prime. It keeps full what that has filled, while
	// what else it left waiting passes. Its frames are counted nowhere. Nil: there
	// is none, as without a Prime.
	Hold *Phase `json:"hold,omitempty"`
	// Pause follows on these, and nothing is sent in it: a DUT that is full to
	// the brim loses the first frames that come a little early. 0 without a Prime.
	Pause time.Duration `json:"pause,omitempty"`
}

// MaxWindows is the largest number of windows of a trial.
const MaxWindows = 8192

// MaxPrime is the largest number of frames that a window is primed with, from each
// port: more than any ring or queue holds.
const MaxPrime = 1 << 26

// Length is how long a window takes, with what comes before and after it.
func (w Window) Length() time.Duration {
	d := w.Duration + w.Silence
	if w.Prime != nil {
		d += w.Prime.Duration + w.Pause
	}
	if w.Hold != nil {
		d += w.Hold.Duration
	}
	return d
}

// check says what is wrong with a window, or nil.
func (w Window) check(ports int) error {
	switch {
	case !(w.Intended > 0) || w.Duration <= 0:
		return fmt.Errorf("%v frames/s for %v is not above 0", w.Intended, w.Duration)
	case w.Prime != nil && (!(w.Prime.Intended > 0) || w.Prime.Duration <= 0):
		return fmt.Errorf("priming with %v frames/s for %v is not above 0", w.Prime.Intended, w.Prime.Duration)
	case w.Prime != nil && !(w.Prime.Intended*w.Prime.Duration.Seconds() <= MaxPrime):
		return fmt.Errorf("priming with %v frames/s for %v is more than the %d frames that a window is primed with at most: no ring or queue holds as many; prime it for less time",
			w.Prime.Intended, w.Prime.Duration, MaxPrime)
	case frames(w.Intended, w.Duration) == 0 || w.Prime != nil && frames(w.Prime.Intended, w.Prime.Duration) == 0:
		return fmt.Errorf("%v frames/s for %v is less than one frame: make the window longer", w.Intended, w.Duration)
	case w.Silence < 0 || w.Pause < 0:
		return fmt.Errorf("a silence of %v or a pause of %v is negative", w.Silence, w.Pause)
	case w.Pause > 0 && w.Prime == nil:
		return fmt.Errorf("a pause of %v comes after priming, and there is none", w.Pause)
	case w.Hold != nil && (w.Prime == nil || !(w.Hold.Intended > 0) || w.Hold.Duration <= 0 || frames(w.Hold.Intended, w.Hold.Duration) == 0):
		return fmt.Errorf("holding with %v frames/s for %v comes after priming, with a frame at least", w.Hold.Intended, w.Hold.Duration)
	case w.Side < 0 || w.Side > ports:
		return fmt.Errorf("there is no sending port %d: the traffic has %d", w.Side, ports)
	}
	return nil
}

// CheckWindows says what is wrong with the windows of a trial, or nil: how many
// they are, one that sends nothing, or what does not go together with them.
func (t Trial) CheckWindows() error {
	switch {
	case len(t.Windows) == 0:
		return nil
	case len(t.Windows) > MaxWindows:
		return fmt.Errorf("%d windows are more than the %d that a trial can have: make them longer, or fewer", len(t.Windows), MaxWindows)
	case t.Maximum || t.Count > 0 || t.Then != nil || t.Tags.Count > 0 || t.Intended != 0 || t.Duration != 0:
		return fmt.Errorf("a trial of windows has no load, duration, number of frames or tagged frames beside them")
	}
	for i, w := range t.Windows {
		if err := w.check(t.Traffic.Ports()); err != nil {
			return fmt.Errorf("window %d: %w", i+1, err)
		}
	}
	return nil
}

// windowFrames is the number of frames that the windows of a trial intend to
// send, priming included.
func (t Trial) windowFrames() (n uint64) {
	for _, w := range t.Windows {
		ports := uint64(t.Traffic.Ports())
		if w.Side > 0 {
			ports = 1
		}
		n += frames(w.Intended, w.Duration) * ports
		if w.Prime != nil {
			n += frames(w.Prime.Intended, w.Prime.Duration) * ports
		}
		if w.Hold != nil {
			n += frames(w.Hold.Intended, w.Hold.Duration) * ports
		}
	}
	return n
}

// WindowResult is what became of the frames that were sent in one window.
type WindowResult struct {
	Begin    time.Duration `json:"begin"`    // when it began, since the start of sending
	Sent     uint64        `json:"sent"`     // frames that the generator built; a full ring may have refused some
	Received uint64        `json:"received"` // distinct, intact test frames that came back
	Delay    time.Duration `json:"delay"`    // greatest latency of a frame that came back

	PrimeSent     uint64 `json:"prime_sent,omitempty"`     // frames of its Prime
	PrimeReceived uint64 `json:"prime_received,omitempty"` // of which came back

	// LostRun is the greatest number of frames of one stream, one after the
	// other, that were lost.
	LostRun uint64 `json:"lost_run,omitempty"`
	// GeneratorGap is the longest time for which the generator stood still.
	GeneratorGap time.Duration `json:"generator_gap,omitempty"`
	// ReceiverGap is the longest time in which no frame came back, from one
	// that did to the next one.
	ReceiverGap time.Duration `json:"receiver_gap,omitempty"`
	// Preempted is for how long the threads that forward were kept from their
	// CPUs by others, all together; negative when nobody knows.
	Preempted time.Duration `json:"preempted,omitempty"`
}

// OfArms are the ledgers of DUTs side by side, each of the frames of its own windows,
// with what its own counters claim, arm by arm; none where there is one DUT.
func (r TrialResult) OfArms(drops [][]Drop) []Ledger {
	if r.Trial.Traffic.Arms == 0 {
		return nil
	}
	out := make([]Ledger, r.Trial.Traffic.Arms)
	for i, w := range r.Windows {
		if side := r.Trial.Windows[i].Side; side > 0 && side <= len(out) {
			l := &out[side-1]
			l.Offered, l.Received = l.Offered+w.Sent+w.PrimeSent, l.Received+w.Received+w.PrimeReceived
		}
	}
	for arm, l := range out {
		var own []Drop
		if arm < len(drops) {
			own = drops[arm]
		}
		out[arm] = Balance(l.Offered, l.Received, own)
	}
	return out
}

// Lost is how many of the frames of the window itself did not come back; none
// when more came back than were sent.
func (w WindowResult) Lost() uint64 { return w.Sent - min(w.Sent, w.Received) }
