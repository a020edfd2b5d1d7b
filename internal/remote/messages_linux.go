package remote

import (
	"net/netip"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/tester"
)

// Role is what a machine with ports of the tester plays (agent.Verb).
const Role = "tester"

// sweepRole undoes what killed processes have left at a machine.
const sweepRole = "sweep"

// Settings are those of a side's ports. Number i of them is port 2i of the tester, or
// 2i + 1.
type Settings struct {
	Side      int              `json:"side"` // 0 or 1
	Ports     []string         `json:"ports"`
	Addresses [][]netip.Prefix `json:"addresses"` // by port
	MTU       int              `json:"mtu"`
	CPUs      weir.CPUs        `json:"cpus"` // empty sets are filled in
	Isolate   bool             `json:"isolate"`
	Uplinks   bool             `json:"uplinks"`
}

// Told is what a side says of itself when it has its ports.
type Told struct {
	Ports    []weir.Port    `json:"ports"`
	Media    []netif.Medium `json:"media"`
	Self     bool           `json:"self"` // it can be measured without the DUT
	CPUs     weir.CPUs      `json:"cpus"`
	Count    int            `json:"count"` // CPUs of the machine
	Boot     string         `json:"boot"`  // tells a start of a machine from all others
	Kernel   string         `json:"kernel"`
	CPUModel string         `json:"cpu_model"`
	Clocks   Reading        `json:"clocks"`
	Settings []weir.Setting `json:"settings"` // of the machine and the ports
}

// resolving asks for the Ethernet address of a router.
type resolving struct {
	Port   int        `json:"port"` // of the side's
	Router netip.Addr `json:"router"`
}

// ordering settles when frames leave.
type ordering struct {
	At   time.Duration `json:"at"` // on the clock of the side
	Mark uint8         `json:"mark"`
	Back uint32        `json:"back,omitempty"` // of how many frames of a stream one is to come back; 0: of none
}

// expecting announces a trial to the side that receives.
type expecting struct {
	Trial     weir.Trial          `json:"trial"`
	Announced tester.Announcement `json:"announced"`
	Ahead     time.Duration       `json:"ahead,omitempty"` // of the clock of the side, from the sender's
}

// arriving says what has arrived of a trial, and what of that was sent back.
type arriving struct {
	Frames uint64 `json:"frames"`
	Back   uint64 `json:"back,omitempty"`
}

// progress is how far sending is.
type progress struct {
	Over   bool   `json:"over"`
	Frames uint64 `json:"frames"` // that were sent, when it is over
}

// bypassed is a trial without the DUT, when it is over.
type bypassed struct {
	Over   bool             `json:"over"`
	Result weir.TrialResult `json:"result,omitzero"`
}

// Load is what a machine's CPUs have done so far, those of the tester alone.
type Load struct {
	Steal time.Duration `json:"steal"`
	Tasks time.Duration `json:"tasks"`
	Used  time.Duration `json:"used"` // of which the tester
}
