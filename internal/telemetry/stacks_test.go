package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func names(thread uint32) string {
	return map[uint32]string{0: "swapper", 7: "napi/eth0-8193\n", 8: "kworker/0:1", 9: "weir"}[thread]
}

var functions = symbols{
	at:    []uint64{0x100, 0x200, 0x300, 0x400, 0x500, 0x600},
	names: []string{"napi_poll", "ip_forward", "do_idle", "default_idle", "interrupt", "last"},
}

func TestStacks(t *testing.T) {
	c := newChains(names)
	for range 3 {
		c.add(sampled{thread: 7, chain: []uint64{0x210, 0x110}})
	}
	c.add(sampled{thread: 7, chain: []uint64{0x220, 0x120}}) // elsewhere in the same functions
	c.add(sampled{thread: 9, user: true})
	c.add(sampled{thread: 9, user: true})
	c.add(sampled{thread: 0, chain: []uint64{0x410, 0x310}})               // idle
	c.add(sampled{thread: 0, chain: []uint64{0x210, 0x510, 0x410, 0x310}}) // interrupted while idle
	c.add(sampled{thread: 0, chain: []uint64{0x510, 0x300}})               // returns to the beginning of do_idle: called by ip_forward
	c.add(sampled{thread: 8, chain: []uint64{0x410}})                      // no CPU that is idle
	c.add(sampled{thread: 10, chain: []uint64{0x610}})                     // has ended
	p := c.profile(functions)
	want := weir.Profile{Samples: 11, Stacks: []weir.Stack{
		{Frames: []string{"[napi]", "napi_poll", "ip_forward"}, Samples: 4},
		{Frames: []string{"[weir]", "(user)"}, Samples: 2},
		{Frames: []string{"(idle)"}, Samples: 1},
		{Frames: []string{"[kworker]", "default_idle"}, Samples: 1},
		{Frames: []string{"[swapper]", "interrupt", "ip_forward"}, Samples: 1},
		{Frames: []string{"[swapper]", "ip_forward", "interrupt"}, Samples: 1},
		{Frames: []string{"[unknown]", "last"}, Samples: 1},
	}}
	if d := cmp.Diff(want, p); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// No machine can make a profile grow without bounds, and no sample is lost by
// the bounds.
func TestStacksAreBounded(t *testing.T) {
	many := symbols{}
	for i := range uint64(mostStacks + 10) {
		many.at = append(many.at, i*0x10)
		many.names = append(many.names, string(rune(0x4e00+i)))
	}
	c := newChains(names)
	for i := range uint64(mostChains + 100) {
		c.add(sampled{thread: 9, chain: []uint64{i % ((mostStacks + 10) * 0x10), i}})
	}
	p := c.profile(many)
	var sum uint64
	for _, s := range p.Stacks {
		sum += s.Samples
	}
	if len(c.counts) != mostChains || c.crowded != 100 || sum != mostChains+100 || p.Samples != sum {
		t.Errorf("%d chains, %d more, %d samples of %d", len(c.counts), c.crowded, sum, p.Samples)
	}
	last := p.Stacks[len(p.Stacks)-1]
	if len(p.Stacks) != mostStacks+1 || last.Frames[0] != otherFrame || last.Samples < 100 {
		t.Errorf("%d stacks, the last one %v", len(p.Stacks), last)
	}
}
