package weir

import "slices"

// Claim is the strongest name that a result has earned, from the ladder
// FRMOL, loss curve, throughput with short trials, MLRsearch, RFC 2544
// throughput.
type Claim struct {
	Name   string   `json:"name"`             // "RFC 2544 throughput", "throughput, short trials", "FRMOL"
	Earned Earned   `json:"earned,omitzero"`  // the name by its parts; zero in stores of before
	Missed []string `json:"missed,omitempty"` // the MUSTs and SHOULDs that keep it from a stronger name, with RFC and section
	// Demands are what was looked at, kept or not, in the order of the text.
	Demands []Demand `json:"demands,omitempty"`
}

// Earned is a name by its parts.
type Earned struct {
	What   string  `json:"what"`                    // "RFC 2544 throughput", "rate", "MLRsearch goal"
	Label  string  `json:"label,omitempty"`         // what keeps it from a stronger name, in two words: "short trials", "at least"
	Loss   float64 `json:"loss_ratio,omitempty"`    // that a rate or a goal allows, 0 to 1
	Exceed float64 `json:"exceed_ratio,omitempty"`  // share of the trials that may lose more
	Final  float64 `json:"final_seconds,omitempty"` // of a goal: how long a final trial lasts
	Sum    float64 `json:"sum_seconds,omitempty"`   // of a goal: how long all trials at a load last
}

// Demand is one thing that a text asks of a result.
type Demand struct {
	ID     string `json:"id,omitempty"` // which it is among those of its claim: "frame-size"; "" in stores of before
	Source string `json:"source"`       // "RFC 2544 section 26.1"
	Level  Level  `json:"level"`
	Text   string `json:"text"`  // what it asks, in one clause
	Found  string `json:"found"` // what was done instead, or in keeping with it, in figures
	Kept   bool   `json:"kept"`
}

// Miss returns what a claim says of the demand where it is missed.
func (d Demand) Miss() string { return d.Source + ": " + d.Text + "; " + d.Found }

// Misses reports whether the name depends on a demand that was not kept.
func (c Claim) Misses(d Demand) bool { return !d.Kept && slices.Contains(c.Missed, d.Miss()) }

// Level is how strongly a text asks (RFC 2119).
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)
