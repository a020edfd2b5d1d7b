package dut

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

const policerTable = "weir_policer"

// kernelOctets is the length that the kernel accounts for a frame: without FCS.
const kernelOctets = 4

// police limits each direction of forwarding to the policer's rate.
func (p linux) police(ctx context.Context, d weir.DUT, pol Policer, undo *settings.Undo) error {
	switch pol.Kind {
	case "nft":
		return policeNFT(ctx, d, pol, undo)
	case "tbf":
		return policeTBF(ctx, d, pol, undo)
	}
	return fmt.Errorf("no policer %q; there are: nft, tbf", pol.Kind)
}

// policeNFT drops in the forward hook what exceeds the rate, for each port that
// frames leave through, and counts it.
func policeNFT(ctx context.Context, d weir.DUT, pol Policer, undo *settings.Undo) error {
	var rules strings.Builder
	for i := range d.Ports {
		fmt.Fprintf(&rules, "  counter policed%d { }\n", i)
	}
	rules.WriteString("  chain forward {\n    type filter hook forward priority 0; policy accept;\n")
	for i, port := range d.Ports {
		fmt.Fprintf(&rules, "    oifname %q limit rate over %d/second burst %d packets counter name policed%d drop\n",
			port.DUT, int(pol.Rate), policerBurst(pol.Rate), i)
	}
	rules.WriteString("  }\n")
	script := fmt.Sprintf("table inet %s {\n%s}\n", policerTable, rules.String())
	if err := undo.Do(ctx, d.Host, nft(script), nft(removeTable("inet", policerTable))); err != nil {
		return fmt.Errorf("limit the DUT with nftables (Debian package nftables): %w", err)
	}
	return nil
}

// policerBurst is how many frames may pass at once: a millisecond's worth, so
// that the burst is no more than 1 % of a trial of 0.1 s.
func policerBurst(rate float64) int { return max(5, int(rate/1000)) }

// shaperOf names the device that shapes for a port.
func shaperOf(port int) string { return fmt.Sprintf("weir-tbf%d", port) }

// policeTBF shapes each port with a token bucket whose rate in octets is the
// policer's rate in frames. Its queue is short, so that what exceeds the rate
// is lost and not late.
//
// It stands on an ifb that the port's frames pass first. A veth whose peer's ring
// is full stops a queueing discipline of its own, and now and then nobody starts
// that again (Linux 6.18): all of a direction is lost for as long.
func policeTBF(ctx context.Context, d weir.DUT, pol Policer, undo *settings.Undo) error {
	octets := pol.Size - kernelOctets
	if octets <= 0 {
		return fmt.Errorf("the tbf policer counts octets and needs one frame size")
	}
	for i, port := range d.Ports {
		bits := strconv.FormatFloat(math.Round(pol.Rate*octets*8), 'f', 0, 64) + "bit"
		burst := strconv.Itoa(int(float64(policerBurst(pol.Rate)) * octets))
		limit := strconv.Itoa(int(64 * octets))
		shaper := shaperOf(i)
		for _, step := range [][2][]string{
			{{"ip", "link", "add", shaper, "type", "ifb"}, {"ip", "link", "del", shaper}},
			{{"ip", "link", "set", shaper, "up"}},
			{{"tc", "qdisc", "replace", "dev", shaper, "root", "tbf", "rate", bits, "burst", burst, "limit", limit}},
			{{"tc", "qdisc", "add", "dev", port.DUT, "clsact"}, {"tc", "qdisc", "del", "dev", port.DUT, "clsact"}},
			{{"tc", "filter", "add", "dev", port.DUT, "egress", "protocol", "all", "prio", "1", "u32", "match", "u32", "0", "0", "action", "mirred", "egress", "redirect", "dev", shaper}},
		} {
			var err error
			if back := step[1]; back != nil {
				err = undo.Do(ctx, d.Host, settings.Command{Argv: step[0]}, settings.Command{Argv: back})
			} else {
				_, err = d.Host.Run(ctx, "", step[0]...)
			}
			if err != nil {
				return fmt.Errorf("limit the DUT with tbf: %w", err)
			}
		}
	}
	return nil
}

// policed reads what the policer dropped.
func policed(ctx context.Context, d weir.DUT, s Setup, named *nftCounters) ([]weir.Drop, error) {
	if s.Policer.Kind != "nft" {
		return queued(ctx, d, s, named)
	}
	counters, err := named.of(ctx, "inet", policerTable)
	var drops []weir.Drop
	for _, c := range counters {
		drops = append(drops, weir.Drop{Place: "dut nftables " + c.Name, Count: c.Packets, Kind: weir.DropPoliced})
	}
	return drops, err
}
