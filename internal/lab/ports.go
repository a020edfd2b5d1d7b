package lab

import (
	"errors"
	"slices"

	"weir"
	"weir/internal/plan"
)

// What can be done to a DUT that is a machine of its own (RFC 2544 section 26.6).
const (
	hardwareReset = "reset hardware" // as its reset button does it
	softwareReset = "reset software" // its system starts it anew
	powerReset    = "reset power"    // its power is off for a while
	hookReset     = "reset hook"     // whatever a command of the user's does
)

// portsEvents are the names of what could be done to the DUT behind ports, or to a
// machine that QEMU runs. Ports of other machines know of no events.
func portsEvents(p plan.Plan) (out []string) {
	if _, far := p.Testbed.FarHosts(); far {
		return nil
	}
	if p.Testbed.Kind == plan.VM {
		out = append(out, hardwareReset, powerReset)
	}
	if p.IsCommanded() {
		out = append(out, softwareReset)
	}
	if len(p.DUT.ResetHook) > 0 {
		out = append(out, hookReset)
	}
	return out
}

// portsLacks says what of a plan cannot be done to a DUT that nobody tells anything.
func portsLacks(p plan.Plan) error {
	errs := toolsLacking(p)
	frames, programs := false, false
	_, far := p.Testbed.FarHosts()
	for _, part := range p.Parts() {
		for _, level := range part.Levels {
			if !p.IsCommanded() { // otherwise the DUT is asked, when it is reached
				errs = append(errs, portsCannot(p, level.Condition))
			}
		}
		for _, t := range part.Traffic {
			if most := len(p.Testbed.Ports) / 2; p.Testbed.Kind == plan.Ports && !p.Testbed.Hosted() && t.PortPairs() > most {
				errs = append(errs, weir.Wrong("%s goes through %d pairs of ports, and the testbed has %d", t.Name, t.PortPairs(), most))
			}
			if far && t.Replay != nil {
				errs = append(errs, weir.Wrong("%s is a capture, which ports of other machines cannot replay, as they do not have its file", t.Name).Advise("take ports of this machine"))
			}
			if t.Application && p.Testbed.Kind == plan.Ports && !p.Testbed.Hosted() && (far || len(p.Testbed.Ports) != 2 || !p.Testbed.Isolate) {
				errs = append(errs, weir.Wrong("programs of end hosts take two ports of this machine, each in a namespace of its own").Advise("name two, and leave isolate as it is"))
			}
			frames, programs = frames || !t.Application, programs || t.Application
		}
	}
	if frames && programs {
		errs = append(errs, weir.Wrong("test frames and programs of end hosts cannot share ports").Advise("take a plan for each"))
	}
	return errors.Join(errs...)
}

// portsCannot says what of a condition cannot be set at a DUT of which nothing is
// known: all but commands of the user's. Where there is none, SSH sets the MTU of a cable at
// both of its ends.
func portsCannot(p plan.Plan, c weir.Condition) error {
	rest := slices.DeleteFunc(slices.Clone(c), func(s weir.DUTSetting) bool {
		t, is := s.(weir.Tuning)
		return is && (t.ByHand() || t.Commanded() || t.Name == weir.MTUTuning && p.Testbed.Hosted() && p.DUT.Platform == plan.NoDUT)
	})
	if rest.IsZero() {
		return nil
	}
	if p.DUT.Platform == plan.NoDUT {
		return weir.Wrong("there is no DUT that weir could set to %v", rest).Advise("leave it out, or set the end hosts with a command of yours: {command: [{name: x, do: ..., undo: ...}]}")
	}
	return weir.Wrong("weir cannot set the DUT to %v: it knows nothing of what is behind the ports;", rest).Advise("set it with a command of yours: {command: [{name: x, do: ..., undo: ...}]}, or say where it can be told things: dut: {host: \"ssh://root@r1\"}")
}
