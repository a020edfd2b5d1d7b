package losses

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"weir"
	"weir/frame"
)

// flow is one flow of a direction, by its number.
type flow struct{ direction, number int }

func inOrder(a, b flow) int {
	return cmp.Or(cmp.Compare(a.direction, b.direction), cmp.Compare(a.number, b.number))
}

// deadFlows finds flows that lose every frame.
func deadFlows(f *Found, trials []*trialFates) bool {
	groups, seen := make(map[flow]tally), [2]bool{}
	for _, t := range trials {
		if !plain(t.traffic) || t.traffic.Flows < 2 {
			return false
		}
		t.each(func(direction, i int, back bool) {
			k := flow{direction, i % t.traffic.Flows}
			groups[k], seen[direction] = groups[k].with(back), true
		})
	}
	flows := dead(groups, inOrder)
	if len(flows) == 0 {
		return false
	}
	f.Kind, f.Flows, f.Dead = weir.LosesFlows, len(groups), len(flows)
	first, last := flows[0].direction, flows[len(flows)-1].direction
	if seen[0] && seen[1] && first == last {
		f.Direction = weir.Directions[first]
	}
	f.Share = float64(f.Dead) / float64(f.Flows)
	f.Lower, f.Upper = f.Share, f.Share
	f.First = beginners(groups, flows)
	if !f.First {
		f.Spans = spans(trials[0].traffic, groups, flows)
	}
	for direction, is := range seen {
		if n := trials[0].traffic.Flows; is && len(groups) == n*trials[0].traffic.Ports() {
			f.know(direction, n, func(i int) bool { return slices.Contains(flows, flow{direction, i}) })
		}
	}
	return true
}

// leastAlike is how many flows have to have something in common for that to be worth a
// word.
const leastAlike = 3

// beginners reports whether the flows that were sent first work, and no others.
func beginners(groups map[flow]tally, dead []flow) bool {
	if len(dead) < leastAlike {
		return false
	}
	begin := [2]int{-1, -1} // of the dead ones
	for _, k := range dead {
		if begin[k.direction] < 0 || k.number < begin[k.direction] {
			begin[k.direction] = k.number
		}
	}
	for k, g := range groups {
		if at := begin[k.direction]; at >= 0 && k.number >= at && g.lost < g.sent {
			return false
		}
	}
	return begin[0] != 0 && begin[1] != 0
}

// fields are what flows differ in, those first that filters look at most.
var fields = []struct {
	name  string
	value func(frame.Flow) (key netip.Addr, port int)
}{
	{"destination port", func(f frame.Flow) (netip.Addr, int) { return netip.Addr{}, int(f.DestinationPort) }},
	{"destination address", func(f frame.Flow) (netip.Addr, int) { return f.Destination, 0 }},
	{"source port", func(f frame.Flow) (netip.Addr, int) { return netip.Addr{}, int(f.SourcePort) }},
	{"source address", func(f frame.Flow) (netip.Addr, int) { return f.Source, 0 }},
}

// mostSpans is how many spans of one field are worth naming.
const mostSpans = 4

// spans are what dead flows have in common: the field of which their values are in the
// fewest spans without the value of a flow that works; none where they are scattered.
func spans(t weir.Traffic, groups map[flow]tally, dead []flow) (best []weir.Span) {
	if len(dead) < leastAlike {
		return nil
	}
	direction, stream := dead[0].direction, t.Forward
	if direction == 1 {
		stream = t.Reverse
	}
	flows, err := frame.Flows(t, stream)
	if err != nil {
		return nil
	}
	type value struct {
		address netip.Addr
		port    int
		dead    bool
	}
	for _, field := range fields {
		var values []value
		for k, g := range groups {
			if k.direction == direction {
				address, port := field.value(flows[k.number])
				values = append(values, value{address, port, g.lost == g.sent})
			}
		}
		slices.SortFunc(values, func(a, b value) int { return cmp.Or(a.address.Compare(b.address), cmp.Compare(a.port, b.port)) })
		var all []weir.Span
		mixed := false
		for i, v := range values {
			same := i > 0 && values[i-1].address == v.address && values[i-1].port == v.port
			mixed = mixed || same && values[i-1].dead != v.dead
			at := v.address.String()
			if !v.address.IsValid() {
				at = strconv.Itoa(v.port)
			}
			switch {
			case !v.dead:
			case i > 0 && values[i-1].dead:
				all[len(all)-1].To = at
			default:
				all = append(all, weir.Span{Field: field.name, From: at, To: at})
			}
		}
		if few := max(1, len(dead)/5); !mixed && len(all) <= min(few, mostSpans) && (best == nil || len(all) < len(best)) {
			best = all
		}
	}
	return best
}

// ended finds flows of which as many frames come through each time, and then none.
func ended(f *Found, trials []*trialFates) bool {
	through, all := 0, tally{}
	for _, t := range trials {
		if !plain(t.traffic) {
			return false
		}
		n := t.beforeEnd(&all)
		if n == 0 || through > 0 && n != through {
			return false
		}
		through = n
	}
	if len(trials) < 2 {
		return false
	}
	f.Kind, f.Frames, f.Flows = weir.EndsFlows, through, trials[0].traffic.Flows
	f.Share = all.share()
	f.Lower, f.Upper = f.Share, f.Share
	return true
}

// beforeEnd is how many frames of a flow come through before all others are lost; 0 where
// it is not the same number of nearly all flows.
func (t *trialFates) beforeEnd(all *tally) int {
	const nearly = .9
	type course struct {
		tally
		again bool // a frame came back after one that did not
	}
	flows := make(map[flow]course)
	t.each(func(direction, i int, back bool) {
		k := flow{direction, i % max(1, t.traffic.Flows)}
		c := flows[k]
		c.again = c.again || back && c.lost > 0
		c.tally = c.with(back)
		flows[k], *all = c, all.with(back)
	})
	counts, looked := make(map[int]int), 0
	for _, c := range flows {
		if through := c.sent - c.lost; c.lost > 1 || c.lost == 0 {
			looked++
			if !c.again && through > 0 && c.lost > 0 {
				counts[through]++
			}
		}
	}
	for n, often := range counts {
		if float64(often) >= nearly*float64(looked) {
			return n
		}
	}
	return 0
}
