package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// series is a number of runs as a campaign makes them: recorded ones or those
// of a model.
type series interface {
	name() string
	runs(seed uint64, blocks, arms int) []Observation
}

// machine is a model of runs on a shared machine: it has a level for four to
// six runs, then another, and each run has noise of its own.
type machine struct {
	title       string
	level, own  float64 // deviations of logarithms
	least, most int     // runs of a level
	effects     []float64
}

// shared is what was seen on a virtual machine with two CPUs: runs of one
// unchanged lab vary by 13 %, in waves of four to six runs.
var shared = machine{title: "shared", level: 0.124, own: 0.04, least: 4, most: 6}

func (m machine) name() string { return m.title }

// arm names an arm by its number; the second is the A/A.
func arm(n int) string { return fmt.Sprintf("arm %d", n) }

// asked are the options of all of these comparisons.
var asked = Options{Baseline: arm(0), Again: arm(1), Arms: []string{arm(2), arm(3), arm(4)}}

// runs are randomised complete blocks. A longer series begins with the shorter
// one of the same seed.
func (m machine) runs(seed uint64, blocks, arms int) []Observation {
	random := rand.New(rand.NewPCG(seed, 4))
	var out []Observation
	level, left := 0.0, 0
	for b := range blocks {
		for _, a := range random.Perm(arms) {
			if left == 0 {
				level, left = m.level*random.NormFloat64(), m.least+random.IntN(m.most-m.least+1)
			}
			left--
			log := math.Log(1e6) + level + m.own*random.NormFloat64()
			if a < len(m.effects) {
				log += m.effects[a]
			}
			out = append(out, Observation{Block: b + 1, Arm: arm(a), Value: math.Exp(log), Order: len(out) + 1})
		}
	}
	return out
}

// lab are the runs of one unchanged lab, one after the other.
type lab struct {
	title  string
	values []float64
}

// readLab reads a number of frames/s on each line.
func readLab(title, path string) (lab, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return lab{}, err
	}
	l := lab{title: title}
	for _, word := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return lab{}, err
		}
		l.values = append(l.values, v)
	}
	return l, nil
}

func (l lab) name() string { return l.title }

// runs are some of the lab's, from another place on for each seed. As nothing
// was changed between them, any of them can be of any arm.
func (l lab) runs(seed uint64, blocks, arms int) []Observation {
	random := rand.New(rand.NewPCG(seed, 5))
	at := random.IntN(len(l.values) - blocks*arms + 1)
	var out []Observation
	for b := range blocks {
		for _, a := range random.Perm(arms) {
			out = append(out, Observation{Block: b + 1, Arm: arm(a), Value: l.values[at], Order: len(out) + 1})
			at++
		}
	}
	return out
}
