package xdp

import (
	"math/bits"
	"time"
)

// maxSteps is the largest number of steps of a timeline: 8 MiB of counters.
const maxSteps = 1 << 20

// Grid divides the time at which frames are sent into the steps of a timeline.
// The zero value is none.
type Grid struct {
	Start time.Duration // of the first step, on the clock of Now, no later than the first frame
	Shift uint8         // a step is 1<<Shift ns long, so that the packet path need not divide
	Steps int           // how many there are
}

// NewGrid is a grid without a start for frames that are sent for so long, in
// steps of the resolution or a little longer, and longer still when there would
// be more than a million.
func NewGrid(resolution, length time.Duration) Grid {
	g := Grid{Shift: uint8(bits.Len64(uint64(max(resolution, 1) - 1)))}
	length += overdue // what begins late ends late
	for length>>g.Shift >= maxSteps {
		g.Shift++
	}
	g.Steps = 1 << bits.Len64(uint64(length>>g.Shift)) // few sizes, so that programs are seldom loaded anew
	return g
}

// Resolution is the length of a step.
func (g Grid) Resolution() time.Duration { return 1 << g.Shift }

// Step is the step of a frame that was sent at this time: the nearest one, when
// that is outside of the grid.
func (g Grid) Step(sent time.Duration) int {
	return int(min(max(sent-g.Start, 0)>>g.Shift, time.Duration(g.Steps-1)))
}
