package tester

import (
	"errors"
	"time"

	"weir"
	"weir/internal/xdp"
)

// watchThreads begins to note when the DUT's threads are kept from their CPUs, in
// a trial of windows. A kernel that cannot tell is no error: then nobody knows.
func (t *XDP) watchThreads(trial weir.Trial) error {
	if len(trial.Windows) == 0 || !t.watchable() {
		return nil
	}
	if t.preempted == nil {
		p, err := xdp.NewPreemption()
		if unsupported := (*weir.UnsupportedError)(nil); errors.As(err, &unsupported) {
			t.config.Forwarding = nil // and it is not asked again
			return nil
		}
		if err != nil {
			return err
		}
		t.preempted = p
	}
	return t.preempted.Watch(t.config.Forwarding())
}

// watchable reports whether the DUT's threads can be watched: it has some, and
// not too many.
func (t *XDP) watchable() bool {
	if t.config.Forwarding == nil {
		return false
	}
	n := len(t.config.Forwarding())
	return n > 0 && n <= xdp.MaxWatched
}

// threadWaits are the times in which one of the DUT's threads was kept from its
// CPU; nil when nobody knows.
type threadWaits []xdp.Stretch

// threadWaits ends the watch that watchThreads began.
func (t *XDP) threadWaits() (threadWaits, error) {
	if t.preempted == nil || !t.watchable() {
		return nil, nil
	}
	noted, all, err := t.preempted.Stretches()
	if err != nil || !all {
		return nil, err
	}
	return append(threadWaits{}, noted...), t.preempted.Watch(nil)
}

// during is how long they waited in a window, all together; -1 when nobody
// knows.
func (w threadWaits) during(begin, length time.Duration) time.Duration {
	if w == nil {
		return -1
	}
	sum := time.Duration(0)
	for _, s := range w {
		sum += max(0, min(s.Until, begin+length)-max(s.From, begin))
	}
	return sum
}
