package tester

import (
	"errors"
	"fmt"

	"weir"
)

// check says what is wrong with a trial, or missing for it.
func (t *XDP) check(trial weir.Trial) error {
	if err := trial.CheckWindows(); err != nil {
		return err
	}
	if trial.Length() <= 0 {
		return errors.New("a trial needs a duration")
	}
	if trial.Intended <= 0 && !trial.Maximum && len(trial.Windows) == 0 {
		return errors.New("a trial needs an intended load")
	}
	if len(trial.Traffic.Sizes) == 0 {
		return errors.New("a trial needs a frame size")
	}
	if err := checkAsked(trial); err != nil {
		return err
	}
	if !trial.Bypass && t.config.Accompany == nil && (trial.Event != nil || trial.Probe) {
		return errors.New("this testbed does nothing to the DUT while frames are sent: it has neither events nor a probe")
	}
	if err := t.checkPairs(trial); err != nil {
		return err
	}
	return t.checkSizes(trial)
}

// checkPairs says what is missing for a trial over several pairs of ports.
func (t *XDP) checkPairs(trial weir.Trial) error {
	n, threads := trial.Traffic.PortPairs(), len(t.config.CPUs.Generator)
	if there := len(t.config.Ports) / 2; n > there && !trial.Bypass {
		return fmt.Errorf("a trial over %d pairs of ports: this testbed has %d", n, there)
	}
	if most := identities(trial.Traffic); threads > most {
		return fmt.Errorf("%d CPUs that send through %d pairs of ports: the receivers tell the frames of %d apart, give the generator no more",
			threads, n, most)
	}
	if tr := trial.Traffic; trial.Variation && n > 1 && (tr.Blend != nil || len(tr.Extensions) > 0 || tr.Routes.Count > 0 || tr.Replay != nil) {
		return &weir.UnsupportedError{
			Feature: "comparing the delays of successive frames that do not go to the ports in turn",
			Remedy:  "with several pairs of ports leave out blends, extension headers, routes and captures, or take one pair",
		}
	}
	return nil
}

// checkAsked says what of a trial does not go together.
func checkAsked(trial weir.Trial) error {
	if then := trial.Then; then != nil {
		switch {
		case trial.Maximum || trial.Count > 0:
			return errors.New("a second load follows one of a known rate and duration: not the maximum, not a number of frames")
		case then.Intended <= 0 || then.Duration <= 0:
			return fmt.Errorf("the second load of a trial needs a rate and a duration; it has %g frames/s and %v", then.Intended, then.Duration)
		}
	}
	if err := trial.Tags.Check(); err != nil {
		return err
	}
	if trial.Tags.Count > 0 && (trial.Maximum || trial.Then != nil) {
		return errors.New("tagged frames need one load of a known rate, to be spread over the trial")
	}
	if e := trial.Event; e != nil && (e.After < 0 || e.After >= trial.Length()) {
		return fmt.Errorf("%s %v after the start is not within a trial of %v", e.Name, e.After, trial.Length())
	}
	if trial.Resolution < 0 || trial.Traffic.Burst < 0 {
		return fmt.Errorf("a trial with a resolution of %v and bursts of %d frames: neither is below 0", trial.Resolution, trial.Traffic.Burst)
	}
	return nil
}

// checkSizes says which frames do not fit through a port.
func (t *XDP) checkSizes(trial weir.Trial) error {
	ports := t.config.Ports[:]
	if trial.Bypass {
		if t.self == nil {
			return errors.New("this testbed has no link that bypasses the DUT")
		}
		ports = []weir.Port{*t.config.Self}
	}
	for _, size := range trial.Traffic.Sizes {
		for _, p := range ports {
			if payload := int(size) - 18; payload > p.MTU {
				return fmt.Errorf("frames of %d octets need an MTU of %d; port %s has %d", size, payload, p.Tester, p.MTU)
			}
		}
	}
	return nil
}
