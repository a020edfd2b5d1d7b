package telemetry

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"weir"
)

// Bounds of a profile.
const (
	mostChains = 1 << 16 // different chains that are counted apart while sampling
	mostStacks = 2000    // that are in the profile
)

// Frames of a profile that are no functions.
const (
	idleFrame  = "(idle)"  // the CPU had nothing to do
	userFrame  = "(user)"  // in a program's own code, which is not looked into
	otherFrame = "(other)" // in stacks for which there was no room
)

// idleFunctions are those in which the kernel waits for something to do.
var idleFunctions = []string{
	"pv_native_safe_halt", "native_safe_halt", "default_idle", "default_idle_call", "arch_cpu_idle", "cpu_do_idle",
	"mwait_idle", "mwait_idle_with_hints", "intel_idle", "intel_idle_irq", "intel_idle_ibrs", "intel_idle_hlt",
	"acpi_safe_halt", "acpi_idle_enter", "acpi_idle_do_entry", "acpi_processor_ffh_cstate_enter", "poll_idle", "cpuidle_enter_state", "do_idle",
}

// chains counts samples by where they were taken.
type chains struct {
	counts  map[string]uint64 // by key
	crowded uint64            // samples of chains beyond mostChains
	samples uint64
	threads map[uint32]string // names
	named   func(uint32) string
	key     []byte
}

// newChains counts samples; named gives the name of a thread, asked for when it
// is first seen.
func newChains(named func(uint32) string) *chains {
	return &chains{counts: make(map[string]uint64), threads: make(map[uint32]string), named: named}
}

func (c *chains) add(s sampled) {
	c.samples++
	if _, known := c.threads[s.thread]; !known && len(c.threads) < mostChains {
		c.threads[s.thread] = c.named(s.thread)
	}
	c.key = binary.NativeEndian.AppendUint32(c.key[:0], s.thread)
	c.key = append(c.key, 0)
	if s.user {
		c.key[4] = 1
	}
	for _, address := range s.chain {
		c.key = binary.NativeEndian.AppendUint64(c.key, address)
	}
	if _, known := c.counts[string(c.key)]; !known && len(c.counts) >= mostChains {
		c.crowded++
		return
	}
	c.counts[string(c.key)]++
}

// profile names the functions of all chains. Stacks beyond the most frequent
// ones are one by the name of "(other)".
func (c *chains) profile(functions symbols) weir.Profile {
	byFrames := make(map[string]uint64)
	for key, n := range c.counts {
		byFrames[strings.Join(c.frames(key, functions), "\x00")] += n
	}
	p := weir.Profile{Samples: c.samples}
	for frames, n := range byFrames {
		p.Stacks = append(p.Stacks, weir.Stack{Frames: strings.Split(frames, "\x00"), Samples: n})
	}
	slices.SortFunc(p.Stacks, func(a, b weir.Stack) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), slices.Compare(a.Frames, b.Frames))
	})
	other := c.crowded
	if len(p.Stacks) > mostStacks {
		for _, s := range p.Stacks[mostStacks:] {
			other += s.Samples
		}
		p.Stacks = p.Stacks[:mostStacks]
	}
	if other > 0 {
		p.Stacks = append(p.Stacks, weir.Stack{Frames: []string{otherFrame}, Samples: other})
	}
	return p
}

// frames are the functions of a chain, the outermost first, below the program or
// thread that ran.
func (c *chains) frames(key string, functions symbols) []string {
	thread := binary.NativeEndian.Uint32([]byte(key[:4]))
	user := key[4] == 1
	var out []string
	for i, at := 0, 5; at+8 <= len(key); i, at = i+1, at+8 {
		address := binary.NativeEndian.Uint64([]byte(key[at:]))
		if i > 0 {
			address-- // where a call returns to may be the next function already
		}
		out = append(out, functions.name(address))
	}
	if thread == 0 {
		// What interrupts a CPU that has nothing to do is worth knowing, and not the
		// way to where it waits.
		at := slices.IndexFunc(out, func(name string) bool { return slices.Contains(idleFunctions, name) })
		if at == 0 {
			return []string{idleFrame}
		}
		if at > 0 {
			out = out[:at]
		}
	}
	slices.Reverse(out)
	if user {
		out = append(out, userFrame)
	}
	return append([]string{"[" + threadName(c.threads[thread]) + "]"}, out...)
}

// threadName is the name of a thread without what tells it from others of its
// kind: "napi/eth0-8193" and "kworker/0:1" are "napi" and "kworker".
func threadName(comm string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(comm), "/")
	if name == "" {
		return "unknown"
	}
	return name
}
