package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/snmp"
)

const (
	querySpan  = time.Second
	queryLimit = 900 * time.Millisecond // before the next query is due
)

// manager is the role "snmp" being played.
type manager struct {
	session   *snmp.Session
	variables []string     // object identifiers
	queries   weir.Queries // of what it observes; read when that is over
}

func openManager(_ context.Context, s ManagerSettings) (Opened, error) {
	m := &manager{variables: variables(s.Interface)}
	err := RaisePriority() // its query is due when the generator begins
	if err != nil {
		return Opened{}, err
	}
	if m.session, err = snmp.Open(s.Target, s.Community, queryLimit, 0); err != nil {
		return Opened{}, err
	}
	commands := observing(func() { m.queries = weir.Queries{} }, m.work, func() (weir.Queries, error) { return m.queries, nil })
	commands["query"] = Do(func(ctx context.Context, _ struct{}) (any, error) { return nil, m.query(ctx) })
	return Opened{Commands: commands, Close: func() { m.session.Close() }}, nil
}

// work sends a query at the beginning of each second.
func (m *manager) work(ctx context.Context) {
	for due := time.Now(); !over(ctx, time.Now()); {
		m.queries.Sent++
		if err := m.query(context.WithoutCancel(ctx)); err != nil { // the last one is answered after the end
			m.queries.Fault = err.Error()
		} else {
			m.queries.Answered++
		}
		due = due.Add(querySpan)
		select {
		case <-time.After(time.Until(due)):
		case <-ctx.Done():
		}
	}
}

// query asks for the variables and verifies that the DUT has all of them.
func (m *manager) query(ctx context.Context) error {
	values, err := m.session.Get(ctx, m.variables)
	for i, v := range values {
		if v.Bits != 32 {
			return errors.New("the DUT has no value for " + m.variables[i])
		}
	}
	return err
}

// variables are the objects that every DUT with SNMP has, for one interface
// (RFC 2544 appendix C.2.4.3).
func variables(iface int) []string {
	out := []string{".1.3.6.1.2.1.1.3.0"} // sysUpTime
	for _, column := range []int{
		10, // ifInOctets
		16, // ifOutOctets
		11, // ifInUcastPkts
		17, // ifOutUcastPkts
	} {
		out = append(out, fmt.Sprintf(".1.3.6.1.2.1.2.2.1.%d.%d", column, iface))
	}
	return out
}
