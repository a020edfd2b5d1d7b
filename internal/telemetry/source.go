package telemetry

import (
	"strings"

	"weir"
)

// Source is one thing that a machine says of itself.
type Source struct {
	Name    string // of its readings (weir.Reading.Source)
	Summary string // one line
	// wants says what has to be read for it. Nothing of that has to be there.
	wants func(Subject) wants
	// parse finds the samples in what was read. Its error is that of a text that
	// is not as the kernel writes it; what is not there gives no sample.
	parse func(Subject, answers) ([]sample, error)
}

// Sources is the table of them, in the order of their readings.
func Sources() []Source {
	return []Source{
		cpuSource, threadSource, schedulerSource, softnetSource, interruptSource,
		portSource, ethtoolSource, ipSource, conntrackSource,
		memorySource, frequencySource, temperatureSource, energySource,
	}
}

// Subject is what of a machine is of interest.
type Subject struct {
	Ports   []weir.Port // of the DUT
	CPUs    []int       // on which the DUT works; none: all of the machine's
	Threads []int       // process IDs of those in which it forwards
}

// wants is what is read for a source.
type wants struct {
	files    []string // paths, or patterns of them with *, whose matches are looked for once
	names    []string // likewise, of which only the matches are of interest
	commands []command
}

// command is run for a source.
type command struct {
	argv  []string
	where string // a path that has to be there for it to be run
}

// key is the name of the answer to a command.
func (c command) key() string { return strings.Join(c.argv, " ") }

// answers are what was read: texts by path or by command, and the paths of all
// that matches a pattern.
type answers struct {
	texts   map[string]string
	matches map[string][]string
}

// text is that of a file, without the white space around it; "" when it is not
// there.
func (a answers) text(path string) string { return strings.TrimSpace(a.texts[path]) }

// sample is what one counter or gauge stands at.
type sample struct {
	name  string
	unit  string  // as of weir.Reading
	count uint64  // of a counter
	scale float64 // of a counter, in units; 0: 1
	wrap  uint64  // a counter begins at 0 again after wrap-1; 0: only when what it belongs to is made anew
	// mayDecrease marks a counter that the kernel estimates, and corrects now and then.
	mayDecrease bool
	gauge       bool
	value       float64 // of a gauge
}

// words32 is how many values a counter of 32 bits has.
const words32 = 1 << 32

// growth is by how much a counter grew, in units.
func growth(before, after sample) float64 {
	grown := after.count - before.count
	switch {
	case after.count >= before.count:
	case after.mayDecrease:
		grown = 0
	case after.wrap > before.count:
		grown = after.wrap - before.count + after.count
	default:
		grown = after.count // it began anew
	}
	if after.scale == 0 {
		return float64(grown)
	}
	return float64(grown) * after.scale
}

// of reports whether a CPU is one of the subject's.
func (s Subject) of(cpu int) bool {
	for _, c := range s.CPUs {
		if c == cpu {
			return true
		}
	}
	return len(s.CPUs) == 0
}
