package lab

import (
	"context"
	"time"

	"weir"
	"weir/internal/netif"
)

// accounted adds to a trial what the tester's ports and the witness have counted in it.
func (l *portsLab) accounted(measure weir.Measurer) weir.Measurer {
	read := func() ([]netif.PortCounts, error) {
		if _, gone := l.carrierChanges(); gone != nil {
			return nil, gone
		}
		return l.bed.Counts()
	}
	return counted(measure, l.bed.TestPorts(), read, l.witnessed)
}

// counted is accounted with a source of what the ports count, and a witness. The ports
// are read as soon as the trial ends, or where frames are missing as soon as they have
// counted these, while the witness takes its time. It is heard first all the same: what
// it dropped are frames of the trial's.
func counted(measure weir.Measurer, ports []weir.Port, read func() ([]netif.PortCounts, error),
	witnessed func(context.Context) func(context.Context, weir.Trial, *weir.TrialResult)) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Bypass {
			return measure(ctx, trial)
		}
		testify := witnessed(ctx)
		before, err := read()
		if err != nil {
			return weir.TrialResult{}, err
		}
		r, err := measure(ctx, trial)
		if err != nil {
			return r, err
		}
		if r.Ledger.Unexplained > 0 {
			var late time.Duration
			for _, c := range before {
				late = max(late, c.Late)
			}
			select {
			case <-time.After(late):
			case <-ctx.Done():
				return r, context.Cause(ctx)
			}
		}
		after, err := read()
		if err != nil {
			return r, err
		}
		testify(ctx, trial, &r)
		for i, port := range ports {
			tellCounts(&r, port.Tester, before[i], after[i])
		}
		return r, nil
	}
}

// tellCounts tells what a port has counted in a trial. Missed frames may be others' than
// the tester's: they explain no more than the trial still lacks. A port whose counter
// began anew has missed none that are known of.
func tellCounts(r *weir.TrialResult, port string, before, after netif.PortCounts) {
	missed := after.Missed - min(before.Missed, after.Missed)
	if missed = min(missed, uint64(max(r.Ledger.Unexplained, 0))); missed > 0 {
		drops := append(r.Ledger.Drops, weir.Drop{Place: "tester port " + port + " without room", Count: missed, Kind: weir.DropTester})
		r.Ledger = weir.Balance(r.Ledger.Offered, r.Ledger.Received, drops)
	}
	if after.Pause > before.Pause {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.PauseFrames, "%d PAUSE frames were received at port %s: the box or a switch slowed the tester down; turn flow control off there to see loss (ethtool -A %s rx off)",
			after.Pause-before.Pause, port, port))
	}
}
