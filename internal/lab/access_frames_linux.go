package lab

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/netif"
)

// bareEnd is the tester as the client of sessions that test frames go through: these are
// written and taken at its first port, and a program keeps the sessions up, to which the
// receiver there passes whatever is no test frame.
func (l *netnsLab) bareEnd() lineEnd {
	cpus, port := l.bed.CPUs(), l.bed.TestPorts()[0]
	e := lineEnd{
		name: "tester", bare: true, port: port.Tester, mac: port.TesterMAC,
		place: agent.Place{Host: l.bed.TesterHost(), CPUs: append(slices.Clone(cpus.Generator), cpus.Receiver...)},
		own:   map[weir.Family]netip.Addr{},
	}
	for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
		e.own[f] = frame.TesterAddr(f, 0)
	}
	return e
}

// carry has test frames go through the session that the client has.
func (l *accessLine) carry(found endhost.AccessSession) error {
	client, err := net.ParseMAC(l.ends[0].mac)
	if err != nil {
		return err
	}
	concentrator, err := net.ParseMAC(found.Peer)
	if err != nil {
		return fmt.Errorf("the other end of the session: %w", err)
	}
	l.sessions = []frame.Session{{
		ID: found.ID, Client: client, Concentrator: concentrator,
		IPv4: found.Local, IPv6: l.ends[0].own[weir.IPv6],
	}}
	return nil
}

// apart has what the tester's program says leave by a queue of its own, in which no test
// frames wait: an overload of these is not to end the sessions that they go through.
func (l *netnsLab) apart(ctx context.Context, line *accessLine) error {
	e := line.ends[0]
	return l.bed.DoBehind(0, func() error {
		return netif.SendApart(ctx, &line.undo, e.place.Host, e.port, e.place.CPUs, l.bed.CPUs().Generator)
	})
}

// carried are the sessions that test frames go through at the moment.
func (l *netnsLab) carried() []frame.Session {
	if l.line == nil {
		return nil
	}
	return l.line.sessions
}

// fullDevice reads how many datagrams the concentrator's device had no room for, as its
// program did not read them in time; 0 where no test frames go through it.
func (l *accessLine) fullDevice(ctx context.Context) (uint64, error) {
	if l == nil || len(l.sessions) == 0 {
		return 0, nil
	}
	text, err := l.ends[1].place.Host.ReadFile(ctx, "/sys/class/net/"+accessDevice+"/statistics/tx_dropped")
	if err != nil {
		return 0, fmt.Errorf("read what the concentrator's device dropped: %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(text), 10, 64)
}

// lost are the test frames that the concentrator did not carry, by its own counters and so
// many by its device's.
func (l *accessLine) lost(before, after lineCounts, full uint64) []weir.Drop {
	if l == nil || len(l.sessions) == 0 {
		return nil
	}
	was, is := before[1], after[1]
	return []weir.Drop{
		{Place: "dut concentrator: device full (tx_dropped)", Count: full},
		{Place: "dut concentrator: socket full", Count: is.Missed - was.Missed},
		{Place: "dut concentrator: not taken by its device", Count: is.Untaken - was.Untaken},
		{Place: "dut concentrator: not taken by its port", Count: is.Unsent - was.Unsent},
	}
}
