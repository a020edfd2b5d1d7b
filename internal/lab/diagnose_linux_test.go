package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/frame"
)

// The ways of a traffic are those of the directions that it has, and each comes
// in at its own port.
func TestWays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*weir.Traffic)
		ports  []int
	}{
		"forward":        {nil, []int{0}},
		"backward":       {func(t *weir.Traffic) { t.Backward = true }, []int{1}},
		"both":           {func(t *weir.Traffic) { t.Bidirectional = true }, []int{0, 1}},
		"backward blend": {func(t *weir.Traffic) { t.Backward, t.Blend = true, &weir.Blend{} }, []int{1, 1}},
	} {
		tr := weir.Traffic{Family: weir.IPv4}
		tr.Forward, tr.Reverse = frame.DefaultStreams(weir.IPv4)
		if c.change != nil {
			c.change(&tr)
		}
		if tr.Blend != nil {
			tr.Blend.Forward, tr.Blend.Reverse = frame.DefaultStreams(weir.IPv6)
		}
		var ports []int
		for _, w := range ways(tr) {
			ports = append(ports, w.port)
			family := weir.IPv4
			if w.from.Is6() {
				family = weir.IPv6
			}
			if w.from != frame.TesterAddr(family, w.port) || w.to != frame.TesterAddr(family, 1-w.port) {
				t.Errorf("%s: from %v to %v, in at port %d", name, w.from, w.to, w.port)
			}
		}
		if d := cmp.Diff(c.ports, ports); d != "" {
			t.Errorf("%s: ports (-want +got):\n%s", name, d)
		}
	}
}
