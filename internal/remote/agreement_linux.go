package remote

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Reading is what a machine says of its clocks at a moment.
type Reading struct {
	PTP   *PTP          `json:"ptp,omitempty"`   // nil: no daemon there says anything
	Ahead time.Duration `json:"ahead"`           // of the clock that PTP sets, from that of frames
	Width time.Duration `json:"width"`           // by how much that may be off: two clocks are read one after the other
	Age   time.Duration `json:"age"`             // of what PTP measured last
	Fault string        `json:"fault,omitempty"` // why the clock that PTP sets cannot be read; "": it can
}

// stale is how old an offset is that says nothing any more: daemons measure it each second
// as a rule, and at least every other one.
const stale = 5 * time.Second

// ahead is by how much the clock of frames of one machine is ahead of that of another, when
// both clocks that PTP sets are right.
func ahead(of, from Reading) time.Duration { return from.Ahead - of.Ahead }

// agreement is how far that may be off, at the moment of the readings, or why nothing is
// proven of it.
func agreement(a, b Reading) (time.Duration, error) {
	p, q := a.PTP, b.PTP
	switch {
	case p == nil || q == nil:
		return 0, errors.New("no PTP daemon answers pmc at one of them")
	case p.Grandmaster != q.Grandmaster:
		return 0, fmt.Errorf("they have different PTP grandmasters, %s and %s", p.Grandmaster, q.Grandmaster)
	case a.Fault != "" || b.Fault != "":
		return 0, errors.New(cmp.Or(a.Fault, b.Fault))
	case p.Hardware != q.Hardware:
		return 0, errors.New("PTP sets the clock of a network card at one of them and the system's at the other, which may have different time scales")
	}
	for _, r := range []Reading{a, b} {
		if r.PTP.Parent != r.PTP.Own && (r.Age < 0 || r.Age > stale) {
			return 0, fmt.Errorf("PTP has last measured the clock of %s %v ago", r.PTP.Own, r.Age.Round(time.Millisecond))
		}
	}
	widths := a.Width + b.Width
	switch { // clocks between a machine and the grandmaster are off by what nobody says
	case p.Parent == q.Parent:
		return p.bound() + q.bound() + widths, nil
	case p.Parent == q.Own:
		return p.bound() + widths, nil
	case q.Parent == p.Own:
		return q.bound() + widths, nil
	}
	return 0, fmt.Errorf("they follow different PTP clocks, %s and %s, and nobody says how far these are apart", p.Parent, q.Parent)
}

// within is how far latencies may be off that were measured by what the readings before a
// trial say, when those after it are known as well: as the worse of both moments has it,
// and by as much as the clocks moved meanwhile. A clock that was set anew has moved far.
func within(from, to [2]Reading) (time.Duration, error) {
	var worst time.Duration
	for i := range from {
		bound, err := agreement(from[i], to[i])
		if err != nil {
			return 0, err
		}
		worst = max(worst, bound)
	}
	for _, r := range [][2]Reading{from, to} {
		if a, b := r[0].PTP, r[1].PTP; a.Own != b.Own || a.Parent != b.Parent || a.Interface != b.Interface {
			return 0, errors.New("PTP chose other clocks meanwhile")
		}
	}
	moved := ahead(to[1], from[1]) - ahead(to[0], from[0])
	return worst + moved.Abs(), nil
}
