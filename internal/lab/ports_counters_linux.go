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

// withCounters adds to a trial what the tester's ports have counted in it.
func (l *portsLab) withCounters(measure weir.Measurer) weir.Measurer {
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
	return counted(measure, l.bed.TestPorts(), read)
}

// counted is withCounters with a source of them.
func counted(measure weir.Measurer, ports []weir.Port, read func() ([]portCounts, error)) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Bypass {
			return measure(ctx, trial)
		}
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
		for i, port := range ports {
			tellCounts(&r, port.Tester, before[i], after[i])
		}
		return r, nil
	}
}

// tellCounts tells what a port has counted in a trial. Missed frames may be others' than
// the tester's: they explain no more than the trial lacks.
func tellCounts(r *weir.TrialResult, port string, before, after portCounts) {
	if missed := min(after.missed-before.missed, uint64(max(r.Ledger.Unexplained, 0))); missed > 0 {
		drops := append(r.Ledger.Drops, weir.Drop{Place: weir.TesterPlace + "port " + port + " without room", Count: missed})
		r.Ledger = weir.Balance(r.Ledger.Offered, r.Ledger.Received, drops)
	}
	if after.pause > before.pause {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.PauseFrames,
			Text: fmt.Sprintf("%d PAUSE frames were received at port %s: the box or a switch slowed the tester down; turn flow control off there to see loss (ethtool -A %s rx off)",
				after.pause-before.pause, port, port)})
	}
}
