package pppoe

import "time"

// offers counts PADIs that are answered in a second. Nobody is known by them, so that
// those of a flood and those of hosts are served alike until it is over.
type offers struct {
	until time.Time
	made  int
}

// another reports whether there may be one more of so many in a second; 0: of any number.
func (o *offers) another(most int, now time.Time) bool {
	if most <= 0 {
		return true
	}
	if !now.Before(o.until) {
		o.until, o.made = now.Add(time.Second), 0
	}
	o.made++
	return o.made <= most
}
