package snmp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	witnessTimeout = time.Second // of an answer
	witnessAgain   = 2           // times it is asked for again
)

// Objects of the interfaces' MIB (RFC 2863), to which the number of an interface is
// added.
const (
	upTime     = ".1.3.6.1.2.1.1.3.0"
	descrOf    = ".1.3.6.1.2.1.2.2.1.2"
	nameOf     = ".1.3.6.1.2.1.31.1.1.1.1"
	inUnicast  = ".1.3.6.1.2.1.2.2.1.11"
	outUnicast = ".1.3.6.1.2.1.2.2.1.17"
	inHigh     = ".1.3.6.1.2.1.31.1.1.1.7"  // ifHCInUcastPkts, where there is an ifXTable
	outHigh    = ".1.3.6.1.2.1.31.1.1.1.11" // ifHCOutUcastPkts
)

// losses are the counters of frames that an interface did not pass on. Those of frames
// that came in are first.
var losses = []struct{ object, does string }{
	{".1.3.6.1.2.1.2.2.1.13", "discarded on receipt (ifInDiscards)"},
	{".1.3.6.1.2.1.2.2.1.14", "damaged on receipt (ifInErrors)"},
	{".1.3.6.1.2.1.2.2.1.19", "discarded before sending (ifOutDiscards)"},
	{".1.3.6.1.2.1.2.2.1.20", "not sent because of errors (ifOutErrors)"},
}

// asker is what a witness needs of a session.
type asker interface {
	Get(context.Context, []string) ([]Value, error)
	Column(context.Context, string) (map[int]Value, error)
	Close() error
}

// Witness reads what interfaces of a switch have counted.
type Witness struct {
	agent asker
	at    netip.Addr
	ports []port
	owed  *owed // nil: it has counted what it was waited for
}

// port is an interface of the switch.
type port struct {
	name    string   // as the user called it
	objects []string // upTime, losses, and what it forwarded in and out
}

// OpenWitness finds the interfaces, which are numbers (ifIndex) or names (ifName or
// ifDescr), at the switch that has the address.
func OpenWitness(ctx context.Context, at netip.Addr, community string, interfaces []string) (*Witness, error) {
	agent, err := Open(at, community, witnessTimeout, witnessAgain)
	if err != nil {
		return nil, err
	}
	w := &Witness{agent: agent, at: at}
	if err := w.find(ctx, interfaces); err != nil {
		return nil, errors.Join(err, agent.Close())
	}
	return w, nil
}

// Close ends its session.
func (w *Witness) Close() error { return w.agent.Close() }

// find looks the interfaces up, and which counters they have.
func (w *Witness) find(ctx context.Context, interfaces []string) error {
	if _, err := w.agent.Get(ctx, []string{upTime}); err != nil {
		return fmt.Errorf("the witness %v says nothing by SNMP: %w: is this the address of the switch, may this machine ask it with this community (SNMP v2c), "+
			"and does a firewall let UDP port %d through?", w.at, err, agentPort)
	}
	known, err := w.interfaces(ctx)
	if err != nil {
		return fmt.Errorf("list the interfaces of the witness %v: %w", w.at, err)
	}
	for _, name := range interfaces {
		index, err := strconv.Atoi(name)
		if err != nil {
			index = 0
			for i, names := range known {
				if slices.Contains(names, name) {
					index = i
				}
			}
		}
		if known[index] == nil {
			return fmt.Errorf("the witness %v has no interface %s; it has %s", w.at, name, listed(known))
		}
		p, err := w.port(ctx, name, index)
		if err != nil {
			return fmt.Errorf("read the counters of interface %s of the witness %v: %w", name, w.at, err)
		}
		w.ports = append(w.ports, p)
	}
	return nil
}

// interfaces are the names of each, by number.
func (w *Witness) interfaces(ctx context.Context) (map[int][]string, error) {
	known := make(map[int][]string)
	for _, column := range []string{nameOf, descrOf} { // an old switch has no names
		found, err := w.agent.Column(ctx, column)
		if err != nil {
			return nil, err
		}
		for i, v := range found {
			known[i] = append(known[i], v.Text)
		}
	}
	return known, nil
}

// mostListed is how many interfaces a message names.
const mostListed = 24

// listed are the interfaces for people: "1 (lo), 2 (eth0)".
func listed(known map[int][]string) string {
	var out []string
	for _, i := range slices.Sorted(maps.Keys(known)) {
		if len(out) == mostListed {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(known)-mostListed)
		}
		out = append(out, fmt.Sprintf("%d (%s)", i, cmp.Or(known[i]...)))
	}
	return cmp.Or(strings.Join(out, ", "), "none that this community may see")
}

// port is an interface with the counters that it has.
func (w *Witness) port(ctx context.Context, name string, index int) (port, error) {
	of := func(object string) string { return object + "." + strconv.Itoa(index) }
	p := port{name: name, objects: []string{upTime}}
	for _, l := range losses {
		p.objects = append(p.objects, of(l.object))
	}
	high := []string{of(inHigh), of(outHigh)}
	values, err := w.agent.Get(ctx, high)
	if err != nil {
		return p, err
	}
	for i, object := range []string{of(inUnicast), of(outUnicast)} {
		if values[i].Bits > 0 {
			object = high[i]
		}
		p.objects = append(p.objects, object)
	}
	values, err = w.agent.Get(ctx, p.objects)
	if err == nil && !slices.ContainsFunc(values[1:], func(v Value) bool { return v.Bits > 0 }) {
		err = errors.New("it has none")
	}
	return p, err
}
