package proof

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"weir"
)

// model makes campaigns of runs as a plan with a firewall, none and stateful,
// and two sizes has them.
type model struct {
	seed       uint64
	replicates int
	effects    []float64 // of the arms, differences of logarithms
	noise      float64   // of a run
	waves      float64   // of a level that lasts four to six runs
	unblocked  bool
	same       bool
	sizes      []int
	change     func(r *weir.Result, of int) // what befell a run, of so many in all
}

var arms = []string{"firewall none", "firewall stateless", "firewall stateful"}

// levels of the arms, as results have them.
var levels = []string{"none", "stateless", "stateful"}

func (m model) campaign() weir.Campaign {
	random := rand.New(rand.NewPCG(m.seed, 11))
	if m.sizes == nil {
		m.sizes = []int{64, 512}
	}
	n := len(m.effects)
	perBlock := n
	if m.same {
		perBlock++
	}
	all := m.replicates * len(m.sizes) * perBlock
	c := weir.Campaign{ID: "1", Name: "made up", Ended: "complete", Manifest: weir.Manifest{Experiment: &weir.Experiment{
		Factors: []weir.Factor{{Name: "firewall", Levels: levels[:n]}},
		Arms:    arms[:n], Same: m.same, Confidence: 0.95,
	}}}
	wave, left, block := 0.0, 0, 0
	for rep := range m.replicates {
		for _, s := range random.Perm(len(m.sizes)) {
			block++
			for _, a := range random.Perm(perBlock) {
				if left == 0 {
					wave, left = m.waves*random.NormFloat64(), 4+random.IntN(3)
				}
				left--
				run := weir.Run{Number: len(c.Results) + 1, Block: block, Replicate: rep + 1, Again: a == n}
				if a == n {
					a = 0
				}
				run.Arm = arms[a]
				if m.unblocked {
					run.Block, run.Replicate = 0, 0
				}
				log := math.Log(1e6) - float64(s)*0.3 + m.effects[a] + wave + m.noise*random.NormFloat64()
				r := weir.Result{Method: "throughput", Claim: weir.Claim{Name: "RFC 2544 throughput"}, Unit: "frames/s",
					Factors: weir.Factors{"frame_size": m.sizes[s], "firewall": levels[a]},
					Run:     run, Value: math.Exp(log), Width: 0.005, CPUPerFrame: math.Exp(-log)}
				if m.change != nil {
					m.change(&r, all)
				}
				c.Results = append(c.Results, r)
			}
		}
	}
	return c
}

// madeUp returns a warning of a code.
func madeUp(code weir.WarningCode) weir.Warning { return weir.Warn(code, "made up") }

// has reports whether there is a warning of a code.
func has(ws []weir.Warning, code weir.WarningCode) bool {
	return slices.ContainsFunc(ws, func(w weir.Warning) bool { return w.Code == code })
}

// values are the comparisons of values.
func values(p Proof) []Comparison {
	return slices.DeleteFunc(slices.Clone(p.Comparisons), func(c Comparison) bool { return c.Figure != "" })
}

// title names a comparison.
func title(c Comparison) string {
	return c.Method + " " + c.Traffic + " " + c.Figure + " " + strconv.FormatFloat(c.LossRatio, 'g', -1, 64)
}
