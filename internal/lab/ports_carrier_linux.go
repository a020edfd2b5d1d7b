package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/wiring"
)

const (
	carrierLook   = 100 * time.Millisecond // how often links are looked at during a trial
	aliveEach     = time.Second            // how often ports that only receive say that they are there
	carrierBack   = time.Minute            // how long a link may be gone, and how long then the box behind it
	carrierLosses = 3                      // how often in one trial
)

// carrierLostError ends a trial in the middle of which a port has lost its carrier.
type carrierLostError struct {
	port   string
	before error // it had none when the trial began
}

func (e *carrierLostError) Error() string {
	if e.before != nil {
		return e.before.Error()
	}
	return fmt.Sprintf("port %s lost its carrier in the middle of a trial: is its cable loose, or was the box restarted?", e.port)
}

func (e *carrierLostError) where() string {
	if e.before != nil {
		return "a port"
	}
	return "port " + e.port
}

// whileLinked measures a trial again in the middle of which a port has lost its carrier,
// when that is back. Where it does not come back, that is the error.
func (l *portsLab) whileLinked(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		var lost *carrierLostError
		for attempt := 1; ; attempt++ {
			again := lost
			r, err := measure(ctx, trial)
			if again != nil && err == nil {
				r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.TrialRepeated, "%s lost its carrier, and the trial was measured again when it was back", again.where()))
			}
			if !errors.As(err, &lost) || ctx.Err() != nil || attempt == carrierLosses {
				return r, err
			}
			if back := l.back(ctx); back != nil {
				return r, fmt.Errorf("%w; %w", err, back)
			}
		}
	}
}

// back waits until frames get through again: a switch takes half a minute until it
// forwards (spanning tree), a router that starts anew longer.
func (l *portsLab) back(ctx context.Context) error { return l.through(ctx, carrierBack) }

// through waits so long until the links are there, and then until frames get through.
func (l *portsLab) through(ctx context.Context, limit time.Duration) error {
	if _, err := l.carrierChanges(); err != nil {
		return err // what comes in place of a port that is gone is another one
	}
	if err := l.bed.AwaitCarriers(ctx, limit); err != nil {
		return err
	}
	for end := time.Now().Add(limit); ; {
		err := l.connect(ctx)
		if wrong := (*wiring.WrongError)(nil); !errors.As(err, &wrong) || time.Now().After(end) {
			return err
		}
		if why := l.machine.why(); why != nil {
			return why
		}
	}
}

// forwardedAgain waits until frames get through again where a link has gone since then.
func (l *portsLab) forwardedAgain(ctx context.Context, since []int) error {
	if l.lostSince(since) == "" {
		return nil
	}
	return l.back(ctx)
}

// linked ends a trial as soon as a port loses its carrier.
func (l *portsLab) linked(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		before, err := l.carrierChanges()
		if err != nil {
			return weir.TrialResult{}, err
		}
		if err := l.bed.AwaitCarriers(ctx, 0); err != nil {
			return weir.TrialResult{}, &carrierLostError{before: err}
		}
		l.sayAlive(trial)
		if trial.Event != nil { // which may take the carrier away
			return measure(ctx, trial)
		}
		until, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			tick := time.NewTicker(carrierLook)
			defer tick.Stop()
			for {
				select {
				case <-until.Done():
					return
				case <-tick.C:
					l.sayAlive(trial)
					if port := l.lostSince(before); port != "" {
						cancel(&carrierLostError{port: port})
					}
				}
			}
		}()
		r, err := measure(until, trial)
		if port := l.lostSince(before); port != "" && ctx.Err() == nil {
			err = &carrierLostError{port: port}
		}
		cancel(nil)
		<-watched
		return r, err
	}
}

// sayAlive has the ports that only receive in a trial say that they are there.
func (l *portsLab) sayAlive(trial weir.Trial) {
	if l.alive == nil || time.Since(l.said) < aliveEach {
		return
	}
	l.said = time.Now()
	for i := range l.bed.TestPorts() {
		if sends := trial.Traffic.Bidirectional || (i%2 == 0) != trial.Traffic.Backward; !sends {
			l.alive.Say(i)
			l.says.Add(1)
		}
	}
}

// carrierChanges are how often each port's link has gone or come.
func (l *portsLab) carrierChanges() (out []int, err error) {
	for _, port := range l.bed.TestPorts() {
		err := l.bed.Do(port.Tester, func() error {
			n, err := netif.CarrierChanges(port.Tester)
			if err == nil {
				out = append(out, n)
			}
			return err
		})
		if err != nil {
			return out, fmt.Errorf("port %s is gone: was its card taken out, or its driver unloaded? %w", port.Tester, err)
		}
	}
	return out, nil
}

// lostSince is a port that has lost its carrier since then, or is gone; "": none has.
func (l *portsLab) lostSince(before []int) string {
	now, err := l.carrierChanges()
	for i, port := range l.bed.TestPorts() {
		if err != nil && i == len(now) || i < len(now) && now[i] != before[i] {
			return port.Tester
		}
	}
	return ""
}
