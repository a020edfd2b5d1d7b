package dut

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"weir"
	"weir/internal/settings"
)

// freebsd forwards with the kernel's own IP stack.
var freebsd = bsd{
	name:     "FreeBSD",
	quick:    []string{"net.inet6.ip6.dad_count"},
	disabled: "ifdisabled",
	shown: []string{
		"net.inet.ip.forwarding", "net.inet6.ip6.forwarding", "net.inet.ip.redirect", "net.inet6.ip6.redirect", "net.inet.ip.fastforwarding",
		"net.isr.dispatch", "net.isr.numthreads", "net.isr.bindthreads", "kern.random.harvest.mask", "net.inet.ip.fw.enable",
	},
	traits: []string{
		"kern.vm_guest", "kern.timecounter.hardware", "kern.hz", "machdep.hyperthreading_allowed", "dev.cpu.0.freq", "hw.ibrs_active", "vm.pmap.pti",
	},
	virtual:  "kern.vm_guest",
	bare:     "none",
	counters: []string{"netstat", "-i", "-n", "-d", "-W"},
	queues:   []string{"net.inet.ip.intr_queue_drops", "net.inet6.ip6.intr_queue_drops"},
	policer:  "dummynet (ipfw(8)) limits bits, and its manual does not say which of a frame's",
	levels: levels{
		tunings: tableOf("FreeBSD", slices.Concat(bsdTunings, []tuning{
			capability("lro", "the port joins frames of one flow", []string{"ifconfig", "-m"}, nil, "lro"),
			capability("tso", "the port cuts streams of TCP into frames", []string{"ifconfig", "-m"}, nil, "tso4", "tso6"),
			row("flow_control", weir.Switch, "on, off", "pause frames of Ethernet in both directions", checkFreeBSDPause, setFreeBSDPause),
			bsdMTU, bsdSysctl, bsdCommand,
		}),
			"gro", "it joins frames of TCP alone, by lro",
			"rps", "it has netisr, whose threads are a matter of the loader (net.isr.maxthreads)",
			"queues", "they are a matter of the loader (dev.X.Y.iflib.override_nrxqs and override_ntxqs, iflib(4)): set them before weir starts",
			"ring", "it is a matter of the loader (dev.X.Y.iflib.override_nrxds and override_ntxds, iflib(4)): set it before weir starts",
			"irq", "cpuset -x IRQ has no undo that weir knows: set it with command",
			"qdisc", "it has ALTQ in kernels that are built for it alone",
			"cpus", "weir cannot tell it on how many CPUs it forwards",
			"conntrack", "pf has set limit states for that, ipfw net.inet.ip.fw.dyn_max: set it with sysctl or command",
			"program", "programs that stay are not started by SSH",
		),
		firewalls: firewalls{
			{weir.PF, pfStates, freebsdPF.check, freebsdPF.set, deniedPF},
			{weir.IPFW, nil, checkIPFW, setIPFW, deniedIPFW},
		},
	},
}

// The way of a packet that is not held up: ip_fastforwarding(4) until FreeBSD 10, which
// had a sysctl; from then on the kernel takes it where no redirects have to be sent.
const (
	oldFastForwarding = "net.inet.ip.fastforwarding"
	redirects         = "net.inet.ip.redirect"
	redirects6        = "net.inet6.ip6.redirect"
)

var fastForwarding = row("fastforward", weir.Switch, "on, off",
	"packets are forwarded at once where they can be: FreeBSD (net.inet.ip.fastforwarding; from 11 on by no redirects) and NetBSD (maxflows)",
	func(ctx context.Context, at target, t weir.Tuning) error {
		if err := onOrOff(t); err != nil {
			return err
		}
		return canSysctl(ctx, at.Host, redirects)
	},
	func(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
		if canSysctl(ctx, at.Host, oldFastForwarding) == nil {
			return setTo(ctx, at.Host, undo, sysctl(oldFastForwarding), map[string]string{"on": "1", "off": "0"}[t.Value])
		}
		for _, name := range []string{redirects, redirects6} {
			if err := setTo(ctx, at.Host, undo, sysctl(name), map[string]string{"on": "0", "off": "1"}[t.Value]); err != nil {
				return err
			}
		}
		return nil
	})

// harvest is the sysctl whose bits are sources of entropy, and ofTraffic are those that
// have work for each frame: NET_ETHER and INTERRUPT, of sys/random.h.
const (
	harvest   = "kern.random.harvest.mask"
	ofTraffic = 1<<5 | 1<<7
)

// entropyMask is the mask for a value, from the one that there is.
func entropyMask(value, now string) (string, error) {
	mask, err := strconv.ParseUint(now, 0, 32)
	if err != nil {
		return "", fmt.Errorf("%s is %q, which is no mask", harvest, now)
	}
	switch value {
	case "on":
		mask |= ofTraffic
	case "off":
		mask &^= ofTraffic
	default:
		if mask, err = strconv.ParseUint(value, 10, 32); err != nil {
			return "", fmt.Errorf("it is on, off, or a mask as %s has it: 351", harvest)
		}
	}
	return strconv.FormatUint(mask, 10), nil
}

func checkEntropy(ctx context.Context, at target, t weir.Tuning) error {
	if err := canSysctl(ctx, at.Host, harvest); err != nil {
		return err
	}
	now, err := sysctl(harvest).Get(ctx, at.Host)
	if err == nil {
		_, err = entropyMask(t.Value, now)
	}
	return err
}

func setEntropy(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	now, err := sysctl(harvest).Get(ctx, at.Host)
	if err != nil {
		return err
	}
	mask, err := entropyMask(t.Value, now)
	if err != nil {
		return err
	}
	return setTo(ctx, at.Host, undo, sysctl(harvest), mask)
}

// pauses are the drivers whose manuals have a sysctl dev.DRIVER.N.fc, and what it is for
// flow control in both directions.
var pauses = map[string]string{"ixl": "3", "bnxt": "1"}

var unitName = regexp.MustCompile(`^([a-z]+)(\d+)$`)

// pauseSysctl is the sysctl of flow control of a port, and its value for on.
func pauseSysctl(port string) (name, on string, err error) {
	if unit := unitName.FindStringSubmatch(port); unit != nil && pauses[unit[1]] != "" {
		return "dev." + unit[1] + "." + unit[2] + ".fc", pauses[unit[1]], nil
	}
	return "", "", &weir.UnsupportedError{Feature: "flow control at " + port, Remedy: "the manual of its driver has no sysctl dev.X.Y.fc: leave the level out, or name what it has (sysctl NAME)"}
}

func checkFreeBSDPause(ctx context.Context, at target, t weir.Tuning) error {
	if err := onOrOff(t); err != nil {
		return err
	}
	for _, port := range at.Ports {
		name, _, err := pauseSysctl(port.DUT)
		if err == nil {
			err = canSysctl(ctx, at.Host, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func setFreeBSDPause(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	for _, port := range at.Ports {
		name, value, err := pauseSysctl(port.DUT)
		if err != nil {
			return err
		}
		if t.Value == "off" {
			value = "0"
		}
		if err := setTo(ctx, at.Host, undo, sysctl(name), value); err != nil {
			return err
		}
	}
	return nil
}
