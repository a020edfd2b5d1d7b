package main

import "context"

const xdpTrafficgen = "xdp-trafficgen"

// xdpTrafficgen is that of xdp-tools, which sends as weir does. Its frames, UDP
// over IPv6, are 64 octets without the FCS, which nobody can change, and it looks
// at none.
func (l *lab) xdpTrafficgen(context.Context) (source, error) {
	return &anew{launch: func() (*process, error) {
		return launch(l.ns, []int{sendingCPU, sinkCPU}, xdpTrafficgen, "udp",
			"--dst-mac", l.far.String(), "--src-mac", l.mac.String(), l.port)
	}}, nil
}

// anew is a source that is launched for each turn: a program that the kernel
// sends for gives up when a signal interrupts that, and so when it is stopped.
type anew struct {
	launch  func() (*process, error)
	process *process // nil between turns
}

func (a *anew) start() (<-chan error, error) {
	var err error
	if a.process, err = a.launch(); err != nil {
		return nil, err
	}
	return a.process.ended, nil
}

func (a *anew) hold() {
	if a.process != nil {
		a.process.close()
		a.process = nil
	}
}

func (a *anew) close() { a.hold() }
