package tester

import (
	"errors"
	"fmt"

	"weir"
)

// check says what is wrong with a trial, or missing for it.
func (t *XDP) check(trial weir.Trial) error {
	if trial.Duration <= 0 {
		return errors.New("a trial needs a duration")
	}
	if trial.Intended <= 0 && !trial.Maximum {
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
	return t.checkSizes(trial)
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
	switch tags := trial.Tags; {
	case tags.Count < 0 || tags.Count > weir.MaxTags || tags.After < 0:
		return fmt.Errorf("%d tagged frames after %v: there are 0 to %d, from the start on", tags.Count, tags.After, weir.MaxTags)
	case tags.Count > 0 && (trial.Maximum || trial.Then != nil):
		return errors.New("tagged frames need one load of a known rate, to be spread over the trial")
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
