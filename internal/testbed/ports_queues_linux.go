package testbed

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
)

// What a driver does not support, or refuses, is left as it is and noted: it may cost
// rate, and the counts are right all the same. A port of which nothing can be set is
// measured as it always was.

const none = "its driver has none to set"

// refusal reports whether a command has said that something cannot be set or read, and
// how. A command that did not run or did not end by itself, a port that is gone and a
// journal that cannot be written are no refusals.
func refusal(err error) (words string, ok bool) {
	if joined, several := err.(interface{ Unwrap() []error }); several {
		if len(joined.Unwrap()) != 1 {
			return "", false
		}
		err = joined.Unwrap()[0]
	}
	if errors.Is(err, settings.ErrNone) {
		return "", true
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Exited() {
		return "", false
	}
	_, said, _ := strings.Cut(err.Error(), exit.Error()+": ")
	return " (" + strings.Join(strings.Fields(said), " ") + ")", !strings.Contains(said, "No such device")
}

// enlarge raises a port's receive rings to their maximum, and its queues to as many as
// there are CPUs that receive. Many links go down with that, so it comes before the port
// is up, and nothing is attached to it yet.
func (p *Ports) enlarge(ctx context.Context, i int, port string) error {
	table, err := settings.Setting{Kind: settings.Spread, Device: port}.Get(ctx, p.of(port).host)
	if _, ok := refusal(err); err != nil && !ok {
		return cut(ctx, fmt.Errorf("read its table of queues: %w", err))
	}
	if !settings.CanSpread(table) { // some drivers would forget it
		p.note(i, "rings and queues", "as they are: its table of queues is somebody's, and could not be given back")
		return nil
	}
	var stay string
	if err := p.of(port).ns.Do(func() (err error) { stay, err = netif.RingsStay(port); return err }); err != nil {
		return err
	}
	for _, n := range []struct {
		what, kind string
		least      int // 0: as many as can be
	}{{"rings", settings.Rings, 0}, {"queues", settings.Channels, len(p.cpus.Receiver)}} {
		if n.kind == settings.Rings && stay != "" {
			p.note(i, n.what, "as they are: "+stay)
			continue
		}
		has, err := settings.ReadCounts(ctx, p.of(port).host, n.kind, port)
		if words, ok := refusal(err); err != nil && ok {
			p.note(i, n.what, none+words)
			continue
		} else if err != nil {
			return cut(ctx, fmt.Errorf("read how many %s it has: %w", n.what, err))
		}
		if len(has.Now) == 0 {
			p.note(i, n.what, none)
			continue
		}
		if n.kind == settings.Channels {
			if err := p.keepXDP(has, port); err != nil {
				return err
			}
		}
		raise(has, n.least)
		if err := p.try(ctx, i, n.what, settings.Setting{Kind: n.kind, Device: port}, settings.Value(n.kind, has.Now)); err != nil {
			return err
		}
	}
	return nil
}

// cut is an error or, where a measurement was ended, why.
func cut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// keepXDP leaves a port no more queues than its driver can have with XDP.
func (p *Ports) keepXDP(has settings.Counts, port string) error {
	for _, name := range has.Names() {
		if has.Most[name] == 0 {
			continue
		}
		if err := p.of(port).ns.Do(func() (err error) { has.Most[name], err = netif.QueuesForXDP(port, has.Most[name]); return err }); err != nil {
			return err
		}
	}
	return nil
}

// raise raises the number of those that receive, to at least so many where there can be
// as many; 0 is as many as there can be. More than there can be become as many. Those that
// only send stay.
func raise(has settings.Counts, least int) {
	name := has.Names()[0]
	most := has.Most[name]
	switch {
	case most == 0: // none that receive
	case has.Now[name] > most: // of ena, with XDP
		has.Now[name] = most
	case least == 0:
		has.Now[name] = most
	case has.Now["rx"]+has.Now["combined"] < least: // some have both, and use one
		has.Now[name] = max(has.Now[name], min(most, least))
	}
}

// spread has each queue of a port receive as much as the others, and flows told apart by
// their UDP ports.
func (p *Ports) spread(ctx context.Context, i int, port string) error {
	var queues int
	if err := p.of(port).ns.Do(func() (err error) { queues, err = netif.Queues(port); return err }); err != nil || queues < 2 {
		return err
	}
	const table = "spread over queues (default: equally)"
	for _, s := range []struct {
		what string
		settings.Setting
		value string
	}{
		{"hash of UDP over IPv4", settings.Setting{Kind: settings.Hash, Device: port, Name: "udp4"}, "sdfn"},
		{"hash of UDP over IPv6", settings.Setting{Kind: settings.Hash, Device: port, Name: "udp6"}, "sdfn"},
		{table, settings.Setting{Kind: settings.Spread, Device: port}, settings.DefaultSpread},
	} {
		if s.what == table {
			if now, err := s.Get(ctx, p.of(port).host); err == nil && !settings.CanSpread(now) {
				p.note(i, s.what, "as it is: it is somebody's, and could not be given back")
				continue
			}
		}
		if err := p.try(ctx, i, s.what, s.Setting, s.value); err != nil {
			return err
		}
	}
	return nil
}

// try gives a setting of a port a value, and notes which one it then has, and how the
// driver refused another.
func (p *Ports) try(ctx context.Context, i int, what string, s settings.Setting, value string) error {
	now, err := p.undo.Set(ctx, p.of(s.Device).host, s, value)
	words, ok := refusal(err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		p.note(i, what, now)
	case !ok:
		return fmt.Errorf("set its %s: %w", what, err)
	case now == "":
		p.note(i, what, none+words)
	default:
		p.note(i, what, now+", cannot be set"+words)
	}
	return nil
}

// Attached has the queues of the ports served on the tester's receiving CPUs, once
// the receivers are attached, and waits for the links that this took down.
func (p *Ports) Attached(ctx context.Context) error {
	for i, port := range p.ports {
		cpus := p.cpus.Receiver
		err := p.of(port.Tester).ns.Do(func() error {
			if queues, err := netif.Queues(port.Tester); err == nil && p.anywhere && queues > 0 {
				cpus = cpus[:min(len(cpus), queues)]
			}
			err := netif.ServeQueues(ctx, &p.undo, p.of(port.Tester).host, port.Tester, cpus)
			if errors.Is(err, unix.EOPNOTSUPP) { // a tap has none: who writes to it serves it
				p.note(i, "threads of queues", none)
				return nil
			}
			if err != nil {
				return err
			}
			threads, err := netif.NAPIThreads(port.Tester)
			p.serving = append(p.serving, threads...)
			return err
		})
		if err == nil {
			err = p.interrupt(ctx, i, port.Tester, cpus)
		}
		if err != nil {
			return err
		}
	}
	return p.AwaitCarriers(ctx, carrierWait)
}

// note remembers how a port is set.
func (p *Ports) note(i int, what, value string) {
	p.notes = append(p.notes, weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d %s", i, what), Value: value})
}

// Notes say how the ports are set, and what of that could not be changed.
func (p *Ports) Notes() []weir.Setting { return p.notes }
