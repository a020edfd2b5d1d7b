package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"weir"
)

// AccessConfig says between which ports data frames of PPPoE sessions go past the program
// that has set the sessions up.
type AccessConfig struct {
	Port   string   // that frames of sessions arrive at
	Line   string   // that they are sent from: the port, or a device over it, with the same Ethernet address
	Device string   // of the sessions: a tun device, and what is routed there goes through them
	Routed []string // the other ports of a router; none at a host that is no router
	Single bool     // whether there is one session at a time, which everything goes through: at a client
}

// Access moves the data frames of PPPoE sessions: out of them in the driver of the port
// that they arrive at, and into them in the drivers of the other ports of a router and
// where the stack sends through the sessions' device. All other frames, and those of
// sessions that it does not know of, are left to the program.
//
// A packet that it has taken out of a session and does not forward itself arrives in the
// stack by the port. What the stack sends must not be segmented later, and frames that
// cross virtual links need their checksums from the socket, as with Forward.
type Access struct {
	single  bool
	own     ownPrograms
	entries []entry // of the other ports
	links   []link.Link
}

// sharedMaps are of all programs of an Access.
type sharedMaps struct {
	Sessions *ebpf.Map `ebpf:"sessions"`
	Peers    *ebpf.Map `ebpf:"peers"`
	Ports    *ebpf.Map `ebpf:"ports"`
	Tallies  *ebpf.Map `ebpf:"tallies"`
}

type ownPrograms struct {
	sharedMaps
	Pop   *ebpf.Program `ebpf:"pop"`
	Leave *ebpf.Program `ebpf:"leave"`
}

type entry struct {
	sharedMaps
	Enter *ebpf.Program `ebpf:"enter"`
}

// Session is what tells a session of an end from its others.
type Session struct {
	Peer [6]byte // the Ethernet address of the other end
	ID   uint16
}

// NewAccess attaches to the ports and the device, which are in the calling thread's
// network namespace. There is no session yet. Close, or the end of this process, detaches.
func NewAccess(c AccessConfig) (*Access, error) {
	a := &Access{single: c.Single}
	if err := a.attach(c); err != nil {
		return nil, errors.Join(fmt.Errorf("move the octets of PPPoE by XDP at %s: %w", c.Port, err), a.Close())
	}
	return a, nil
}

func (a *Access) attach(c AccessConfig) error {
	port, err := net.InterfaceByName(c.Port)
	if err != nil {
		return err
	}
	line, err := net.InterfaceByName(c.Line)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Line, err)
	}
	device, err := net.InterfaceByName(c.Device)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Device, err)
	}
	load := func(at *net.Interface, into any) error {
		spec, err := loadAccess()
		if err != nil {
			return fmt.Errorf("read the object: %w", err)
		}
		var address, source [8]uint8
		if copy(address[:], at.HardwareAddr) != 6 || copy(source[:], line.HardwareAddr) != 6 {
			return errors.New("it has no Ethernet address")
		}
		v := spec.Variables
		err = errors.Join(v["address"].Set(address), v["source"].Set(source), v["line"].Set(uint32(line.Index)),
			v["device"].Set(uint32(device.Index)), v["routes"].Set(truth(len(c.Routed) > 0)), v["single"].Set(truth(c.Single)))
		if err != nil {
			return err
		}
		spec.Maps["ports"].MaxEntries = uint32(1 + len(c.Routed))
		if c.Single {
			spec.Maps["sessions"].MaxEntries, spec.Maps["peers"].MaxEntries = 1, 1
		}
		var options ebpf.CollectionOptions
		if m := a.own.sharedMaps; m.Ports != nil {
			options.MapReplacements = map[string]*ebpf.Map{"sessions": m.Sessions, "peers": m.Peers, "ports": m.Ports, "tallies": m.Tallies}
		}
		return explain("load the programs", spec.LoadAndAssign(into, &options))
	}
	if err := load(port, &a.own); err != nil {
		return err
	}
	if err := a.allow(port); err != nil {
		return err
	}
	var others []*net.Interface
	for _, name := range c.Routed {
		other, err := net.InterfaceByName(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var e entry
		if err := load(other, &e); err != nil {
			return err
		}
		a.entries, others = append(a.entries, e), append(others, other)
		if err := a.allow(other); err != nil {
			return err
		}
	}
	return a.link(port, device, others)
}

// allow has packets leave through a port.
func (a *Access) allow(port *net.Interface) error {
	return explain("let it send through the port", a.own.Ports.Put(uint32(port.Index), uint32(port.Index)))
}

// link attaches the programs: the first frame finds all of them ready.
func (a *Access) link(port, device *net.Interface, others []*net.Interface) error {
	add := func(l link.Link, err error) error {
		if err == nil {
			a.links = append(a.links, l)
		}
		return err
	}
	l, err := link.AttachTCX(link.TCXOptions{Interface: device.Index, Program: a.own.Leave, Attach: ebpf.AttachTCXEgress})
	if errors.Is(err, ebpf.ErrNotSupported) {
		err = &weir.UnsupportedError{Feature: "BPF programs where the stack sends (TCX)", Since: "Linux 6.6", Err: err, Remedy: "use a newer kernel, or take {pppoe: userland}"}
	}
	if err := add(l, err); err != nil {
		return fmt.Errorf("attach to %s: %w", device.Name, err)
	}
	for i, other := range others {
		if err := add(attach(a.entries[i].Enter, other.Index)); err != nil {
			return fmt.Errorf("%s: %w", other.Name, err)
		}
	}
	return add(attach(a.own.Pop, port.Index))
}

func truth(is bool) uint8 {
	if is {
		return 1
	}
	return 0
}

func (s Session) key() accessSession {
	return accessSession{Peer: s.Peer, Id: binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, s.ID))}
}

// destinations are the keys of the addresses that lead to a session.
func (a *Access) destinations(addresses []netip.Addr) []accessDestination {
	if a.single {
		return make([]accessDestination, 1)
	}
	out := make([]accessDestination, len(addresses))
	for i, address := range addresses {
		octets := address.As16()
		for w := range out[i].Words {
			out[i].Words[w] = binary.NativeEndian.Uint32(octets[4*w:])
		}
	}
	return out
}

// Add moves the frames of a session from now on, and what is sent to these addresses
// through it; where there is a single one, everything.
func (a *Access) Add(s Session, addresses ...netip.Addr) error {
	err := a.own.Sessions.Put(s.key(), uint8(0))
	for _, d := range a.destinations(addresses) {
		err = errors.Join(err, a.own.Peers.Put(d, s.key()))
	}
	return explain("add a session", err)
}

// Remove leaves the session to the program again. An address that leads to another one by
// now still does.
func (a *Access) Remove(s Session, addresses ...netip.Addr) error {
	var err error
	for _, d := range a.destinations(addresses) {
		var leads accessSession
		if a.own.Peers.Lookup(d, &leads) == nil && leads == s.key() {
			err = errors.Join(err, a.own.Peers.Delete(d))
		}
	}
	return explain("remove a session", errors.Join(err, a.own.Sessions.Delete(s.key())))
}

// Counts are what it has come to.
func (a *Access) Counts() (c Accessed, err error) {
	var by [3]accessTally // by program: pop, enter and leave
	for program := range by {
		perCPU := make([]accessTally, cpus())
		if err := a.own.Tallies.Lookup(uint32(program), &perCPU); err != nil {
			return c, fmt.Errorf("read the counters of PPPoE by XDP: %w", err)
		}
		for _, one := range perCPU {
			for outcome, n := range one.Frames {
				by[program].Frames[outcome] += n
			}
		}
	}
	// In the order of the programs' outcomes.
	const forwarded, header, address, route, port, delivered, control, scope, session, length, segments = 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	pop, enter, leave := by[0].Frames, by[1].Frames, by[2].Frames
	c.Stack = Passed{Header: pop[header], Address: pop[address], Route: pop[route] + enter[route], Port: pop[port] + enter[port]}
	c.Routed = pop[forwarded] + enter[forwarded]
	c.Out = pop[forwarded] + pop[header] + pop[address] + pop[route] + pop[port] + pop[delivered]
	c.In = enter[forwarded] + leave[forwarded]
	c.Left = Left{
		Control: pop[control], Scope: pop[scope], Session: pop[session] + leave[session], Length: pop[length] + leave[length],
		Segments: leave[segments] + leave[port],
	}
	return c, nil
}

// Close detaches: the program and the stack do all of it again.
func (a *Access) Close() error {
	var err error
	for _, l := range a.links {
		err = errors.Join(err, l.Close())
	}
	closeAll := func(m sharedMaps, programs ...*ebpf.Program) {
		for _, p := range programs {
			err = errors.Join(err, p.Close())
		}
		err = errors.Join(err, m.Sessions.Close(), m.Peers.Close(), m.Ports.Close(), m.Tallies.Close())
	}
	for _, e := range a.entries {
		closeAll(e.sharedMaps, e.Enter)
	}
	closeAll(a.own.sharedMaps, a.own.Pop, a.own.Leave)
	*a = Access{}
	return err
}
