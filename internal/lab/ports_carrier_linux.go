package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/netif"
)

const (
	carrierLook = 100 * time.Millisecond // how often links are looked at during a trial
	aliveLooks  = 10                     // after how many looks ports that only receive say that they are there
	carrierBack = time.Minute            // how long a link may be gone
)

// carrierLostError ends a trial in the middle of which a port has lost its carrier.
type carrierLostError struct{ port string }

func (e *carrierLostError) Error() string {
	return fmt.Sprintf("port %s lost its carrier in the middle of a trial: is its cable loose, or was the box restarted?", e.port)
}

// whileLinked ends a trial as soon as a port loses its carrier, and measures it again
// when that is back. Where it does not come back, that is the error.
func (l *portsLab) whileLinked(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		var lost *carrierLostError
		for {
			again := lost
			r, err := l.linked(ctx, measure, trial)
			if again != nil && err == nil {
				r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.TrialRepeated,
					Text: "port " + again.port + " lost its carrier, and the trial was measured again when it was back"})
			}
			if !errors.As(err, &lost) || ctx.Err() != nil {
				return r, err
			}
			if back := l.bed.AwaitCarriers(carrierBack); back != nil {
				return r, fmt.Errorf("%w; %w", err, back)
			}
			if err := l.connect(ctx); err != nil {
				return r, fmt.Errorf("port %s has a carrier again: %w", lost.port, err)
			}
		}
	}
}

// linked is one attempt.
func (l *portsLab) linked(ctx context.Context, measure weir.Measurer, trial weir.Trial) (weir.TrialResult, error) {
	before, err := l.carrierChanges()
	if err != nil {
		return weir.TrialResult{}, err
	}
	until, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(carrierLook)
		defer tick.Stop()
		for looks := 1; ; looks++ {
			select {
			case <-until.Done():
				return
			case <-tick.C:
				if looks%aliveLooks == 0 {
					l.sayAlive(trial)
				}
				if port := l.lostSince(before); port != "" {
					cancel(&carrierLostError{port})
				}
			}
		}
	}()
	r, err := measure(until, trial)
	if port := l.lostSince(before); port != "" && ctx.Err() == nil {
		err = &carrierLostError{port}
	}
	cancel(nil)
	<-watched
	return r, err
}

// sayAlive has the ports that only receive in a trial say that they are there.
func (l *portsLab) sayAlive(trial weir.Trial) {
	for i := range l.bed.TestPorts() {
		if sends := trial.Traffic.Bidirectional || (i%2 == 0) != trial.Traffic.Backward; !sends {
			l.alive.Say(i)
		}
	}
}

// carrierChanges are how often each port's link has gone or come.
func (l *portsLab) carrierChanges() (out []int, err error) {
	err = l.bed.Tester.Do(func() error {
		for _, port := range l.bed.TestPorts() {
			n, err := netif.CarrierChanges(port.Tester)
			if err != nil {
				return err
			}
			out = append(out, n)
		}
		return nil
	})
	return out, err
}

// lostSince is a port that has lost its carrier since then, or is gone; "": none has.
func (l *portsLab) lostSince(before []int) string {
	now, err := l.carrierChanges()
	for i, port := range l.bed.TestPorts() {
		if err != nil || now[i] != before[i] {
			return port.Tester
		}
	}
	return ""
}
