package sweep

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"weir"
)

// SideBySideWindow is how long the windows of arms side by side are where nobody says.
const SideBySideWindow = 5 * time.Millisecond

// What goes before and after a window of an arm.
const (
	// The first millisecond does not count: the caches hold what another arm
	// needed, and the arm's ring is empty.
	warming = time.Millisecond
	// draining is for what an arm's ring holds after its window: the next arm
	// works on the same CPUs.
	draining = time.Millisecond
)

// Of so many blocks the last two have windows of twice the length: where these show
// another effect, what an arm finds cold when its turn comes is a part of it.
const longerEach = 16

// overfilling is how much more than an arm forwards its windows have to hold, so
// that it forwards all it can.
const overfilling = 1.1

// SideBySide is what is asked of DUTs side by side, the arms: by how much
// they differ in what they forward when they are saturated. What slows the
// machine down touches all of them alike, as their windows take turns within
// milliseconds: a difference of 1 % shows where single rates carry 15 %.
//
// One build of the arms knows itself well, and nothing of the next build: two
// equal namespaces differ a little for as long as they live. So a build is one
// observation, however many blocks it has.
type SideBySide struct {
	Arms   int           // that differ: 2 or more, or one to know how fast it is; arm a is behind sending port a+1, and arm 0 is what the others are compared with
	Load   float64       // frames/s, well above what any arm forwards
	Window time.Duration // that counts; 0: SideBySideWindow
	Blocks int           // of a build: each holds a window of each arm
	Ring   int           // frames that an arm's receive ring holds; 0: as Goal has it
	Seed   uint64
}

func (b SideBySide) window() time.Duration {
	if b.Window > 0 {
		return b.Window
	}
	return SideBySideWindow
}

// windowOf is how long the windows of a block are.
func (b SideBySide) windowOf(block int) time.Duration {
	if block%longerEach >= longerEach-2 {
		return 2 * b.window()
	}
	return b.window()
}

// length is that of a block, on average.
func (b SideBySide) length() time.Duration {
	return time.Duration(b.Arms) * (warming + b.window() + 2*b.window()/longerEach + draining)
}

// BlocksIn is how many blocks of the arms there is time for, at least one, and no
// more than a trial takes.
func (b SideBySide) BlocksIn(t time.Duration) int {
	return min(max(1, int(t/b.length())), weir.MaxWindows/max(b.Arms, 1))
}

// Windows are those of a build, from 0 on: blocks in which each arm has its turn,
// in an order that is drawn anew for each second block. The block after it has the
// order reversed, so that what drifts cancels.
func (b SideBySide) Windows(build int) []weir.Window {
	random := rand.New(rand.NewPCG(b.Seed, uint64(build)))
	var all []weir.Window
	var order []int
	for block := range b.Blocks {
		if block%2 == 0 {
			order = random.Perm(b.Arms)
		}
		for i := range order {
			arm := order[i]
			if block%2 == 1 {
				arm = order[len(order)-1-i]
			}
			all = append(all, weir.Window{
				Intended: b.Load, Duration: b.windowOf(block), Side: arm + 1, Silence: draining,
				Prime: &weir.Phase{Intended: b.Load, Duration: warming},
			})
		}
	}
	return all
}

// Loads with which it is found out how much is enough.
const (
	probingFrom  = 50_000. // frames/s
	probingStep  = 1.5
	probingTimes = 3 // windows of each load and arm
)

// Plenty is how many times what the fastest arm forwards is well above it.
const Plenty = 1.5

// Probing are windows of rising loads for all arms, up to what the tester can
// send, in frames/s.
func (b SideBySide) Probing(maximum float64) []weir.Window {
	b.Blocks = probingTimes
	var all []weir.Window
	for b.Load = min(probingFrom, maximum); ; b.Load = min(b.Load*probingStep, maximum) {
		all = append(all, b.Windows(0)...)
		if b.Load >= maximum {
			return all
		}
	}
}

// Enough is a load that is well above what any arm forwards, by what came of
// Probing; 0: nothing did.
func (b SideBySide) Enough(windows []weir.Window, results []weir.WindowResult) float64 {
	type of struct {
		arm  int
		load float64
	}
	rates, most := map[of][]float64{}, 0.
	for i, r := range results {
		w := windows[i]
		k := of{w.Side, w.Intended}
		rates[k] = append(rates[k], float64(min(r.Received, r.Sent))/w.Duration.Seconds())
		most = max(most, quantile(rates[k], .5)*float64(min(len(rates[k])/probingTimes, 1)))
	}
	return Plenty * most
}

// Sendable is the highest load of Probing of which most windows count: of more the
// tester stands still now and then, or sends less; 0: there is none.
func (b SideBySide) Sendable(windows []weir.Window, results []weir.WindowResult) (most float64) {
	all, _, err := b.blocks(windows, results, min(len(windows), len(results))/max(b.Arms, 1))
	if err != nil {
		return 0
	}
	for _, c := range columns(all, func(*sample) bool { return true }) {
		counting := 0
		for _, s := range c.windows {
			if s.counts() {
				counting++
			}
		}
		if 2*counting > len(c.windows) {
			most = max(most, c.load)
		}
	}
	return most
}

// A BuildResult is what a build of arms showed.
type BuildResult struct {
	Arms    []Arm
	Blocks  int
	Reasons []Reason // why windows were left out
	LeftOut float64  // their share
}

// Arm is one of the DUTs.
type Arm struct {
	Windows int     // that count
	Short   int     // windows that do not, as less was sent than asked, and not well more than it forwards
	Least   float64 // frames/s that it forwards at least, the median of those Short windows; 0: there are none
	Rate    float64 // frames/s that it forwards, the median of its windows that count; 0: nothing, or none does
	Effect  float64 // the logarithm of what it forwards in terms of arm 0; 0 of that itself
	Pairs   int     // blocks in which its window and that of arm 0 count, of those that the Effect is from
	// Longer is how much more its Effect is in windows of twice the length; NaN where
	// there are too few of these to tell.
	Longer float64
	// Unsaturated: its load was not well above what it forwards, so that it
	// may forward more.
	Unsaturated bool
}

// fewLonger is how many windows of twice the length tell something.
const fewLonger = 4

// JudgeBuild is what came of the windows of a build. The effect of an arm is the
// median of the means of any two of its blocks (Hodges and Lehmann 1963), of which
// a quarter may be off without any harm. It is an error when the windows are not
// those of arms side by side.
func (b SideBySide) JudgeBuild(windows []weir.Window, results []weir.WindowResult) (BuildResult, error) {
	whole := min(len(windows), len(results)) / max(b.Arms, 1) // a trial that was interrupted has fewer results
	s := BuildResult{Arms: make([]Arm, b.Arms), Blocks: whole}
	if b.Arms < 1 || whole == 0 {
		return s, errors.New("arms are one or more, with a block at least")
	}
	all, of, err := b.blocks(windows, results, whole)
	if err != nil {
		return s, err
	}
	seen := make([]armSeen, b.Arms)
	for _, at := range of {
		for arm := range at {
			if one := &all[at[arm]]; one.counts() || one.reason == Unsent {
				seen[arm].usual = append(seen[arm].usual, one.rate)
			}
		}
	}
	for _, at := range of {
		for arm := range at {
			seen[arm].add(&all[at[arm]])
		}
		for arm := range at {
			seen[arm].compare(&all[at[arm]], &all[at[0]], b.window())
		}
	}
	for arm := range s.Arms {
		s.Arms[arm] = seen[arm].amount(seen[0].stopped)
	}
	s.Reasons, s.LeftOut = reasons(all)
	return s, nil
}

// blocks are the windows of all arms, and which of them is an arm's, by block.
func (b SideBySide) blocks(windows []weir.Window, results []weir.WindowResult, whole int) ([]sample, [][]int, error) {
	g := Goal{Ports: b.Arms, Buffer: b.Ring}
	all, of := make([]sample, 0, whole*b.Arms), make([][]int, whole)
	for block := range whole {
		of[block] = slices.Repeat([]int{-1}, b.Arms)
		for i := block * b.Arms; i < (block+1)*b.Arms; i++ {
			w := windows[i]
			if w.Side < 1 || w.Side > b.Arms || of[block][w.Side-1] >= 0 {
				return nil, nil, errors.New("a block of arms side by side has one window of each")
			}
			one := sample{window: w, result: results[i], block: block}
			one.rate = float64(min(one.result.Received, one.result.Sent)) / w.Duration.Seconds()
			one.reason = g.outside(one)
			of[block][w.Side-1] = len(all)
			all = append(all, one)
		}
	}
	return all, of, nil
}

// logRate returns the logarithm of what a window forwarded, of one that forwarded nothing that
// of half a frame: so little that it counts as a loss of all.
func (s *sample) logRate() float64 {
	return math.Log(max(s.rate, .5/s.window.Duration.Seconds()))
}

// hodgesLehmann is the median of the means of any two values, and of the values;
// 0 of none.
func hodgesLehmann(values []float64) float64 {
	var means []float64
	for i, v := range values {
		for _, w := range values[i:] {
			means = append(means, (v+w)/2)
		}
	}
	return median(means)
}
