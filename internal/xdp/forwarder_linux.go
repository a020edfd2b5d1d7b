package xdp

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// Forwarder forwards the IP packets that arrive at some ports, and leave
// through one of them, in the ports' drivers. Routes and neighbours are those
// of the kernel, whoever has told it of them. Whatever takes more than that is
// left to the kernel, and the forwarder drops nothing.
type Forwarder struct {
	ports []forwarding
}

// forwarding is the forwarder at one port. All have the same maps.
type forwarding struct {
	Forward *ebpf.Program `ebpf:"forward"`
	Ports   *ebpf.Map     `ebpf:"ports"`
	Tallies *ebpf.Map     `ebpf:"tallies"`
	link    link.Link
}

// Forward attaches a forwarder to the ports with these names of the calling
// thread's network namespace. They keep what they have: NAPI and its threads,
// offloads, addresses. Close, or the end of this process, detaches it. A port
// without native XDP is a *weir.UnsupportedError.
//
// A port at the other end of a veth link has to take redirected frames: it
// needs GRO or an XDP program. What a socket leaves to a NIC is not done for
// frames that cross virtual links: without checksums from it, they stay so.
func Forward(names []string) (*Forwarder, error) {
	f := &Forwarder{}
	for i, name := range names {
		if err := f.add(name, i, len(names)); err != nil {
			return nil, errors.Join(fmt.Errorf("forward by XDP at %s: %w", name, err), f.Close())
		}
	}
	// The first frame finds all ports ready.
	for i, name := range names {
		port, err := net.InterfaceByName(name)
		if err == nil {
			f.ports[i].link, err = attach(f.ports[i].Forward, port.Index)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("forward by XDP at %s: %w", name, err), f.Close())
		}
	}
	return f, nil
}

// add loads the forwarder for port i of n.
func (f *Forwarder) add(name string, i, n int) error {
	port, err := net.InterfaceByName(name)
	if err != nil {
		return err
	}
	spec, err := loadForwarder()
	if err != nil {
		return fmt.Errorf("read the forwarder's object: %w", err)
	}
	spec.Maps["tallies"].MaxEntries = uint32(n)
	spec.Maps["ports"].MaxEntries = uint32(n)
	var address [8]uint8
	if copy(address[:], port.HardwareAddr) != 6 {
		return errors.New("it has no Ethernet address")
	}
	err = errors.Join(spec.Variables["port"].Set(uint32(i)), spec.Variables["address"].Set(address))
	if err != nil {
		return err
	}
	var options ebpf.CollectionOptions
	if i > 0 {
		options.MapReplacements = map[string]*ebpf.Map{"ports": f.ports[0].Ports, "tallies": f.ports[0].Tallies}
	}
	var p forwarding
	if err := spec.LoadAndAssign(&p, &options); err != nil {
		return explain("load the forwarder", err)
	}
	f.ports = append(f.ports, p)
	if err := p.Ports.Put(uint32(port.Index), uint32(port.Index)); err != nil {
		return explain("let it send through the port", err)
	}
	return nil
}

// Counts are what became of the frames since Forward, by port.
func (f *Forwarder) Counts() ([]Forwarded, error) {
	all := make([]Forwarded, len(f.ports))
	perCPU := make([]forwarderTally, cpus())
	for i := range f.ports {
		if err := f.ports[0].Tallies.Lookup(uint32(i), &perCPU); err != nil {
			return nil, fmt.Errorf("read the forwarder's counters: %w", err)
		}
		for _, c := range perCPU {
			// In the order of the program's outcomes.
			for k, n := range []*uint64{&all[i].Frames,
				&all[i].Passed.Link, &all[i].Passed.Header, &all[i].Passed.Address, &all[i].Passed.Route, &all[i].Passed.Port} {
				*n += c.Frames[k]
			}
		}
	}
	return all, nil
}

// Close detaches the forwarder: the kernel forwards again.
func (f *Forwarder) Close() error {
	var err error
	for i := range f.ports {
		if l := f.ports[i].link; l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	for _, p := range f.ports {
		err = errors.Join(err, p.Forward.Close(), p.Ports.Close(), p.Tallies.Close())
	}
	f.ports = nil
	return err
}
