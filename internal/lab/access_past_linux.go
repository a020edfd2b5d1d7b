package lab

import (
	"cmp"
	"fmt"
	"net/netip"

	"weir"
	"weir/internal/endhost"
)

// takePast has the data frames of a line go past the programs at its ends. A DUT then
// forwards those of the session between the drivers of its ports.
func (l *netnsLab) takePast(line *accessLine) error {
	for i := range line.ends {
		e := &line.ends[i]
		if e.bare {
			continue // the tester's own XDP program is at that port
		}
		e.past = &endhost.PastAccess{Port: cmp.Or(e.driver, e.port)}
		if !e.dut {
			continue
		}
		for _, p := range l.bed.DUT().Ports {
			if p.DUT != e.port {
				e.past.Routed = append(e.past.Routed, p.DUT)
			}
		}
		if err := fillChecksums(&line.undo, l.bed.InDUT, e.port); err != nil {
			return err
		}
	}
	client, concentrator := line.ends[0], line.ends[1]
	if line.crowd == nil {
		concentrator.past.IPv6 = map[string]netip.Addr{accessUser: client.own[weir.IPv6]}
	}
	for i, p := range l.bed.TestPorts() {
		behind := func(f func() error) error { return l.bed.DoBehind(i, f) }
		if err := fillChecksums(&line.undo, behind, p.Tester); err != nil {
			return err
		}
	}
	for _, e := range l.bed.Ends() {
		if err := fillChecksums(&line.undo, e.Do, e.Port.Tester); err != nil {
			return err
		}
	}
	return nil
}

// tellPast adds what an end has done with data frames past its program, in each second. A
// result must not bear the name of a way that no datagram took.
func (e *lineEnd) tellPast(r *weir.TrialResult, was, is endhost.AccessCounts, seconds float64) error {
	if e.past == nil {
		return nil
	}
	a, b := was.XDP, is.XDP
	arrived := r.Received > 0 || r.Transferred != nil && r.Transferred.Failed == "" && r.Trial.Transfer.Sessions == 0 // subscribers have sessions of their own
	if arrived && b.In == a.In && b.Out == a.Out {
		return fmt.Errorf("XDP moved no octets of the PPPoE session at %s, its program all of them: take {pppoe: %s}", e.name, weir.Userland)
	}
	r.Readings = append(r.Readings, perSecond(e.name, seconds, []happening{
		{"datagrams by XDP into the session", b.In - a.In},
		{"datagrams by XDP out of the session", b.Out - a.Out},
		{"of these forwarded by XDP", b.Routed - a.Routed},
		{"left to the kernel: header", b.Stack.Header - a.Stack.Header},
		{"left to the kernel: address", b.Stack.Address - a.Stack.Address},
		{"left to the kernel: no route, its own, or too large", b.Stack.Route - a.Stack.Route},
		{"left to the kernel: out of another port", b.Stack.Port - a.Stack.Port},
		{"left to the program: no IP", b.Left.Control - a.Left.Control},
		{"left to the program: of the link alone", b.Left.Scope - a.Left.Scope},
		{"left to the program: of no session", b.Left.Session - a.Left.Session},
		{"left to the program: length", b.Left.Length - a.Left.Length},
		{"left to the program: not yet segmented", b.Left.Segments - a.Left.Segments},
	})...)
	return nil
}
