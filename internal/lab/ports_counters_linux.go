package lab

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/netif"
)

// portCounts is what a port of the tester's has counted so far beside the frames that
// it took; nothing where its driver does not count that.
type portCounts struct {
	missed uint64 // there was no room for them
	pause  uint64 // PAUSE frames that came
}

func readPortCounts(port string) (c portCounts, err error) {
	if c.missed, _, err = netif.ReadMissed(port); err == nil {
		c.pause, _, err = netif.ReadPause(port)
	}
	return c, err
}

// accounted adds to a trial what the tester's ports and the witness have counted in it.
func (l *portsLab) accounted(measure weir.Measurer) weir.Measurer {
	read := func() (all []portCounts, err error) {
		err = l.bed.Tester.Do(func() error {
			for _, port := range l.bed.TestPorts() {
				c, err := readPortCounts(port.Tester)
				if err != nil {
					return err
				}
				all = append(all, c)
			}
			return nil
		})
		return all, err
	}
	return counted(measure, l.bed.TestPorts(), read, l.witnessed)
}

// counted is accounted with a source of what the ports count, and a witness. The ports
// are read as soon as the trial ends, while the witness takes its time. It is heard
// first all the same: what it dropped are frames of the trial's.
func counted(measure weir.Measurer, ports []weir.Port, read func() ([]portCounts, error),
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
func tellCounts(r *weir.TrialResult, port string, before, after portCounts) {
	missed := after.missed - min(before.missed, after.missed)
	if missed = min(missed, uint64(max(r.Ledger.Unexplained, 0))); missed > 0 {
		drops := append(r.Ledger.Drops, weir.Drop{Place: weir.TesterPlace + "port " + port + " without room", Count: missed})
		r.Ledger = weir.Balance(r.Ledger.Offered, r.Ledger.Received, drops)
	}
	if after.pause > before.pause {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.PauseFrames,
			Text: fmt.Sprintf("%d PAUSE frames were received at port %s: the box or a switch slowed the tester down; turn flow control off there to see loss (ethtool -A %s rx off)",
				after.pause-before.pause, port, port)})
	}
}
