package dut

import (
	"context"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// target is what a tuning is set at.
type target struct {
	weir.DUT
	Setup
}

// tuning is one thing that can be set at a DUT.
type tuning struct {
	name    string // of the tuning, or the first word of it
	kind    weir.Values
	values  string // that it takes, for people
	summary string // what it is
	// check says why a value cannot be set here, and what to do; it changes
	// nothing.
	check func(context.Context, target, weir.Tuning) error
	// set sets it, and adds what undoes it for each step that was done.
	set func(context.Context, target, weir.Tuning, *settings.Undo) error

	// What else is known of it, as weir.TuningInfo has it.
	behind, idle string // idle: the value with which it does nothing there
	machine      func(weir.Tuning) bool
	needs        []string
	against      func(weir.Tuning, weir.Condition) weir.Problems
}

// row returns a tuning.
func row(name string, kind weir.Values, values, summary string, check func(context.Context, target, weir.Tuning) error, set func(context.Context, target, weir.Tuning, *settings.Undo) error) tuning {
	return tuning{name: name, kind: kind, values: values, summary: summary, check: check, set: set}
}

// behindDriver says that a tuning works on frames behind the drivers of the ports, as what, and
// the value with which it does nothing there.
func (t tuning) behindDriver(what, idle string) tuning {
	t.behind, t.idle = what, idle
	return t
}

// shared says that a tuning is of the whole machine.
func (t tuning) shared() tuning { return t.sharedIf(func(weir.Tuning) bool { return true }) }

// sharedIf says that a tuning is of the whole machine in some cases.
func (t tuning) sharedIf(machine func(weir.Tuning) bool) tuning {
	t.machine = machine
	return t
}

// by says which programs set a tuning.
func (t tuning) by(programs ...string) tuning {
	t.needs = programs
	return t
}

// conflicts says what a tuning does not go together with.
func (t tuning) conflicts(against func(weir.Tuning, weir.Condition) weir.Problems) tuning {
	t.against = against
	return t
}

// The names of tunings that have a part from the user.
const (
	sysctlTuning  = "sysctl"
	commandTuning = "command"
)

// qdiscTuning is the tuning whose drops are counted where it is set.
const qdiscTuning = "qdisc"

// Where some of them can be set. A lab's check knows better: it asks the ports.
const (
	ofCards   = "; of network cards, not of a lab's virtual links"
	ofMachine = "; of the whole machine, so before weir starts and not of a lab"
)

// tunings is the table of those of Linux.
var tunings = []tuning{
	offload("gro", "frames of one flow are joined on receipt (generic receive offload); at a lab's virtual links a program that passes all frames on keeps NAPI without it", "generic-receive-offload").conflicts(againstDriver),
	offload("lro", "the port joins frames of one flow (large receive offload; of virtio_net: rx-gro-hw)"+ofCards, "large-receive-offload", "rx-gro-hw"),
	offload("tso", "the port cuts streams of TCP into frames (TCP segmentation offload)", "tcp-segmentation-offload"),
	row("rps", weir.Words, "off, or CPUs: 1, 0-3, 0,2", "CPUs that do what comes after the receipt of a frame (receive packet steering)", checkRPS, setRPS).behindDriver("receive packet steering (rps)", "off").conflicts(againstSoftirq),
	row("queues", weir.Count, "a number", "queues of each port (ethtool -L)"+ofCards, checkQueues, queueCount.set).by("ethtool"),
	row("ring", weir.Words, "a number, for both; or rx 1024, tx 256, or rx 1024 tx 256", "entries of each ring of a port (ethtool -G)"+ofCards, ringSize.check, ringSize.set).by("ethtool"),
	row("irq", weir.Words, "CPUs: 1, 0-3, 0,2", "CPUs that take the interrupts of the ports"+ofCards, checkIRQ, setIRQ).shared(),
	row("flow_control", weir.Switch, "on, off", "pause frames of Ethernet in both directions (ethtool -A)"+ofCards, checkPause, setPause).by("ethtool"),
	row(weir.MTUTuning, weir.Count, "octets, from 1280 on", "largest packet of the ports, and of the tester's behind them", checkMTU, setMTU),
	row(qdiscTuning, weir.Words, "a kind, with its parameters: noqueue, pfifo limit 100, fq_codel", "queueing discipline of the ports", checkQdisc, setQdisc).behindDriver("a queueing discipline (qdisc)", "").by("tc"),
	row(weir.CPUsTuning, weir.Count, "a number", "CPUs on which the DUT forwards, the first of those that it has", checkCPUs, setCPUs).shared().conflicts(againstNoThreads),
	row("conntrack", weir.Count, "a number", "connections that the firewall can remember (nf_conntrack_max)"+ofMachine, checkConntrack, setConntrack).behindDriver("connections are tracked (conntrack)", "").shared(),
	row(sysctlTuning, weir.Words, "what the kernel takes", "any sysctl of the DUT's network, by its name: sysctl net.ipv4.ip_early_demux", checkSysctl, setSysctl).sharedIf(sharedSysctl),
	row(commandTuning, weir.Words, "a command line, with another that undoes it", "what else a shell at the DUT can set", checkCommand, setCommand),
	row("program", weir.Words, "a command line", "a program that stays and forwards, in place of the kernel or before it", checkProgram, setProgram),
}

// Tunings are the tunings that there are, in the order of a table for people.
func Tunings() []weir.TuningInfo {
	return append(infoOf(tunings), infoOf(bsdTunings)...)
}

func infoOf(tunings []tuning) []weir.TuningInfo {
	var out []weir.TuningInfo
	for _, t := range tunings {
		out = append(out, t.info(weir.Tuning{}))
	}
	return out
}

// info returns what is known of an entry with a value.
func (t tuning) info(of weir.Tuning) weir.TuningInfo {
	i := weir.TuningInfo{Name: t.name, Values: t.kind, Takes: t.values, Summary: t.summary, Needs: t.needs}
	if t.name == sysctlTuning {
		i.Name += " NAME"
	}
	if of.Value != t.idle {
		i.Behind = t.behind
	}
	i.Machine = t.machine != nil && t.machine(of)
	if t.against != nil {
		i.Against = func(c weir.Condition) weir.Problems { return t.against(of, c) }
	}
	return i
}

// Info returns what is known of a tuning; nothing where no table has it.
func Info(t weir.Tuning) weir.TuningInfo {
	for _, table := range [][]tuning{tunings, bsdTunings} {
		if at := find(table, t); at >= 0 {
			return table[at].info(t)
		}
	}
	return weir.TuningInfo{}
}

// find returns the place of a tuning's entry in a table; -1: it has none.
func find(table []tuning, t weir.Tuning) int {
	name := t.Name
	if first, rest, ok := strings.Cut(name, " "); ok && first == sysctlTuning && rest != "" {
		name = first
	}
	return slices.IndexFunc(table, func(o tuning) bool { return o.name == name })
}

// tuningOf is the entry of a platform's table for a tuning that is complete.
func tuningOf(tunings []tuning, t weir.Tuning) (tuning, error) {
	at := find(tunings, t)
	switch {
	case t.Name == sysctlTuning:
		return tuning{}, weir.Wrong("which sysctl?").Advise("Name it: %s net.ipv4.ip_early_demux", sysctlTuning)
	case at < 0:
		var names []string
		for _, o := range infoOf(tunings) {
			names = append(names, o.Name)
		}
		return tuning{}, weir.Wrong("there is no tuning %q;", t.Name).Advise("there are: %s", strings.Join(names, ", "))
	case t.Value == "":
		return tuning{}, weir.Wrong("the tuning %s has no value;", t.Name).Advise("it takes %s", tunings[at].values)
	case t.Name == commandTuning && t.Undo == "":
		return tuning{}, weir.Wrong("%s has no command that undoes it", quoted(t)).Advise("give one, and true where there is nothing to undo")
	case t.Name != commandTuning && t.Undo != "":
		return tuning{}, weir.Wrong("%s is undone without a command", quoted(t)).Advise("leave undo out")
	}
	return tunings[at], nil
}
