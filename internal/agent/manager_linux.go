package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gosnmp/gosnmp"

	"weir"
)

const (
	snmpPort   = 161
	querySpan  = time.Second
	queryLimit = 900 * time.Millisecond // before the next query is due
)

// manager is the role "snmp" being played.
type manager struct {
	session   *gosnmp.GoSNMP
	variables []string     // object identifiers
	queries   weir.Queries // of what it observes; read when that is over
}

func openManager(_ context.Context, s ManagerSettings) (Opened, error) {
	m := &manager{
		session: &gosnmp.GoSNMP{Target: s.Target.String(), Port: snmpPort, Transport: "udp", Community: s.Community,
			Version: gosnmp.Version2c, Timeout: queryLimit, MaxOids: gosnmp.MaxOids},
		variables: variables(s.Interface),
	}
	if err := raisePriority(); err != nil { // its query is due when the generator begins
		return Opened{}, err
	}
	if err := m.session.Connect(); err != nil {
		return Opened{}, fmt.Errorf("open a socket to %v: %w", s.Target, err)
	}
	commands := observing(func() { m.queries = weir.Queries{} }, m.work, func() (weir.Queries, error) { return m.queries, nil })
	commands["query"] = Do(func(context.Context, struct{}) (any, error) { return nil, m.query() })
	return Opened{Commands: commands, Close: func() { m.session.Conn.Close() }}, nil
}

// work sends a query at the beginning of each second.
func (m *manager) work(ctx context.Context) {
	for due := time.Now(); !over(ctx, time.Now()); {
		m.queries.Sent++
		if err := m.query(); err != nil {
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

// query asks for the variables and verifies that all of them came back.
func (m *manager) query() error {
	response, err := m.session.Get(m.variables)
	if err != nil {
		return err
	}
	if response.Error != gosnmp.NoError {
		return fmt.Errorf("the answer says %v", response.Error)
	}
	if len(response.Variables) != len(m.variables) {
		return fmt.Errorf("the answer has %d variables instead of %d", len(response.Variables), len(m.variables))
	}
	for i, v := range response.Variables {
		switch {
		case v.Name != m.variables[i]:
			return fmt.Errorf("the answer has %s instead of %s", v.Name, m.variables[i])
		case v.Type != gosnmp.TimeTicks && v.Type != gosnmp.Counter32:
			return errors.New("the DUT has no value for " + v.Name)
		}
	}
	return nil
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
