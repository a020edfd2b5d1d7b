package sweep

import (
	"fmt"
	"math"
	"time"

	"weir"
)

// Goal says what a sweep looks for, and in which time. Rates are in frames/s
// per sending port. Except of Maximum, 0 means the default.
type Goal struct {
	Loss       float64       // loss ratio of the knee, 0 to 1; the knee at 0 is found beside it. Default: 0.005
	Resolution float64       // relative difference of loads that matters, 0 to 1. Default: 0.01
	Window     time.Duration // length of a window; a slow DUT gets longer ones. Default: 5 ms
	Silence    time.Duration // after each window; negative: none. Default: 1 ms
	Buffer     int           // frames that the ring before the DUT holds: 256 of veth. 0: nobody knows
	Minimum    float64       // lowest load to send. Default: 10,000, or a twentieth of Maximum
	Maximum    float64       // highest load: what the tester can send; > 0
	Within     time.Duration // time for all windows together. Default: 6 s
	Rounds     int           // passes over the fine loads, apart in time. Default: 3
	Ports      int           // ports that send at once, of which the counters of a window are sums. Default: 1
	Seed       uint64        // of the order of loads
	// Shared says that others use the machine, too, as those of a virtual one do:
	// what its speed varies by within a second it varies by from minute to minute.
	Shared bool
	// Neighbours are other sweeps on the same machine, those that met several speeds.
	// They may know more from pass to pass: a pass says itself what it was laid out for.
	Neighbours []Neighbour

	steady  bool    // the load is that of the pass in all its windows
	learned float64 // frames per port that the DUT was seen to hold, where Buffer is 0; 0: nothing was seen
}

// The defaults of a Goal.
const (
	DefaultLoss       = .005
	DefaultResolution = .01
	DefaultWindow     = 5 * time.Millisecond
	DefaultSilence    = time.Millisecond
	DefaultWithin     = 6 * time.Second
	DefaultRounds     = 3

	lowest = 10_000 // frames/s: below that a window of 5 ms has no 50 frames
)

// maxRounds bounds what a caller can ask for.
const maxRounds = 100

// Validate reports what is wrong with a goal, or nil.
func (g Goal) Validate() error {
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	switch {
	case !(g.Loss >= 0 && g.Loss < .5):
		return fmt.Errorf("loss ratio %v is not in [0, 0.5)", g.Loss)
	case !(g.Resolution >= 0 && g.Resolution < .5):
		return fmt.Errorf("resolution %v is not in [0, 0.5)", g.Resolution)
	case g.Window < 0 || g.Window > time.Minute:
		return fmt.Errorf("a window of %v is not between 0 and a minute", g.Window)
	case g.Silence > time.Minute:
		return fmt.Errorf("a silence of %v is longer than a minute", g.Silence)
	case g.Buffer < 0 || g.Buffer > 1<<24:
		return fmt.Errorf("a buffer of %d frames is not between 0 and %d", g.Buffer, 1<<24)
	case !(g.Maximum >= 1) || !finite(g.Maximum) || g.Maximum > 1e10:
		return fmt.Errorf("maximum load %v is not between 1 and 1e10 frames/s", g.Maximum)
	case !finite(g.Minimum) || g.Minimum >= g.Maximum:
		return fmt.Errorf("minimum load %v is not below the maximum %v", g.Minimum, g.Maximum)
	case g.Within < 0 || g.Within > 24*time.Hour:
		return fmt.Errorf("a time of %v is not between 0 and a day", g.Within)
	case g.Rounds < 0 || g.Rounds > maxRounds:
		return fmt.Errorf("%d rounds are not between 0 and %d", g.Rounds, maxRounds)
	case g.Ports < 0:
		return fmt.Errorf("%d sending ports are less than none", g.Ports)
	}
	return nil
}

// or fills in the defaults.
func (g Goal) or() Goal {
	def(&g.Loss, DefaultLoss)
	def(&g.Resolution, DefaultResolution)
	def(&g.Window, DefaultWindow)
	def(&g.Silence, DefaultSilence)
	def(&g.Within, DefaultWithin)
	def(&g.Rounds, DefaultRounds)
	def(&g.Ports, 1)
	def(&g.Minimum, min(lowest, g.Maximum/20))
	g.Silence = max(g.Silence, 0)
	g.Window = max(g.Window, 10*time.Microsecond)
	return g
}

func def[T comparable](v *T, usual T) {
	var zero T
	if *v == zero {
		*v = usual
	}
}

// Kind says what a pass is for.
type Kind string

// The kinds of passes.
const (
	Coarse Kind = "coarse" // over all loads that the tester has, in geometric steps: where about the knee is
	Fine   Kind = "fine"   // over loads around the knee
)

// Pass is a trial of windows in a sweep: what Next asks for, and with its
// Results a part of the past.
type Pass struct {
	Kind    Kind                `json:"kind"`
	Round   int                 `json:"round"`             // from 1; a coarse pass belongs to the round that follows it
	Knee    float64             `json:"knee,omitempty"`    // frames/s per port: what its loads lie around; 0 in a coarse pass
	Broad   bool                `json:"broad,omitempty"`   // they are for several speeds, of which Knee is the fastest
	Windows []weir.Window       `json:"windows"`           // at most weir.MaxWindows
	Blocks  []int               `json:"blocks"`            // of each window the number of its block, from 0, rising
	Start   time.Duration       `json:"start,omitempty"`   // when it began, since the first pass did; 0: nobody knows, at once after the one before it
	Results []weir.WindowResult `json:"results,omitempty"` // of each window, in their order; fewer when the pass was cut short
}

// Length is how long the windows of a pass take, with all that belongs to them.
func (p Pass) Length() time.Duration {
	var d time.Duration
	for _, w := range p.Windows {
		d += w.Length()
	}
	return d
}

// whole is the number of windows of the blocks that were measured completely.
func (p Pass) whole() int {
	n := min(len(p.Windows), len(p.Blocks), len(p.Results))
	if n < len(p.Blocks) {
		for n > 0 && p.Blocks[n-1] == p.Blocks[n] {
			n--
		}
	}
	return n
}
