package xdp

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"weir"
)

// attach attaches a program in the port's driver. The mode is always named:
// without, the kernel may fall back to the generic one silently.
func attach(prog *ebpf.Program, port int) (link.Link, error) {
	l, err := link.AttachXDP(link.XDPOptions{Program: prog, Interface: port, Flags: link.XDPDriverMode})
	switch {
	case err == nil:
		return l, nil
	case refuses(err):
		return nil, &weir.UnsupportedError{Feature: "native XDP on this port", Err: err,
			Remedy: "its driver has none, or none with its MTU or its queues (ip link set mtu, ethtool -L): mend that, or use another port"}
	case errors.Is(err, unix.EBUSY):
		return nil, fmt.Errorf("attach to port %d: another XDP program is attached; detach it (ip link set dev DEV xdp off): %w", port, err)
	}
	return nil, explain(fmt.Sprintf("attach to port %d", port), err)
}

// refuses reports whether a driver has no XDP (EOPNOTSUPP), or none with the MTU or the
// queues of the port: EINVAL of most, ENOSPC of veth whose other end has more queues,
// ENOMEM of those that cannot have a queue more for each CPU.
func refuses(err error) bool {
	return errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.ENOMEM)
}

// attachAnyhow attaches a program in the port's driver or, where that refuses, in the
// kernel behind it (generic mode), which takes several times the CPU time for a frame.
// Then refused is why the driver did not take it.
func attachAnyhow(prog *ebpf.Program, port int) (l link.Link, refused, err error) {
	l, refused = attach(prog, port)
	if !refuses(refused) {
		return l, nil, refused
	}
	l, err = link.AttachXDP(link.XDPOptions{Program: prog, Interface: port, Flags: link.XDPGenericMode})
	if err != nil {
		return nil, nil, explain(fmt.Sprintf("attach to port %d in generic mode", port), err)
	}
	var errno unix.Errno
	if errors.As(refused, &errno) {
		refused = errno // the kernel's own words
	}
	return l, refused, nil
}

// explain says what is missing where the kernel only refuses; nil stays nil.
func explain(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EPERM):
		return &weir.UnsupportedError{Feature: "loading BPF programs (CAP_BPF, CAP_NET_ADMIN)", Err: err,
			Remedy: "run weir as root or through sudo"}
	case errors.Is(err, ebpf.ErrNotSupported):
		return &weir.UnsupportedError{Feature: doing, Since: "Linux 5.18", Err: err, Remedy: "use a newer kernel"}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func cpus() int { return ebpf.MustPossibleCPU() }

// Pass attaches a program to a port that lets everything pass: many NICs
// transmit redirected frames only while there is one.
type Pass struct {
	objects plainObjects
	link    link.Link
}

// NewPass attaches to the port with the given index in the calling thread's
// network namespace.
func NewPass(port int) (*Pass, error) {
	return newPlain(port, func(o *plainObjects) *ebpf.Program { return o.Pass })
}

// NewPassOn is NewPass for the port with this name.
func NewPassOn(name string) (*Pass, error) {
	port, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("find interface %s: %w", name, err)
	}
	return NewPass(port.Index)
}

func newPlain(port int, choose func(*plainObjects) *ebpf.Program) (*Pass, error) {
	p := &Pass{}
	if err := loadPlainObjects(&p.objects, nil); err != nil {
		return nil, explain("load the plain programs", err)
	}
	var err error
	if p.link, err = attach(choose(&p.objects), port); err != nil {
		p.objects.Close()
		return nil, err
	}
	return p, nil
}

// Close detaches the program.
func (p *Pass) Close() error {
	p.link.Close()
	return p.objects.Close()
}

// Sink counts all frames that arrive at a port, whatever they are, and drops
// them: the cheapest receiver there is, for comparing generators.
type Sink struct{ Pass }

// NewSink attaches to the port with the given index in the calling thread's
// network namespace.
func NewSink(port int) (*Sink, error) {
	p, err := newPlain(port, func(o *plainObjects) *ebpf.Program { return o.Sink })
	if err != nil {
		return nil, err
	}
	return &Sink{*p}, nil
}

// Count is the number of frames that arrived since NewSink.
func (s *Sink) Count() (uint64, error) {
	perCPU := make([]uint64, cpus())
	if err := s.objects.Sunk.Lookup(uint32(0), &perCPU); err != nil {
		return 0, fmt.Errorf("read the sink: %w", err)
	}
	var n uint64
	for _, c := range perCPU {
		n += c
	}
	return n, nil
}
