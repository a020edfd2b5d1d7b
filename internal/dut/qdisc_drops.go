package dut

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"weir"
)

// queued reads what the queueing disciplines of the ports dropped. One that has
// others below it counts what these drop as well, so those at the root alone
// are read, and what drops on receipt, which is beside it.
func queued(ctx context.Context, d weir.DUT, _ Setup, _ *nftCounters) ([]weir.Drop, error) {
	text, err := d.Host.Run(ctx, "", "tc", "-s", "-j", "qdisc", "show")
	if err != nil {
		return nil, err
	}
	var qdiscs []struct {
		Kind, Dev string
		Root      bool
		Drops     uint64
	}
	if err := json.Unmarshal([]byte(text), &qdiscs); err != nil {
		return nil, fmt.Errorf("read the queueing disciplines: %w", err)
	}
	var drops []weir.Drop
	for i, port := range d.Ports {
		for _, q := range qdiscs {
			if (q.Dev == port.DUT || q.Dev == shaperOf(i)) && (q.Root || slices.Contains([]string{"ingress", "clsact"}, q.Kind)) {
				drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut port %d qdisc %s", i, q.Kind), Count: q.Drops})
			}
		}
	}
	return drops, nil
}
