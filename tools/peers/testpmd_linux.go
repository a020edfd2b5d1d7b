package main

import (
	"context"
	"fmt"
)

const testpmd = "dpdk-testpmd"

// testpmd refuses the option after it has said its version.
var testpmdVersion = append([]string{"-v"}, testpmdEAL...)

// No huge pages: they would have to be taken from the machine, and gave 1 to
// 3 % here. The other switches keep DPDK from devices and from files.
var testpmdEAL = []string{"--no-huge", "-m", "512", "--no-pci", "--no-shconf", "--no-telemetry"}

// testpmdPacket is DPDK's testpmd over an AF_PACKET socket's ring. Without the
// queueing discipline it is a little faster; sizes of the ring and of its
// frames, and bursts of 32 to 256, make no difference.
func (l *lab) testpmdPacket(context.Context) (source, error) {
	return l.testpmd("net_af_packet0,iface="+l.port+",qdisc_bypass=1", "--burst=64")
}

// testpmdXDP is DPDK's testpmd over an AF_XDP socket, in copy mode: veth has no
// other. Two options decide. Without huge pages DPDK puts one buffer in each
// page but tells the kernel a region for buffers packed tightly, so that with
// its default of 2176 octets the kernel refuses four frames in ten: buffers of
// 3840 octets fill their pages. And a ring of 512 with bursts of 32, what the
// kernel takes in one call, sends most; longer ones bring nothing.
func (l *lab) testpmdXDP(context.Context) (source, error) {
	return l.testpmd("net_af_xdp0,iface="+l.port, "--burst=32", "--txd=512", "--mbuf-size=3840")
}

// testpmd sends 60 octets and the FCS of UDP over IPv4 from a template. Its
// main thread sleeps on the sink's CPU, the one that sends has the other to
// itself.
func (l *lab) testpmd(device string, options ...string) (source, error) {
	argv := append([]string{testpmd}, testpmdEAL...)
	argv = append(argv,
		"-l", fmt.Sprintf("%d,%d", sendingCPU, sinkCPU), "--main-lcore", fmt.Sprint(sinkCPU), "--vdev="+device,
		"--", "--forward-mode=txonly", "--auto-start", "--txpkts=60", "--total-num-mbufs=8192")
	return launch(l.ns, []int{sendingCPU, sinkCPU}, append(argv, options...)...)
}
