package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// remember has what ports may lose with other numbers of queues and on the way to another
// network namespace given back in the end, when all else is as it was and they are up
// again: on which CPUs their interrupts are, which some drivers free then, and the table
// of queues. A port that is down has no interrupts with names, and nothing to lose.
func (p *Ports) remember(ctx context.Context, names []string) error {
	here, err := Here()
	if err != nil {
		return err
	}
	for _, name := range names {
		all, err := settings.Interrupts(ctx, here, name)
		if err != nil {
			return err
		}
		pinned, err := affinities(ctx, here, all)
		if err != nil {
			return err
		}
		if err := p.keepInterrupts(ctx, here, name, nil, pinned); err != nil {
			return err
		}
		table := settings.Setting{Kind: settings.Spread, Device: name}
		value, err := table.Get(ctx, here)
		if _, ok := refusal(err); err != nil && !ok {
			return cut(ctx, fmt.Errorf("read the table of queues of %s: %w", name, err))
		}
		if err != nil || value == settings.DefaultSpread || !settings.CanSpread(value) {
			continue
		}
		again := ofPort(settings.Command{Argv: append([]string{"ethtool", "-X", name}, strings.Fields(value)...)}, settings.Link(name))
		if err := p.undo.Try(ctx, here, settings.Command{Argv: []string{"true"}}, again); err != nil {
			return err
		}
	}
	return nil
}

// affinities are the CPUs that may take each of the interrupts that have a name:
// "eth1-TxRx-0=0-3".
func affinities(ctx context.Context, h weir.Host, all []settings.Interrupt) (pinned []string, err error) {
	for _, one := range all {
		list, err := interrupted(ctx, h, one.Number)
		if errors.Is(err, fs.ErrNotExist) || one.Name == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		pinned = append(pinned, one.Name+"="+list)
	}
	return pinned, nil
}

// interrupted is the list of CPUs that may take an interrupt.
func interrupted(ctx context.Context, h weir.Host, number string) (string, error) {
	return settings.Setting{Kind: settings.File, Name: "/proc/irq/" + number + "/smp_affinity_list"}.Get(ctx, h)
}

// keepInterrupts moves interrupts of a port's device, and moves them to where they were
// when that is undone.
func (p *Ports) keepInterrupts(ctx context.Context, h weir.Host, port string, wanted, old []string) error {
	if len(old) == 0 {
		return nil
	}
	said, err := h.Run(ctx, "", "readlink", "-f", "/sys/class/net/"+port+"/device")
	if err != nil {
		return err
	}
	device := strings.TrimSpace(said)
	return p.undo.Try(ctx, h, interrupting("/proc", device, wanted), interrupting("/proc", device, old))
}

// interrupt has each queue of a port interrupt the CPU that serves it. Those of some
// ports cannot be moved. Whoever else moves them (irqbalance) keeps nobody from setting
// them back.
func (p *Ports) interrupt(ctx context.Context, i int, port string, cpus []int) error {
	all, err := settings.Interrupts(ctx, p.of(port).host, port)
	if err != nil {
		return err
	}
	const what = "interrupts of queues"
	var own []settings.Interrupt
	var wanted []string
	for _, one := range all {
		if queue, ok := one.Queue(); ok {
			own = append(own, one)
			wanted = append(wanted, one.Name+"="+strconv.Itoa(cpus[queue%len(cpus)]))
		}
	}
	if len(own) == 0 {
		p.note(i, what, none)
		return nil
	}
	old, err := affinities(ctx, p.of(port).host, own)
	if err != nil {
		return err
	}
	err = p.keepInterrupts(ctx, p.of(port).host, port, wanted, old)
	words, ok := refusal(err)
	if err != nil && (ctx.Err() != nil || !ok) {
		return cut(ctx, fmt.Errorf("move the interrupts of %s: %w", port, err))
	}
	there := 0
	for at, one := range own {
		if list, err := interrupted(ctx, p.of(port).host, one.Number); err == nil && one.Name+"="+list == wanted[at] {
			there++
		}
	}
	p.note(i, what, fmt.Sprintf("%d of %d on the CPUs that serve them", there, len(own))+words)
	return nil
}

// interrupting is the command that moves interrupts of a device, "name=CPUs" each, which
// it finds by these names: their numbers may be others' by then. Those that are gone, or
// that the kernel keeps where they are (EIO, EPERM), stay. dash does not say for which
// error it could not write; cat does.
func interrupting(proc, device string, all []string) settings.Command {
	const script = `proc=$1 device=$2 failed=0
shift 2
while read -r number rest; do
	number=${number%:} name=${rest##* }
	[ -e "$device/msi_irqs/$number" ] || [ -e "$device/../msi_irqs/$number" ] || continue
	for wanted in "$@"; do
		[ "${wanted%=*}" = "$name" ] || continue
		file=$proc/irq/$number/smp_affinity_list
		read -r now <"$file" || continue
		[ "$now" != "${wanted##*=}" ] || continue
		said=$(echo "${wanted##*=}" | LC_ALL=C cat 2>&1 >"$file") && continue
		case $said in
		*"Input/output error"* | *"I/O error"* | *"Operation not permitted"*) ;;
		*) echo "$name: CPUs ${wanted##*=}: ${said##*: }" >&2; failed=1 ;;
		esac
	done
done <"$proc/interrupts"
exit $failed`
	return settings.Command{Argv: append([]string{"sh", "-c", script, "sh", proc, device}, all...)}
}
