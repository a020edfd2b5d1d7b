package agent

import (
	"context"
	"net/netip"
	"time"

	"weir"
)

// ManagerSettings are those of the agent that queries an SNMP agent.
type ManagerSettings struct {
	Target    netip.Addr `json:"target"`
	Community string     `json:"community"`
	Interface int        `json:"interface"` // number (ifIndex) of the one whose counters are read
}

// Manager queries an SNMP agent once a second, for the variables of RFC 2544
// appendix C.2.4.3: the time since the DUT started, octets and unicast packets
// of an interface. The first query is sent when it begins (RFC 2544 section 11.2).
type Manager struct{ Observer[weir.Queries] }

// StartManager starts one in the tester.
func StartManager(ctx context.Context, at Place, s ManagerSettings) (Manager, error) {
	a, err := startRole(ctx, at, "snmp", s)
	return Manager{Observer[weir.Queries]{a}}, err
}

// Await returns when the SNMP agent has answered a query, or ctx ends.
func (m Manager) Await(ctx context.Context) (err error) {
	for ctx.Err() == nil {
		if err = m.Ask(ctx, "query", nil, nil); err == nil {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return err
}
