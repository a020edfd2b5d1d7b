package dut

import (
	"context"
	"encoding/json"
	"fmt"

	"weir"
)

// nftCounter is a named counter of nftables.
type nftCounter struct {
	Family, Table, Name string
	Packets             uint64
}

// nftCounters are the named counters of a host's nftables as they are when the
// first of them is asked for: one command reads those of all tables.
type nftCounters struct {
	host weir.Host
	read bool
	all  []nftCounter
}

// of are the counters of one table, which has to have some.
func (n *nftCounters) of(ctx context.Context, family, table string) ([]nftCounter, error) {
	if !n.read {
		text, err := n.host.Run(ctx, "", "nft", "-j", "list", "counters")
		if err != nil {
			return nil, err
		}
		var list struct {
			Nftables []struct{ Counter nftCounter }
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("read the counters of nftables: %w", err)
		}
		for _, e := range list.Nftables {
			if e.Counter.Name != "" {
				n.all = append(n.all, e.Counter)
			}
		}
		n.read = true
	}
	var out []nftCounter
	for _, c := range n.all {
		if c.Family == family && c.Table == table {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nftables has no counters in the table %s %s any more: was it changed by somebody else?", family, table)
	}
	return out, nil
}
