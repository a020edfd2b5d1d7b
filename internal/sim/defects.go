package sim

import (
	"math"
	"sort"

	"weir"
	"weir/frame"
)

// What is drawn apart for the same trial.
const (
	lossDraws   = 0x6c6f7373
	damageDraws = 0x64616d61
)

// mostCycle is the largest number of frames after which flows and sizes meet again that
// the defects of a DUT follow; of more, sizes have no part in them.
const mostCycle = 1 << 22

// defects are the frames of a trial that the DUT loses whatever the load.
type defects struct {
	ports   float64
	flows   int
	frames  float64 // of a flow that come through; 0: all
	cycle   []int   // how many of so many frames of a port, from the start of a cycle on, are lost
	lost    []float64
	damaged []float64 // numbers of frames that come back changed, in order
}

// defectsOf are those of a trial; nil where the DUT has none.
func (d dut) defectsOf(t weir.Trial, frames float64) *defects {
	chosen := d.DropFlows > 0 || d.DropPorts[1] > 0 || d.FlowTable > 0 || d.LargestFrame > 0
	if t.Bypass || !chosen && d.FlowFrames == 0 && d.RandomLoss == 0 && d.Damage == 0 {
		return nil
	}
	out := &defects{
		ports: float64(t.Traffic.Ports()), flows: max(1, t.Traffic.Flows), frames: float64(d.FlowFrames),
		lost: d.scattered(lossDraws, d.RandomLoss, frames), damaged: d.scattered(damageDraws, d.Damage, frames),
	}
	if chosen {
		out.cycle = d.dropped(t.Traffic)
	}
	return out
}

// scattered are the numbers of the frames that a share falls on, each by itself.
func (d dut) scattered(process uint64, share, frames float64) (out []float64) {
	if share <= 0 {
		return nil
	}
	draws := d.draws(process)
	apart := math.Log1p(-min(share, 1-1e-9))
	for n := -1.; ; {
		n += 1 + math.Floor(math.Log(1-draws.Float64())/apart)
		if n >= frames {
			return out
		}
		out = append(out, n)
	}
}

// dropped counts the frames of a cycle of flows and sizes that do not pass.
func (d dut) dropped(t weir.Traffic) []int {
	dead := d.deadFlows(t)
	sizes, length := len(t.Sizes), len(dead)
	for length%sizes != 0 && length <= mostCycle {
		length += len(dead)
	}
	if length > mostCycle {
		length, sizes = len(dead), 1
	}
	out := make([]int, length+1)
	for i := range length {
		out[i+1] = out[i]
		if dead[i%len(dead)] || d.LargestFrame > 0 && int(t.Sizes[i%sizes]) > d.LargestFrame {
			out[i+1]++
		}
	}
	return out
}

// deadFlows are the flows of which no frame passes.
func (d dut) deadFlows(t weir.Traffic) []bool {
	dead := make([]bool, max(1, t.Flows))
	for i := range dead {
		_, turn := math.Modf((float64(i) + .5) * golden)
		dead[i] = turn < d.DropFlows || d.FlowTable > 0 && i >= d.FlowTable
	}
	if d.DropPorts[1] == 0 {
		return dead
	}
	stream := t.Forward
	if t.Backward {
		stream = t.Reverse
	}
	flows, err := frame.Flows(t, stream)
	for i := range dead {
		if err == nil && int(flows[i].DestinationPort) >= d.DropPorts[0] && int(flows[i].DestinationPort) <= d.DropPorts[1] {
			dead[i] = true
		}
	}
	return dead
}

// before is how many of the first n frames of a trial are lost or damaged.
func (x *defects) before(n float64) float64 {
	gone := float64(sort.SearchFloat64s(x.lost, n) + sort.SearchFloat64s(x.damaged, n))
	pass := n - gone // of the rest, those that are chosen; all frames of a port take turns with those of the others
	for port := range int(x.ports) {
		own := math.Ceil((n - float64(port)) / x.ports)
		if own > 0 && n > 0 {
			gone += x.chosen(own) * pass / n
		}
	}
	return gone
}

// chosen is how many of the first n frames of a port are of flows or sizes that do not
// pass, or of flows that have had theirs.
func (x *defects) chosen(n float64) float64 {
	ended := 0.
	if through := x.frames * float64(x.flows); through > 0 && n > through {
		n, ended = through, n-through
	}
	if len(x.cycle) == 0 {
		return ended
	}
	length := len(x.cycle) - 1
	whole := int(n) / length
	return ended + float64(whole*x.cycle[length]+x.cycle[int(n)%length])
}

// spoil has a passage lose what the defects of the DUT take of what its queue lets
// through.
func (p *passage) spoil(x *defects) {
	p.defects = x
	if x == nil {
		return
	}
	sum := 0.
	for i := range p.pieces {
		f := &p.pieces[i]
		f.spoilt = sum
		sum += (x.before(f.to) - x.before(f.from)) * f.passed()
	}
}

// passed is the share of a piece's frames that the queue lets through.
func (p piece) passed() float64 { return 1 - (p.first+p.last)/2 }

// spoiltBy is how many of the first n frames the defects take, of which the last is in a
// piece.
func (p *passage) spoiltBy(f piece, n float64) float64 {
	if p.defects == nil {
		return 0
	}
	return f.spoilt + (p.defects.before(n)-p.defects.before(f.from))*f.passed()
}

// lostToDefects is how many frames they take, and how many of these come back damaged.
func (p *passage) lostToDefects() (lost, damaged uint64) {
	if p.defects == nil || len(p.pieces) == 0 {
		return 0, 0
	}
	last := p.pieces[len(p.pieces)-1]
	lost = uint64(p.spoiltBy(last, last.to))
	return lost, min(lost, uint64(float64(len(p.defects.damaged))*last.passed()))
}

// fates are those of the first frames of each port.
func (p *passage) fates(t weir.Trial) (out []weir.Fate) {
	ports := t.Traffic.Ports()
	for i := range ports {
		port := 2*i + t.Traffic.Direction()
		if t.Traffic.Bidirectional {
			port = i
		}
		f := weir.NewFate(port, min(t.Tags.Count, int(p.frames())/ports))
		for n := range f.Sent {
			if all := uint64(n*ports + i); p.lostOf(all+1) == p.lostOf(all) {
				f.Return(n)
			}
		}
		out = append(out, f)
	}
	return out
}
