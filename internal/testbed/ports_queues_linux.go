package testbed

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"

	"golang.org/x/sys/unix"
)

// What a driver does not support, or refuses, is left as it is and noted: it may cost
// rate, and the counts are right all the same. A port of which nothing can be set is
// measured as it always was.

const none = "its driver has none to set"

// enlarge raises a port's receive rings to their maximum, and its queues to as many as
// there are CPUs that receive. Many links go down with that, so it comes before the port
// is up, and nothing is attached to it yet.
func (p *Ports) enlarge(ctx context.Context, i int, port string) error {
	for _, n := range []struct {
		what, kind string
		least      int // 0: as many as can be
	}{{"rings", settings.Rings, 0}, {"queues", settings.Channels, len(p.cpus.Receiver)}} {
		has, err := settings.ReadCounts(ctx, p.host, n.kind, port)
		if err != nil || len(has.Now) == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.note(i, n.what, none)
			continue
		}
		raise(has, n.least)
		if err := p.try(ctx, i, n.what, settings.Setting{Kind: n.kind, Device: port}, settings.Value(n.kind, has.Now)); err != nil {
			return err
		}
	}
	return nil
}

// raise raises the number of those that receive, to at least so many where there can be
// as many; 0 is as many as there can be.
func raise(has settings.Counts, least int) {
	name := has.Names()[0]
	most := has.Most[name]
	if least == 0 {
		has.Now[name] = most
	} else if has.Now["rx"]+has.Now["combined"] < least { // some have both, and use one
		has.Now[name] = max(has.Now[name], min(most, least))
	}
}

// spread has each queue of a port receive as much as the others, and flows told apart by
// their UDP ports.
func (p *Ports) spread(ctx context.Context, i int, port string) error {
	var queues int
	if err := p.Tester.Do(func() (err error) { queues, err = netif.Queues(port); return err }); err != nil || queues < 2 {
		return err
	}
	for _, s := range []struct {
		what string
		settings.Setting
		value string
	}{
		{"hash of UDP over IPv4", settings.Setting{Kind: settings.Hash, Device: port, Name: "udp4"}, "sdfn"},
		{"hash of UDP over IPv6", settings.Setting{Kind: settings.Hash, Device: port, Name: "udp6"}, "sdfn"},
		{"spread over queues", settings.Setting{Kind: settings.Spread, Device: port}, settings.EqualSpread(queues)},
	} {
		if err := p.try(ctx, i, s.what, s.Setting, s.value); err != nil {
			return err
		}
	}
	return nil
}

// try gives a setting of a port a value, and notes which one it then has.
func (p *Ports) try(ctx context.Context, i int, what string, s settings.Setting, value string) error {
	now, err := p.undo.Set(ctx, p.host, s, value)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case now == "":
		p.note(i, what, none)
	case err != nil:
		p.note(i, what, now+", cannot be set")
	default:
		p.note(i, what, now)
	}
	return nil
}

// Attached has the queues of the ports served on the tester's receiving CPUs, once
// the receivers are attached, and waits for the links that this took down.
func (p *Ports) Attached(ctx context.Context) error {
	for i, port := range p.ports {
		cpus := p.cpus.Receiver
		err := p.Tester.Do(func() error {
			if queues, err := netif.Queues(port.Tester); err == nil && p.anywhere && queues > 0 {
				cpus = cpus[:min(len(cpus), queues)]
			}
			err := netif.ServeQueues(ctx, &p.undo, p.host, port.Tester, cpus)
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

// interrupt has each queue of a port interrupt the CPU that serves it. Those of some
// ports cannot be moved. Whoever else moves them (irqbalance) keeps nobody from setting
// them back.
func (p *Ports) interrupt(ctx context.Context, i int, port string, cpus []int) error {
	all, err := settings.Interrupts(ctx, p.host, port)
	if err != nil {
		return err
	}
	var wanted, old []string
	for _, one := range all {
		if queue, ok := one.Queue(); ok {
			list, err := p.interrupted(ctx, one.Number)
			if err != nil {
				return err
			}
			wanted = append(wanted, one.Number, strconv.Itoa(cpus[queue%len(cpus)]))
			old = append(old, one.Number, list)
		}
	}
	if len(wanted) == 0 {
		p.note(i, "interrupts of queues", none)
		return nil
	}
	if err := p.undo.Try(ctx, p.host, interrupting(wanted), interrupting(old)); err != nil {
		return err
	}
	there := 0
	for at := 0; at < len(wanted); at += 2 {
		if list, err := p.interrupted(ctx, wanted[at]); err == nil && list == wanted[at+1] {
			there++
		}
	}
	p.note(i, "interrupts of queues", fmt.Sprintf("%d of %d on the CPUs that serve them", there, len(wanted)/2))
	return nil
}

// interrupted is the list of CPUs that may take an interrupt.
func (p *Ports) interrupted(ctx context.Context, number string) (string, error) {
	return settings.Setting{Kind: settings.File, Name: "/proc/irq/" + number + "/smp_affinity_list"}.Get(ctx, p.host)
}

// interrupting is the command that has interrupts, each with its CPUs behind it, taken
// there; those that are gone or cannot be moved stay.
func interrupting(all []string) settings.Command {
	const script = `while [ $# -gt 1 ]; do
	{ echo "$2" >"/proc/irq/$1/smp_affinity_list"; } 2>/dev/null || :
	shift 2
done`
	return settings.Command{Argv: append([]string{"sh", "-c", script, "sh"}, all...)}
}

// note remembers how a port is set.
func (p *Ports) note(i int, what, value string) {
	p.notes = append(p.notes, weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d %s", i, what), Value: value})
}

// Notes say how the ports are set, and what of that could not be changed.
func (p *Ports) Notes() []weir.Setting { return p.notes }
