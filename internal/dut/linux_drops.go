package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// Drops reads where a Linux router may have dropped frames. A frame counts once
// alone: Since takes apart the counters that the kernel keeps twice.
func (p linux) Drops(ctx context.Context, d weir.DUT, s Setup) ([]weir.Drop, error) {
	var err error
	if d.Host, err = readAhead(ctx, d.Host, countersOf(d)); err != nil {
		return nil, err
	}
	var drops []weir.Drop
	for i, port := range d.Ports {
		found, err := portDrops(ctx, d.Host, i, port.DUT)
		if err != nil {
			return nil, err
		}
		drops = append(drops, found...)
	}
	found, err := stackDrops(ctx, d.Host)
	if err != nil {
		return nil, err
	}
	drops = append(drops, found...)
	named := &nftCounters{host: d.Host}
	for _, more := range []struct {
		there bool
		read  func(context.Context, weir.DUT, Setup, *nftCounters) ([]weir.Drop, error)
	}{{len(s.CPUs) > 0, backlogged}, {s.Policer != nil, policed}, {s.Filters > 0, filtered},
		{s.Firewall.Kind != "", firewalled}, {s.Queueing, queued}} {
		if !more.there {
			continue
		}
		found, err := more.read(ctx, d, s, named)
		if err != nil {
			return nil, err
		}
		drops = append(drops, found...)
	}
	return drops, nil
}

// The ends of places that may count the same frames.
const (
	receiptPlace  = "dropped on receipt (rx_dropped)"
	backlogPlace  = "backlog full (softnet_stat)"
	errorsPlace   = "receive errors (rx_errors)"
	overrunPlace  = "receive ring overrun (rx_over_errors)"
	headerPlace   = "IPv4 InHdrErrors"
	checksumPlace = "IPv4 InCsumErrors"
)

// Since is what was dropped between two readings of Drops. What two counters
// count counts at one of them alone: a frame for which the backlog of a CPU has
// no room at the backlog, though its port counts it as well; one with a wrong
// checksum as that, though it is also one with a wrong header; and an overrun
// only where it is not among the errors of its port, which is for drivers to
// decide.
func Since(before, after []weir.Drop) []weir.Drop {
	was := make(map[string]uint64)
	for _, d := range before {
		was[d.Place] = d.Count
	}
	out := make([]weir.Drop, len(after))
	for i, d := range after {
		if old := was[d.Place]; old <= d.Count { // otherwise it has started anew, and counted from 0
			d.Count -= old
		}
		out[i] = d
	}
	once(out, backlogPlace, receiptPlace)
	once(out, checksumPlace, headerPlace)
	for i, d := range out {
		if port, ok := strings.CutSuffix(d.Place, overrunPlace); ok {
			j := slices.IndexFunc(out, func(o weir.Drop) bool { return o.Place == port+errorsPlace })
			if j >= 0 {
				out[i].Count -= min(out[i].Count, out[j].Count)
			}
		}
	}
	return out
}

// WithoutForeign is drops without n frames that were not to be forwarded, of a protocol
// that the DUT does not know: it counts each as dropped on receipt.
func WithoutForeign(drops []weir.Drop, n uint64) []weir.Drop {
	out := slices.Clone(drops)
	for i := range out {
		if strings.HasSuffix(out[i].Place, receiptPlace) {
			own := min(n, out[i].Count)
			out[i].Count -= own
			n -= own
		}
	}
	return out
}

// once takes what is counted at places with one end from those with another.
func once(drops []weir.Drop, at, from string) {
	var twice uint64
	for _, d := range drops {
		if strings.HasSuffix(d.Place, at) {
			twice += d.Count
		}
	}
	for i := range drops {
		if strings.HasSuffix(drops[i].Place, from) {
			n := min(twice, drops[i].Count)
			drops[i].Count -= n
			twice -= n
		}
	}
}

// backlogged reads what found no room in the backlogs of the DUT's CPUs, where
// frames wait that are steered to one. The counters are those of the machine.
func backlogged(ctx context.Context, d weir.DUT, s Setup, _ *nftCounters) ([]weir.Drop, error) {
	text, err := d.Host.ReadFile(ctx, softnetFile)
	if err != nil {
		return nil, err
	}
	var drops []weir.Drop
	line := -1
	for row := range strings.Lines(text) {
		line++
		f := strings.Fields(row)
		if len(f) < 2 {
			continue
		}
		cpu := line
		if len(f) > 12 { // it says which one, since some may be missing
			n, err := strconv.ParseUint(f[12], 16, 32)
			if err != nil {
				return nil, fmt.Errorf("read softnet_stat: %w", err)
			}
			cpu = int(n)
		}
		if !slices.Contains(s.CPUs, cpu) {
			continue
		}
		n, err := strconv.ParseUint(f[1], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("read softnet_stat: %w", err)
		}
		drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut CPU %d "+backlogPlace, cpu), Count: n})
	}
	return drops, nil
}
