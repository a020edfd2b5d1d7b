package weir

// Reading is what one counter or gauge of the DUT's machine said of a trial.
type Reading struct {
	Source string  `json:"source"` // "cpu", "softnet", "interrupts", "ip", "conntrack"
	Name   string  `json:"name"`   // "CPU 1 softirq", "port 0 rx_dropped"
	Value  float64 `json:"value"`  // how much it grew during the trial, or stood at after it
	Unit   string  `json:"unit"`   // "s", "count", "octets", "Hz", "J", "C", or "" for a ratio
}

// Profile says in which functions CPUs spent their time.
type Profile struct {
	Hertz   float64 `json:"hertz"`   // samples of each CPU in a second
	Samples uint64  `json:"samples"` // that were taken
	Lost    uint64  `json:"lost"`    // that there was no room for
	Stacks  []Stack `json:"stacks"`  // the most frequent first
}

// Stack is a chain of calls in which samples were taken.
type Stack struct {
	Frames  []string `json:"frames"` // names of functions, the outermost first
	Samples uint64   `json:"samples"`
}
