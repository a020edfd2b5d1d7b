package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/service"
)

// learn announces the condition's routes and waits until the DUT's forwarding
// table holds all of them: so long did it take.
func (d *daemons) learn(ctx context.Context, set weir.RouteSet) (time.Duration, error) {
	if err := d.speaker.Prepare(ctx, set); err != nil {
		return 0, err
	}
	base, err := service.CountRoutes(ctx, d.bed.DUT().Host, set.Family)
	if err != nil {
		return 0, err
	}
	d.learnt, d.base = set, base
	began := time.Now()
	err = d.announceAll(ctx)
	return time.Since(began), err
}

// announceAll announces the condition's routes and waits until the DUT has all
// of them.
func (d *daemons) announceAll(ctx context.Context) error {
	if err := d.speaker.Announce(ctx, d.learnt); err != nil {
		return err
	}
	return d.awaitRoutes(ctx, d.base+d.learnt.Count)
}

// withdrawAll withdraws the condition's routes and waits until the DUT has none
// of them.
func (d *daemons) withdrawAll(ctx context.Context) error {
	if err := d.speaker.Withdraw(ctx, d.learnt); err != nil {
		return err
	}
	return d.awaitRoutes(ctx, d.base)
}

// forget is withdrawAll for good, while the daemon still runs: it takes back in
// its time what may be too much for the moment in which it has to end. Where
// that does not go well, as the daemon is gone, nothing is lost: stopRouting
// ends what there is, and removes what it has left.
func (d *daemons) forget(ctx context.Context) error {
	if d.bird != nil && d.bird.Alive() == nil {
		_ = d.withdrawAll(ctx)
	}
	d.learnt = weir.RouteSet{}
	return nil
}

// patience is how long nothing may happen while routes are learnt.
const patience = 10 * time.Second

// awaitRoutes waits until the DUT's forwarding table has a number of routes of
// the condition's family.
func (d *daemons) awaitRoutes(ctx context.Context, want int) error {
	family := d.learnt.Family
	for last, since := -1, time.Now(); ; {
		asked := time.Now()
		n, err := service.CountRoutes(ctx, d.bed.DUT().Host, family)
		if err != nil || n == want {
			return err
		}
		if err := d.alive(); err != nil {
			return err
		}
		if n != last {
			last, since = n, asked
		}
		if time.Since(since) > patience {
			state, err := d.bird.Session(ctx)
			return errors.Join(fmt.Errorf("the DUT has %d %s routes, not %d, and that has not changed for %v; BIRD says of the session: %s",
				n, family, want, patience, state), err)
		}
		// To count takes as long as the table is large: no more than half of the
		// time.
		select {
		case <-time.After(max(time.Millisecond, time.Since(asked))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reset kills the routing daemon and starts it again. It learns again what is
// announced to it; until then the kernel forwards by what it knew, and then by
// what the new one has learnt so far.
func (d *daemons) reset(ctx context.Context) error {
	if d.bird == nil {
		return errors.New("the DUT has no routing daemon: give it routes that it learns (via: bgp), or routing updates")
	}
	return d.bird.Reset(ctx)
}
