package weir

// FindingKind is what frames have in common that a DUT loses whatever the load.
type FindingKind string

// The kinds of findings.
const (
	LosesFlows  FindingKind = "flows"  // some flows lose every frame, the others few or none
	LosesSizes  FindingKind = "sizes"  // some frame sizes lose every frame
	EndsFlows   FindingKind = "ends"   // so many frames of each flow come through, and then no more
	DamagesSome FindingKind = "damage" // frames come back changed
	LosesEvenly FindingKind = "evenly" // the same share of all frames, one here and one there
)

// Finding is a loss that the load does not cause: what a search finds in place of a
// rate, since there is no load without it.
type Finding struct {
	Kind  FindingKind `json:"kind"`
	Share float64     `json:"share"` // of all frames that are lost so, 0 to 1
	Lower float64     `json:"lower"` // interval of the share, 95 %
	Upper float64     `json:"upper"`
	// Loads are the lowest and the highest load, in frames/s over all ports, at which it
	// was seen.
	Loads     [2]float64 `json:"loads"`
	Direction string     `json:"direction,omitempty"` // as of StreamResult; "": every direction that was sent

	// Of LosesFlows, and of EndsFlows.
	Flows  int    `json:"flows,omitempty"`  // that were looked at
	Dead   int    `json:"dead,omitempty"`   // of which so many lose every frame
	First  bool   `json:"first,omitempty"`  // the flows that were sent first work, and no others
	Spans  []Span `json:"spans,omitempty"`  // what the dead flows alone have in common; none: nothing was found
	Frames int    `json:"frames,omitempty"` // of a flow that come through, of EndsFlows
	// Of LosesSizes: the sizes that lose every frame, and the largest that does not.
	Sizes   []Size `json:"sizes,omitempty"`
	Largest Size   `json:"largest,omitempty"`
}

// Span is what dead flows have in common: a field of their headers whose values lie
// there, where no flow has any that works.
type Span struct {
	Field string `json:"field"` // "destination port", "source port", "destination address", "source address"
	From  string `json:"from"`
	To    string `json:"to"`
}
