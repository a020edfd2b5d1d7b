package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"weir"
)

// updateStates are the two states of the networks that routing updates are
// about, "A" and "B" in RFC 2544 section 11.3: six networks each, as in its
// appendix C.2.6.2, which no test frame goes to (RFC 5737).
var updateStates = [2]netip.Prefix{
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
}

// networksPerUpdate is how many networks of /28 one update announces.
const networksPerUpdate = 6

// networks are those of a state.
func networks(state netip.Prefix) []netip.Prefix {
	out := make([]netip.Prefix, networksPerUpdate)
	for i := range out {
		octets := state.Addr().As4()
		octets[3] = byte(16 * i)
		out[i] = netip.PrefixFrom(netip.AddrFrom4(octets), 28)
	}
	return out
}

// update sends the update that sets the state, in one message, which fits into
// one frame.
func (d *daemons) update(ctx context.Context) error {
	return d.speaker.Update(ctx, networks(updateStates[d.state]), networks(updateStates[1-d.state]))
}

// startUpdates sets the first state.
func (d *daemons) startUpdates(ctx context.Context) error {
	d.state = 0
	if err := d.update(ctx); err != nil {
		return err
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err := d.processed(ctx)
		if err == nil || time.Now().After(end) || ctx.Err() != nil {
			return err
		}
	}
}

// change sends a routing update at the beginning of a trial, which sets the
// other state than the one before (RFC 2544 section 11.3), and looks
// afterwards whether the DUT has processed it.
func (d *daemons) change(ctx context.Context, _ weir.Trial) (func(*weir.TrialResult), error) {
	if d.bird == nil {
		return nil, errors.New("the DUT has no routing daemon: its condition was not applied")
	}
	// The event of the trial before may have ended the session, which then comes back.
	if err := d.speaker.Await(ctx, sessionLimit); err != nil {
		return nil, err
	}
	d.state = 1 - d.state
	if err := d.update(ctx); err != nil {
		return nil, err
	}
	return func(r *weir.TrialResult) {
		if err := d.processed(context.WithoutCancel(ctx)); err != nil {
			r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.EventLate, "the routing update of the trial was not processed when it ended: %v", err))
		}
	}, nil
}

// processed is nil when the DUT's forwarding table is in the state of the last
// update.
func (d *daemons) processed(ctx context.Context) error {
	for i, want := range []int{networksPerUpdate, 0} {
		network := updateStates[(d.state+i)%2]
		said, err := d.bed.DUT().Host.Run(ctx, "", "ip", "route", "show", "root", network.String())
		if err != nil {
			return err
		}
		if got := strings.Count(said, "\n"); got != want {
			return fmt.Errorf("the DUT has %d of %d networks in %v", got, want, network)
		}
	}
	return nil
}
