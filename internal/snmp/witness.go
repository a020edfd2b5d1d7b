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

	"weir"
)

const (
	witnessTimeout = time.Second // of an answer
	witnessAgain   = 2           // times it is asked for again

	settleEach = time.Second // between two readings: many switches poll their counters no more often

	// SettleMost is for how long a witness waits until its counters stand still: Net-SNMP
	// reads those of Linux every 3 s.
	SettleMost = 4 * time.Second
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

// losses are the counters of frames that an interface did not pass on.
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
}

// port is an interface of the switch.
type port struct {
	name    string   // as the user called it
	objects []string // upTime, losses, and what it forwarded in and out
}

// Counts are what all interfaces have counted since whenever the switch began, and
// when that was.
type Counts [][]Value

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

// Read reads all counters.
func (w *Witness) Read(ctx context.Context) (out Counts, err error) {
	for _, p := range w.ports {
		values, err := w.agent.Get(ctx, p.objects)
		if err != nil {
			return nil, fmt.Errorf("the witness %v: %w", w.at, err)
		}
		out = append(out, values)
	}
	return out, nil
}

// Settled reads all counters until they stand still and have counted as many frames as
// came through, or SettleMost is over. A switch may show what it counted seconds later.
// Those that have not counted so many by then are an error beside what they say.
func (w *Witness) Settled(ctx context.Context, before Counts, frames uint64) (Counts, error) {
	last, err := w.Read(ctx)
	for i := 0; err == nil && i < int(SettleMost/settleEach); i++ {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(settleEach):
		}
		var next Counts
		if next, err = w.Read(ctx); err != nil {
			return nil, err
		}
		still := next.forwarded(last) == 0 && len(w.since(last, next)) == 0
		if last = next; still && last.forwarded(before) >= frames {
			return last, nil
		}
	}
	if seen := last.forwarded(before); err == nil && seen < frames {
		err = fmt.Errorf("the witness %v counted %d frames %v after %d had come through: its counters are older than that, or these are not the interfaces", w.at, seen, SettleMost, frames)
	}
	return last, err
}

// Since are the drops between two readings. The error says that the switch began anew
// between them.
func (w *Witness) Since(before, after Counts) ([]weir.Drop, error) {
	for i := range after {
		if after[i][0].Number < before[i][0].Number && before[i][0].Number-after[i][0].Number < 1<<31 {
			return nil, fmt.Errorf("the witness %v began anew during the trial, and its counters with it", w.at)
		}
	}
	return w.since(before, after), nil
}

func (w *Witness) since(before, after Counts) (out []weir.Drop) {
	for i, p := range w.ports {
		for k, l := range losses {
			if n := rise(before[i][1+k], after[i][1+k]); n > 0 {
				out = append(out, weir.Drop{Place: fmt.Sprintf("witness %v port %s %s", w.at, p.name, l.does), Count: n})
			}
		}
	}
	return out
}

// forwarded is how many frames came in and went out since then, over all interfaces.
func (c Counts) forwarded(before Counts) (n uint64) {
	for i, values := range c {
		for k := 1 + len(losses); k < len(values); k++ {
			n += rise(before[i][k], values[k])
		}
	}
	return n
}

// rise is by how much a counter rose, which may have begun anew at 0 once.
func rise(before, after Value) uint64 {
	switch {
	case before.Bits != after.Bits:
		return 0 // it is there no more, or only now
	case after.Bits == 32:
		return uint64(uint32(after.Number) - uint32(before.Number))
	}
	return after.Number - before.Number
}
