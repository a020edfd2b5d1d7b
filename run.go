package weir

// Run is one repetition of the methods of a plan on one combination of levels,
// after one reset of the DUT: the statistical unit. Nothing that is measured
// within a run says how much runs differ. The zero value is that of a campaign
// which measures everything once.
type Run struct {
	Number int `json:"number"` // from 1, in the order of measuring
	// Block is the number, from 1, of the runs that are compared with each other
	// alone: they were measured one after the other with the same traffic, each
	// arm once, in random order. 0: there are no blocks, as in imported data.
	Block int `json:"block,omitempty"`
	// Replicate is the number, from 1, of the runs that hold each combination of
	// all levels once: a block for each traffic.
	Replicate int `json:"replicate,omitempty"`
	// Arm names the combination of the levels that are compared: "firewall
	// stateless".
	Arm string `json:"arm"`
	// Again marks the baseline measured once more in the same block (A/A): where
	// it differs from itself, nothing is proven.
	Again bool `json:"again,omitempty"`
}

// Experiment is what a campaign of runs varies, and how its runs were ordered.
type Experiment struct {
	Factors []Factor `json:"factors"` // in the order of the plan
	Arms    []string `json:"arms"`    // Run.Arm of all; the first is the baseline that the others are compared with
	// Levels are those that an arm is named for, by its name, in the order of Factors; none of an
	// arm that differs in no factor, or of a store of before that has nothing that names them.
	Levels   map[string][]ArmLevel `json:"levels,omitempty"`
	Schedule Schedule              `json:"schedule"` // "": not known, as of imported data
	Seed     uint64                `json:"seed"`     // of the order
	Reset    Reset                 `json:"reset"`    // of the DUT between runs
	Same     bool                  `json:"same"`     // whether the baseline is measured twice in each block (A/A)
	// Reference is the arm of plain forwarding that stood side by side with all others:
	// rates in terms of it can be compared between days. "": there is none.
	Reference  string  `json:"reference,omitempty"`
	Runs       int     `json:"runs"`              // replicates that were asked for, or that Detect takes by the pilot; 0: not known yet
	Needed     int     `json:"needed,omitempty"`  // replicates that Detect takes by the pilot, though there may be fewer; 0: there was no pilot
	Detect     float64 `json:"detect,omitempty"`  // the smallest change that matters, relative; 0: not said
	Margin     float64 `json:"margin,omitempty"`  // changes below it make no difference, relative; 0: not said
	ByHand     int     `json:"by_hand,omitempty"` // how often a person has set the DUT by hand, or made sure how it is set, when asked to
	Left       string  `json:"left,omitempty"`    // the level that a person has set the DUT to last; "": none
	Confidence float64 `json:"confidence"`        // of intervals and verdicts, 0 to 1
}

// ReferenceArm is the arm of plain forwarding where no level of the factors is that.
const ReferenceArm = "reference"

// Factor is what an experiment varies.
type Factor struct {
	Name    string   `json:"name"`              // "firewall"
	Levels  []string `json:"levels"`            // "none", "stateless", "stateful"; as in Factors of a result
	Traffic bool     `json:"traffic,omitempty"` // whether it is one of what is sent: its levels are not compared with each other, but those of the others at each of its levels
}

// ArmLevel is a level of a factor, as an arm has it.
type ArmLevel struct {
	Factor string    `json:"factor"`
	Name   string    `json:"name"`            // as the name of the arm has it
	Named  bool      `json:"named,omitempty"` // whether the user has given it the name; otherwise that is how it was written
	Set    Condition `json:"set,omitzero"`    // what of the DUT it sets; zero: nothing
}

// Schedule is the order of the runs within their blocks.
type Schedule string

// The schedules.
const (
	Blocks Schedule = "blocks" // randomised complete blocks
	ABBA   Schedule = "abba"   // the same, every other block being the one before it backwards; all are where levels are set by hand
	// Abreast has the arms of a block side by side, each a DUT of its own, built anew
	// for the block, and what is sent to them takes turns within milliseconds: a
	// block is one build, and one observation of each arm.
	Abreast Schedule = "windows"
)

// Reset is what is done to the DUT between two runs.
type Reset string

// The depths of a reset.
const (
	NoReset Reset = "none"    // nothing, where two runs have the same arm
	Reapply Reset = "reapply" // the levels are undone and set anew
	Rebuild Reset = "rebuild" // the testbed is taken down and set up anew
	Reboot  Reset = "reboot"  // the DUT's system starts it anew
	Power   Reset = "power"   // the DUT's power is off for a while
)
