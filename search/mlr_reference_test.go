package search

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// The DUTs, their noise and their stalls are those of scripts/mlrsearch-reference,
// draw for draw: whoever changes one changes the other.
var referenceDUTs = flag.Int("reference-duts", 400, "number of DUTs of BenchmarkMLRReference")

const referenceMinimum, referenceMaximum = 1000, 20e6

// referenceCase is what disturbs the DUTs.
type referenceCase struct {
	name     string
	noise    float64 // deviation of the capacity between trials, as a share of it
	stalls   float64 // share of the trials with a stall of 1 to 30 ms, in which nothing is forwarded
	livelock float64 // share of an overload by which the forwarding rate falls below the capacity
}

var referenceCases = []referenceCase{
	{"quiet", 0, 0, 0},
	{"noise 1 %", .01, 0, 0},
	{"stalls in 30 %", 0, .3, 0},
	{"noise and stalls", .01, .3, 0},
	{"livelock, stalls", 0, .3, .05},
}

// referenceGoals are the usual goals, and those of RFC 2544 and TST 009.
var referenceGoals = []struct {
	name  string
	goals []MLRGoal
}{
	{"1 s", usual(referenceMaximum).Goals},
	{"60 s", []MLRGoal{
		{Initial: time.Second, Final: time.Minute, Sum: time.Minute},
		{Initial: time.Second, Final: time.Minute, Sum: 2 * time.Minute, Exceed: .5},
	}},
}

// uniform is a number in [0, 1): splitmix64 of what is drawn.
func uniform(dut, trial, what int) float64 {
	x := uint64(dut)*0x9E3779B97F4A7C15 + uint64(trial)*0xBF58476D1CE4E5B9 + uint64(what)*0x94D049BB133111EB
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return float64((x^x>>31)>>11) / (1 << 53)
}

// referenceCapacity is from 50,000 to 10,000,000 frames/s.
func referenceCapacity(dut int) float64 { return 5e4 * math.Exp(uniform(dut, 0, 0)*math.Log(200)) }

// trial is the n-th one of a DUT.
func (c referenceCase) trial(dut, n int, load float64, d time.Duration) Observation {
	capacity := referenceCapacity(dut)
	if c.noise > 0 {
		capacity *= 1 + c.noise*math.Sqrt(-2*math.Log(1-uniform(dut, n, 1)))*math.Cos(2*math.Pi*uniform(dut, n, 2))
	}
	forwards := load
	if load > capacity {
		forwards = max(0, capacity-(load-capacity)*c.livelock)
	}
	missing := (load - forwards) * d.Seconds()
	if uniform(dut, n, 3) < c.stalls {
		missing += forwards * 1e-3 * math.Exp(uniform(dut, n, 4)*math.Log(30))
	}
	sent := math.Round(load * d.Seconds())
	missing = min(math.Floor(missing), sent)
	return Observation{Load: load, Duration: d, Loss: missing / sent, Forwarded: (sent - missing) / d.Seconds()}
}

// truth is the load up to which a DUT keeps a loss ratio, but for noise and stalls.
func (c referenceCase) truth(dut int, loss float64) float64 {
	return referenceCapacity(dut) * (1 + c.livelock) / (1 + c.livelock - loss)
}

// referenceStart is what a search is told before: nothing, or the knee within
// 2 %, as a sweep of windows finds it.
var referenceStart = map[string]func(dut int) float64{
	"nothing": func(int) float64 { return 0 },
	"knee":    func(dut int) float64 { return referenceCapacity(dut) * (1 + .02*(2*uniform(dut, 0, 1)-1)) },
}

// missed are errors of lower bounds in per cent of the truth.
type missed []float64

func (m missed) low(limit float64) float64 {
	n := 0
	for _, e := range m {
		if e < -limit {
			n++
		}
	}
	return 100 * float64(n) / float64(len(m))
}

func (m missed) median() float64 {
	var sizes []float64
	for _, e := range m {
		sizes = append(sizes, math.Abs(e))
	}
	slices.Sort(sizes)
	return (sizes[(len(sizes)-1)/2] + sizes[len(sizes)/2]) / 2
}

// search finds the errors for each goal, and the mean time.
func (c referenceCase) search(tb testing.TB, goals []MLRGoal, start func(dut int) float64, duts int) (errors []missed, mean time.Duration) {
	errors = make([]missed, len(goals))
	for dut := range duts {
		m := MLR{Goals: goals, Minimum: referenceMinimum, Maximum: referenceMaximum, Start: start(dut)}
		n := 0
		out, err := m.Run(tb.Context(), func(_ context.Context, load float64, d time.Duration) (Observation, error) {
			n++
			mean += d
			return c.trial(dut, n, load, d), nil
		})
		if err != nil {
			tb.Fatal(err)
		}
		for i, o := range out {
			errors[i] = append(errors[i], 100*(o.Lower/c.truth(dut, goals[i].LossRatio)-1))
		}
	}
	return errors, mean / time.Duration(duts)
}

// BenchmarkMLRReference prints what MLRsearch does on the DUTs on which
// scripts/mlrsearch-reference shows what FD.io's does, in the same columns.
func BenchmarkMLRReference(b *testing.B) {
	for b.Loop() {
		for _, known := range []string{"nothing", "knee"} {
			fmt.Printf("\nwhat is known: %s\n%-18s %-6s %-9s %10s %9s %9s %9s %8s\n", known,
				"case", "goals", "loss", "time, s", "median, %", "5 % low", "10 % low", "worst, %")
			for _, g := range referenceGoals {
				for _, c := range referenceCases {
					errors, mean := c.search(b, g.goals, referenceStart[known], *referenceDUTs)
					for i, e := range errors {
						fmt.Printf("%-18s %-6s %-9s %10.1f %9.2f %9.2f %9.2f %8.1f\n", c.name, g.name,
							fmt.Sprintf("%v/%v", g.goals[i].LossRatio, g.goals[i].Exceed), mean.Seconds(), e.median(), e.low(5), e.low(10), slices.Min(e))
					}
				}
			}
		}
	}
}
