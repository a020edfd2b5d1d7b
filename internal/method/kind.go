package method

// Kind is what the results of a method are about: those of one kind are shown and
// compared in the same way.
type Kind string

// The kinds of results.
const (
	Other     Kind = ""         // a value, listed by the method's name
	Rate      Kind = "rate"     // the highest load that loses no more than a ratio
	Goals     Kind = "goals"    // likewise, for each of several goals
	Most      Kind = "most"     // what is forwarded of the maximum offered load
	Peak      Kind = "peak"     // the most that is forwarded of any load
	Delay     Kind = "delay"    // percentiles of latency
	Knee      Kind = "knee"     // loss over load, from windows
	Overfull  Kind = "overfull" // what is forwarded of far too much, from windows
	Curve     Kind = "curve"    // what is forwarded over load, up and down
	LossCurve Kind = "loss"     // loss over load, from trials
	Sampled   Kind = "sampled"  // where CPUs spend their time: its times are compared with no others
	Ceiling   Kind = "ceiling"  // what the tester does without a DUT
)
