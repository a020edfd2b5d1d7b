package dut

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// bsdTunings are those that Linux has not, by FreeBSD's entries of them.
var bsdTunings = []tuning{
	fastForwarding,
	capability("polling", "ports are polled by the clock instead of interrupting (polling(4) of FreeBSD, options DEVICE_POLLING)", []string{"ifconfig", "-m"}, nil, "polling"),
	oneOfSysctl("netisr", "how received packets come to the IP stack (net.isr.dispatch of FreeBSD)", "net.isr.dispatch", "direct", "hybrid", "deferred"),
	row("entropy", weir.Words, "on, off, or a mask", "whether interrupts and frames are sources of entropy (kern.random.harvest.mask of FreeBSD)", checkEntropy, setEntropy),
}

// What the three set alike.
var (
	bsdMTU     = row(weir.MTUTuning, weir.Count, "octets, from 1280 on", "largest packet of the ports, and of the tester's behind them", checkLinkMTU, setLinkMTU)
	bsdSysctl  = row(sysctlTuning, weir.Words, "what the kernel takes", "any sysctl, by its name: sysctl net.inet.ip.redirect", checkPlainSysctl, setPlainSysctl)
	bsdCommand = row(commandTuning, weir.Words, "a command line, with another that undoes it", "what else a shell at the DUT can set", checkCommand, setCommand)
)

// refused is a tuning that a system does not have, and why.
func refused(system, name, why string) tuning {
	no := func(context.Context, target, weir.Tuning) error {
		return &weir.UnsupportedError{Feature: "the tuning " + name + " on " + system, Remedy: why + ": leave the level out"}
	}
	return tuning{name: name, values: "nothing on " + system, check: no,
		set: func(ctx context.Context, at target, t weir.Tuning, _ *settings.Undo) error { return no(ctx, at, t) }}
}

// tableOf returns the table of a BSD: its own tunings, those that it does not have, by name and
// reason, and all others that there are.
func tableOf(system string, own []tuning, pairs ...string) []tuning {
	for pair := range slices.Chunk(pairs, 2) {
		own = append(own, refused(system, pair[0], pair[1]))
	}
	for _, t := range slices.Concat(tunings, bsdTunings) {
		if find(own, weir.Tuning{Name: t.name}) < 0 {
			own = append(own, refused(system, t.name, "weir has no word for it there"))
		}
	}
	return own
}

// onOrOff is an error for any other value.
func onOrOff(t weir.Tuning) error {
	if t.Value != "on" && t.Value != "off" {
		return fmt.Errorf("it is on or off")
	}
	return nil
}

// offered are the lines of ifconfig that list what a port can have.
var offered = regexp.MustCompile(`(?m)(?:capabilities|hwfeatures)=[0-9a-fx]+<([^>]*)>`)

// capability is the tuning of a switch of ifconfig's, or of several that go together.
// The command before and after the name of a port has ifconfig list what it can have.
func capability(name, summary string, before, after []string, switches ...string) tuning {
	return tuning{
		name: name, kind: weir.Switch, values: "on, off", summary: summary,
		check: func(ctx context.Context, at target, t weir.Tuning) error {
			if err := onOrOff(t); err != nil || t.Value == "off" {
				return err
			}
			for i, port := range at.Ports {
				text, err := at.Host.Run(ctx, "", slices.Concat(before, []string{port.DUT}, after)...)
				if err != nil {
					return err
				}
				var has []string
				if found := offered.FindStringSubmatch(text); found != nil {
					has = strings.Split(found[1], ",")
				}
				for _, s := range switches {
					if !slices.Contains(has, settings.CapabilityWord(s)) {
						return &weir.UnsupportedError{Feature: fmt.Sprintf("%s at port %d (%s)", quoted(t), i, s), Remedy: "its driver has it not: leave the level out, or take another card"}
					}
				}
			}
			return nil
		},
		set: func(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
			for _, port := range at.Ports {
				for _, s := range switches {
					if err := setTo(ctx, at.Host, undo, settings.Setting{Kind: settings.Capability, Device: port.DUT, Name: s}, t.Value); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// oneOfSysctl is the tuning of a sysctl that has some words for values.
func oneOfSysctl(name, summary, of string, words ...string) tuning {
	return row(name, weir.Words, strings.Join(words, ", "), summary,
		func(ctx context.Context, at target, t weir.Tuning) error {
			if !slices.Contains(words, t.Value) {
				return fmt.Errorf("it is one of: %s", strings.Join(words, ", "))
			}
			return canSysctl(ctx, at.Host, of)
		},
		func(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
			return setTo(ctx, at.Host, undo, sysctl(of), t.Value)
		})
}

// switchedSysctls is a tuning that is on or off by some sysctls.
func switchedSysctls(name, summary, on, off string, names ...string) tuning {
	return row(name, weir.Switch, "on, off", summary,
		func(ctx context.Context, at target, t weir.Tuning) error {
			if err := onOrOff(t); err != nil {
				return err
			}
			for _, n := range names {
				if err := canSysctl(ctx, at.Host, n); err != nil {
					return err
				}
			}
			return nil
		},
		func(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
			value := map[string]string{"on": on, "off": off}[t.Value]
			for _, n := range names {
				if err := setTo(ctx, at.Host, undo, sysctl(n), value); err != nil {
					return err
				}
			}
			return nil
		})
}

// canSysctl says that a kernel does not have a sysctl. The sysctl(8) of OpenBSD does not
// fail then: it says nothing.
func canSysctl(ctx context.Context, h weir.Host, name string) error {
	if v, err := sysctl(name).Get(ctx, h); err != nil || v == "" {
		return &weir.UnsupportedError{Feature: "the sysctl " + name, Remedy: "its kernel has it not: leave the level out", Err: err}
	}
	return nil
}

// sysctlName is what the name of a sysctl may be: it goes to a command.
var sysctlName = regexp.MustCompile(`^[A-Za-z0-9_%-]+(\.[A-Za-z0-9_%-]+)+$`)

// plainSysctl is the sysctl that a tuning names.
func plainSysctl(t weir.Tuning) (string, error) {
	name := strings.TrimSpace(strings.TrimPrefix(t.Name, sysctlTuning))
	if !sysctlName.MatchString(name) {
		return "", weir.Wrong("%q is no name of a sysctl", name).Advise("net.inet.ip.redirect is one")
	}
	return name, nil
}

func checkPlainSysctl(ctx context.Context, at target, t weir.Tuning) error {
	name, err := plainSysctl(t)
	if err != nil {
		return err
	}
	return canSysctl(ctx, at.Host, name)
}

func setPlainSysctl(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	name, err := plainSysctl(t)
	if err != nil {
		return err
	}
	return setTo(ctx, at.Host, undo, sysctl(name), t.Value)
}

func checkLinkMTU(ctx context.Context, at target, t weir.Tuning) error {
	n, err := positive(t.Value)
	if err != nil {
		return err
	}
	if n < leastMTU {
		return fmt.Errorf("IPv6 takes %d at least", leastMTU)
	}
	for _, port := range at.Ports {
		if _, err := (settings.Setting{Kind: settings.LinkMTU, Device: port.DUT}).Get(ctx, at.Host); err != nil {
			return err
		}
	}
	return nil
}

// setLinkMTU changes a link at the end of the tester too, where that is within reach.
func setLinkMTU(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if err := checkLinkMTU(ctx, at, t); err != nil {
		return err
	}
	for i, port := range at.Ports {
		if far := at.Behind[i]; far != nil {
			if err := setTo(ctx, far, undo, settings.Setting{Kind: settings.MTU, Device: port.Tester}, t.Value); err != nil {
				return err
			}
		}
		if err := setTo(ctx, at.Host, undo, settings.Setting{Kind: settings.LinkMTU, Device: port.DUT}, t.Value); err != nil {
			return err
		}
	}
	return nil
}
