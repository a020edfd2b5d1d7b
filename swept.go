package weir

import "time"

// Bounds are a rate in frames/s over all ports with its interval: Lower <=
// Value <= Upper; all 0 where there is none, Lower and Upper where no interval is
// known yet.
type Bounds struct {
	Value float64 `json:"value"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Sweep is what a sweep over windows found beside the knee at its loss ratio,
// which is the value of its result.
type Sweep struct {
	KneeZero  Bounds `json:"knee_zero"` // the highest load at which the median window loses nothing
	Saturated Bounds `json:"saturated"` // what is forwarded of far more than that
	// WithStalls is the knee with the windows that look interrupted, though
	// nothing but the DUT is known to have interrupted them.
	WithStalls Bounds `json:"knee_with_interruptions"`
	// Conditional is the highest load up to which the median over all windows,
	// none left out, met the loss ratio: frames/s over all ports (RFC 9971).
	Conditional   float64       `json:"conditional_load"`
	Interruptions Interruptions `json:"interruptions"`
	Windows       int           `json:"windows"`        // of all rounds, those left out included
	LeftOutShare  float64       `json:"left_out_share"` // of these, 0 to 1
	LeftOut       []LeftOut     `json:"left_out,omitempty"`
	Rounds        int           `json:"rounds"` // that have a knee of their own
	Limited       string        `json:"limited,omitempty"`
	// Speeds are those that the DUT, or its machine, had in turn, the fastest first; none
	// where it had one. The value, the rates and the curve are those of the one that leads.
	Speeds []Speed  `json:"speeds,omitempty"`
	Track  []Moment `json:"track,omitempty"` // the speed over time; none where there was one
	// TrackBegan is the time that Track counts from.
	TrackBegan time.Time `json:"track_began,omitzero"`
}

// LimitedBySpeed is what Sweep.Limited says where a faster speed was met for too short a
// time, by another sweep alone, or while loads were too low to show it: all rates are lower
// bounds.
const LimitedBySpeed = "speed"

// Speed is a capacity that a DUT, or its machine, comes back to.
type Speed struct {
	Capacity float64 `json:"capacity"`       // frames/s over all ports
	Share    float64 `json:"share"`          // of the time, that of other sweeps of the campaign included, 0 to 1
	Lead     bool    `json:"lead,omitempty"` // the result is that of this speed
	// Inferred: other sweeps of the campaign alone met it, and the capacity follows from theirs.
	Inferred bool `json:"inferred,omitempty"`
}

// Moment is a time in which a DUT kept its speed. Times are in seconds since
// Sweep.TrackBegan.
type Moment struct {
	From     float64 `json:"from_seconds"`
	Until    float64 `json:"until_seconds"`
	Capacity float64 `json:"capacity"`           // frames/s over all ports
	AtLeast  bool    `json:"at_least,omitempty"` // too little was lost to show more than that
}

// Interruptions are the times for which a DUT, or something that left no
// evidence of itself, stood still.
type Interruptions struct {
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_seconds"` // of their lengths
	Max       float64 `json:"max_seconds"`
}

// LeftOut is a reason for which windows were left out.
type LeftOut struct {
	Reason  string  `json:"reason"` // "generator stood still"
	Windows int     `json:"windows"`
	Share   float64 `json:"share"` // of all windows, 0 to 1
}

// WindowPoint is what the windows of one load amount to.
type WindowPoint struct {
	Load    float64 `json:"load"`     // frames/s over all ports
	Loss    float64 `json:"loss"`     // median loss ratio, 0 to 1
	Lower   float64 `json:"lower"`    // of a 95 % interval of that
	Upper   float64 `json:"upper"`    //
	Windows int     `json:"windows"`  // that count
	LeftOut int     `json:"left_out"` // that do not
}
