package lab

import (
	"context"
	"errors"
)

// errNoRoutes says that there is nothing to announce or to withdraw.
var errNoRoutes = errors.New("there are no routes to announce: give the DUT some (routes)")

// announce and withdraw are what happens to the routes of the condition during
// a trial, on the calling thread of the DUT's namespace: their neighbour says
// so, or the kernel is told. A neighbour has said it long before all of it is
// done.
func (l *netnsLab) announce(ctx context.Context) error {
	switch {
	case l.daemons.learnt.Count > 0:
		return l.daemons.speaker.Announce(ctx, l.daemons.learnt)
	case l.routes != nil:
		return l.routes.add(ctx)
	}
	return errNoRoutes
}

func (l *netnsLab) withdraw(ctx context.Context) error {
	switch {
	case l.daemons.learnt.Count > 0:
		return l.daemons.speaker.Withdraw(ctx, l.daemons.learnt)
	case l.routes != nil:
		return l.routes.remove(ctx)
	}
	return errNoRoutes
}

// withdrawn and announced bring the state about in which a trial begins, and
// wait for it, whatever the trial before has left.
func (l *netnsLab) withdrawn(ctx context.Context) error {
	if l.daemons.learnt.Count > 0 {
		return l.daemons.withdrawAll(ctx)
	}
	return l.bed.InDUT(func() error { return l.withdraw(ctx) })
}

func (l *netnsLab) announced(ctx context.Context) error {
	if l.daemons.learnt.Count > 0 {
		return l.daemons.announceAll(ctx)
	}
	return l.bed.InDUT(func() error { return errors.Join(l.withdraw(ctx), l.announce(ctx)) })
}
