package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
)

// ExaminePorts checks what ports can be used for, with what is behind them, by sending
// a few frames; all is as it was after that.
func ExaminePorts(ctx context.Context, p plan.Plan) (out []Finding) {
	say := func(check string, f Finding) {
		f.Check = check
		out = append(out, f)
	}
	if err := NeedLab(); err != nil {
		say("ports", Lacking(err))
		return out
	}
	if _, far := p.Testbed.FarHosts(); far || p.Testbed.Hosted() {
		_, close, err := openPorts(ctx, p)
		if err == nil {
			err = close()
		}
		if err != nil {
			say("ports", Lacking(err))
		} else {
			say("ports", ok("weir runs at the other machines, and frames get from one to the other"))
		}
		return out
	}
	l := &portsLab{plan: p}
	var undo settings.Undo
	defer func() {
		if err := undo.Close(); err != nil {
			say("set back", Lacking(err))
		}
	}()
	if err := l.takePorts(ctx, &undo); err != nil {
		say("ports", Lacking(err))
		return out
	}
	for i := range l.bed.TestPorts() {
		f, err := l.port(i)
		if err != nil {
			f = Lacking(err)
		}
		say(fmt.Sprintf("port %d", i), f)
	}
	if _, err := l.linkRate(); err != nil {
		say("medium", Lacking(err))
		return out
	}
	if err := l.connect(ctx); err != nil {
		say("wiring", Lacking(err))
		return out
	}
	say("wiring", ok("frames get from each port to its pair, small ones and those of %d octets", l.largest()))
	measure, _, err := l.tester(ctx, &undo)
	if err != nil {
		say("receiving", Lacking(err))
		return out
	}
	say("receiving", ok("receivers are attached to all ports"))
	t := p.Traffic[0]
	t.Bidirectional = true
	const rate, lasting = 10_000, 200 * time.Millisecond
	r, err := measure(ctx, weir.Trial{Purpose: "doctor", Traffic: t, Intended: rate, Duration: lasting, Waits: weir.Waits{Residual: 200 * time.Millisecond}})
	if err != nil {
		say("sending", Lacking(err))
		return out
	}
	f := ok("%d frames of %d octets at %d frames/s each way by %s, of which %d came back", r.Offered, t.Sizes[0], rate, r.Backend, r.Received)
	if r.Received < r.Offered || r.Backend != "xdp" {
		f.Status, f.Remedy = Doubt, "frames are lost at a low rate already: look at the counters of the box and of the cables (ethtool -S)"
	}
	if r.Backend != "xdp" {
		f.Remedy = "a port whose driver sends redirected frames reaches many times the rate: docs/ports.md"
	}
	say("sending", f)
	for _, w := range r.Warnings {
		say(string(w.Code), Finding{Status: Doubt, Found: w.Text})
	}
	return out
}

// port says what a port of the tester's is.
func (l *portsLab) port(i int) (f Finding, err error) {
	own := l.bed.TestPorts()[i]
	err = l.bed.Do(own.Tester, func() error {
		driver, err := netif.Driver(own.Tester)
		queues, other := netif.Queues(own.Tester)
		speed := "no speed of its own"
		if v := netif.MediumOf(own.Tester).Rate; v > 0 {
			speed = fmt.Sprintf("%g Mbit/s", v/1e6)
		}
		f = ok("%s: %s, %s, %d receive queues, MTU %d%s", own.Tester, driver, speed, queues, own.MTU, l.flowControl(own.Tester))
		return errors.Join(err, other)
	})
	return f, err
}

// flowControl says whether a port waits when PAUSE frames tell it to; "" where its
// driver has none.
func (l *portsLab) flowControl(port string) string {
	said, err := settings.Setting{Kind: settings.Pause, Device: port}.Get(context.Background(), l.bed.HostOf(port))
	switch {
	case err != nil:
		return ""
	case strings.Contains(said, "rx on"):
		return fmt.Sprintf(", flow control on: a box or a switch can slow it down (ethtool -A %s rx off)", port)
	}
	return ", flow control off"
}
