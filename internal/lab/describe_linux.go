package lab

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"weir"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/xdp"
)

// describe is the lab's manifest.
func describe(ctx context.Context, p plan.Plan, bed *testbed.Netns, ends []*testbed.EndHost, platform dut.Platform) (weir.Manifest, error) {
	machine, err := telemetry.ReadMachine(ctx, bed.TesterHost())
	if err != nil {
		return weir.Manifest{}, err
	}
	m := weir.Manifest{
		Kernel: machine.Kernel, CPUModel: machine.CPUModel, CPUs: runtime.NumCPU(),
		Platform: "linux", Backend: "xdp", Settings: machine.Settings,
	}
	if mtu(p)+18 > xdp.MaxFrame {
		m.Backend = "afpacket for large frames, xdp"
	}
	switch frames, programs := senders(p); {
	case !frames:
		m.Backend = endHosts
	case programs:
		m.Backend += ", " + endHosts
	}
	if platform == nil {
		m.Platform = plan.NoDUT
		settings, err := describeEnds(ctx, p, ends)
		m.Settings = append(m.Settings, settings...)
		return m, err
	}
	cpus := bed.CPUs()
	m.Settings = append(m.Settings,
		weir.Setting{Where: "lab", Name: "generator CPUs", Value: fmt.Sprint(cpus.Generator) + ", nice -20"},
		weir.Setting{Where: "lab", Name: "receiver CPUs", Value: fmt.Sprint(cpus.Receiver) + ", threaded NAPI, real-time priority"},
		weir.Setting{Where: "lab", Name: "DUT CPUs", Value: fmt.Sprint(cpus.DUT) + ", threaded NAPI, real-time priority"},
	)
	for i, port := range bed.DUT().Ports {
		offloads, err := offloads(bed, port.DUT)
		if err != nil {
			return m, err
		}
		m.Settings = append(m.Settings,
			weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d", i), Value: fmt.Sprintf("veth, %d queues, MTU %d", port.Queues, port.MTU)},
			weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d offloads", i), Value: offloads})
	}
	if len(ends) > 0 {
		ends, err := describeEnds(ctx, p, ends)
		if err != nil {
			return m, err
		}
		m.Settings = append(m.Settings, ends...)
	}
	m.Settings = append(m.Settings, weir.Setting{Where: "lab", Name: "control link", Value: fmt.Sprintf("%v - %v", bed.ControlTester, bed.ControlDUT)})
	settings, err := platform.Settings(ctx, bed.DUT())
	m.Settings = append(m.Settings, settings...)
	return m, err
}

// ofEnds are the sysctls of an end host that decide how TCP behaves.
var ofEnds = []string{
	"net.ipv4.tcp_timestamps", "net.ipv4.tcp_sack", "net.ipv4.tcp_window_scaling",
	"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
}

// describeEnds is what a reader must know of the end hosts, which are set alike.
func describeEnds(ctx context.Context, p plan.Plan, ends []*testbed.EndHost) ([]weir.Setting, error) {
	link := "not held"
	if p.Testbed.Link > 0 && p.Testbed.Kind == plan.NetNS {
		link = fmt.Sprintf("held to %.0f bit/s by tbf, each frame with the %d octets that the kernel does not count", p.Testbed.Link, linkOverhead)
	}
	out := []weir.Setting{{Where: "ends", Name: "link", Value: link}}
	for _, e := range ends {
		port := "veth, no TCP segmentation offload"
		if p.Testbed.Kind != plan.NetNS {
			port = e.Port.Tester
		}
		out = append(out, weir.Setting{Where: "ends", Name: e.Host().Name(), Value: fmt.Sprintf("%s, MTU %d, CPUs %v", port, e.Port.MTU, e.CPUs())})
	}
	host := ends[0].Host()
	routes, err := host.Run(ctx, "", "ip", "route", "show", "proto", "boot")
	if err != nil {
		return nil, err
	}
	settings, err := congestionOf(ctx, host, routes)
	for _, s := range settings {
		out = append(out, weir.Setting{Where: "ends", Name: s.Name, Value: s.Value})
	}
	return out, err
}

// congestionOf is how TCP behaves at a host, which has such routes.
func congestionOf(ctx context.Context, host weir.Host, routes string) (out []weir.Setting, err error) {
	_, congestion, by := strings.Cut(routes, "congctl ")
	if fields := strings.Fields(congestion); by && len(fields) > 0 {
		congestion = fields[0]
	} else if congestion, err = host.ReadFile(ctx, sysctlFile("net.ipv4.tcp_congestion_control")); err != nil {
		return nil, err
	}
	out = append(out, weir.Setting{Name: "congestion control", Value: strings.TrimSpace(congestion)})
	for _, name := range ofEnds {
		v, err := host.ReadFile(ctx, sysctlFile(name))
		if err != nil {
			return nil, fmt.Errorf("read a setting of the end hosts: %w", err)
		}
		out = append(out, weir.Setting{Name: name, Value: strings.Join(strings.Fields(v), " ")})
	}
	return out, nil
}

// offloads are those of a DUT's port that change what a router does.
func offloads(bed enteredBed, port string) (string, error) {
	var features map[string]bool
	err := bed.InDUT(func() (err error) {
		features, err = netif.Features(port)
		return err
	})
	if err != nil {
		return "", err
	}
	var out []string
	for _, name := range []string{"rx-gro", "rx-lro", "tx-tcp-segmentation", "rx-gro-list", "rx-udp-gro-forwarding", "rx-checksum"} {
		state := "off"
		if features[name] {
			state = "on"
		}
		out = append(out, name+" "+state)
	}
	return strings.Join(out, ", "), nil
}
