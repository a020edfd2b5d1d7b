package weir

import (
	"cmp"
	"strconv"
)

// TuningInfo says what a tuning is.
type TuningInfo struct {
	Name    string // as a plan has it: "gro", "sysctl NAME"
	Values  Values // as which its values are read and recorded
	Takes   string // which these are, for people: "on, off"
	Summary string

	// What a tuning with a value is, as the table of its platform has it.
	Behind  string                   // of a frame's way behind the driver of its port, in a sentence; "": nothing
	Machine bool                     // it is of the whole machine, so that DUTs side by side have it in common
	Needs   []string                 // programs that set it
	Against func(Condition) Problems // what it conflicts with; nil: nothing
}

// Values are what the values of a tuning are.
type Values int

// The kinds of values, and how they are recorded.
const (
	Words  Values = iota // as they are written
	Switch               // "on" or "off"
	Count                // a whole number
	Rates                // frames/s or prefixes/s, as a plain number
	Shares               // parts of 1
	Times                // whole nanoseconds
)

// Tuning is a setting that the table of a platform has, by its name.
type Tuning struct {
	Name  string `json:"name"`           // "gro", "rps", "sysctl net.core.netdev_budget", "command"
	Value string `json:"value"`          // "off", "600", or a command line; "": a person sets it by hand
	Undo  string `json:"undo,omitempty"` // the command line that undoes a command
	Arm   string `json:"arm,omitempty"`  // which level it is, for a command or a program that serves several; "": it has no name
}

// String is "gro off"; a command is named by itself.
func (t Tuning) String() string {
	switch {
	case t.ByHand():
		return t.Arm + " (by hand)"
	case t.Name == commandTuning:
		return t.Value
	}
	return t.Name + " " + t.Value
}

// ByHand reports whether a person sets it: it has the name of a command's level, and
// no command.
func (t Tuning) ByHand() bool { return t.Name == commandTuning && t.Value == "" && t.Arm != "" }

// Commanded reports whether a command of the user's sets it.
func (t Tuning) Commanded() bool { return t.Name == commandTuning && !t.ByHand() }

// commandTuning is the tuning that there can be several of.
const commandTuning = "command"

// The tunings whose values others than the DUT go by.
const (
	MTUTuning  = "mtu"  // the end hosts are set to the same
	CPUsTuning = "cpus" // its share of CPU time is one of so many
)

// MTU returns the largest packet that a condition sets ports to; 0: it leaves them as they are.
func (c Condition) MTU() int { return c.tuned(MTUTuning) }

// CPUs returns on how many CPUs a condition has the DUT forward; 0: it does not say.
func (c Condition) CPUs() int { return c.tuned(CPUsTuning) }

// tuned returns the number that a tuning is set to; 0: none.
func (c Condition) tuned(name string) int {
	for _, t := range c.Tunings() {
		if n, err := strconv.Atoi(t.Value); t.Name == name && err == nil {
			return n
		}
	}
	return 0
}

func (Tuning) kind() kind { return tuningKind }

// What tunings conflict with is for the table of their platform to say: TuningInfo.
var tuningKind = &kindOf[Tuning]{
	key:     "tunings",
	words:   Tuning.String,
	levels:  func(t Tuning) Factors { return Factors{t.Name: cmp.Or(t.Value, t.Arm)} },
	called:  func(t Tuning) string { return t.Name },
	nothing: func(t Tuning) bool { return t.Value == "" && !t.ByHand() },
}
