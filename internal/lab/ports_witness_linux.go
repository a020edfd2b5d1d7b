package lab

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weir"
	"weir/internal/settings"
	"weir/internal/snmp"
)

// openWitness begins to ask the switch that the plan names, through whatever network
// this machine lives on.
func (l *portsLab) openWitness(ctx context.Context, undo *settings.Undo) (err error) {
	said := l.plan.Testbed.Witness
	if !said.SNMP.IsValid() {
		return nil
	}
	if l.witness, err = snmp.OpenWitness(ctx, said.SNMP, said.Community, said.Interfaces); err == nil {
		undo.AddClose(l.witness.Close)
	}
	return err
}

// witnessed reads the witness before frames are sent; what it returns adds what was
// dropped since to the ledger of the trial, after they have come back. A witness that does
// not answer is a doubt of the trial and no failure.
func (l *portsLab) witnessed(ctx context.Context) func(context.Context, weir.Trial, *weir.TrialResult) {
	if l.witness == nil {
		return func(context.Context, weir.Trial, *weir.TrialResult) {}
	}
	before, silent := l.witness.Begin(ctx)
	l.says.Store(0)
	return func(ctx context.Context, trial weir.Trial, r *weir.TrialResult) {
		if silent == nil {
			silent = l.testify(ctx, before, trial, r)
		}
		if silent != nil && ctx.Err() == nil {
			r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.WitnessSilent, "%v; what it dropped may be missing in the ledger", silent))
		}
	}
}

// testify adds the drops since a reading to the ledger, as far as the witness tells.
func (l *portsLab) testify(ctx context.Context, before *snmp.Counts, trial weir.Trial, r *weir.TrialResult) error {
	after, silent := l.witness.Settled(ctx, before, snmp.Frames{Offered: r.Offered, Received: r.Received, Paths: trial.Traffic.PortPairs()})
	if after == nil {
		return silent
	}
	drops, err := l.witness.Since(before, after)
	if err != nil {
		return errors.Join(silent, err)
	}
	all := weir.Balance(r.Offered, r.Received, slices.Concat(r.Ledger.Drops, drops))
	own := min(l.says.Load(), -all.Unexplained)
	r.Ledger = weir.Balance(r.Offered, r.Received, append(r.Ledger.Drops, without(drops, own)...))
	return silent
}

// without are drops without some that are none of the trial's: the frames with which a
// port says that it is there go to itself, and many a switch counts them as discarded.
// They are few, and so are all that such a counter has.
func without(drops []weir.Drop, own int64) []weir.Drop {
	slices.SortStableFunc(drops, func(a, b weir.Drop) int { return cmp.Compare(a.Count, b.Count) })
	for i := 0; i < len(drops) && own > 0; i++ {
		n := min(drops[i].Count, uint64(own))
		drops[i].Count -= n
		own -= int64(n)
	}
	return slices.DeleteFunc(drops, func(d weir.Drop) bool { return d.Count == 0 })
}
