package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"weir"
	"weir/internal/testbed"
)

// hostsScript has a command run beside machines that SSH reaches.
const hostsScript = "tools/truth/hosts.sh"

// machines is a place with those of a kind.
func machines(kind string) place {
	return func(_ context.Context, s setup, do func(setup) error) error {
		s.near = []string{hostsScript, kind}
		return do(s)
	}
}

// The plans that are measured beside them; of the DUT one has the ports' names alone.
const (
	sshPorts = "testbed: {kind: ports, ports: [tp0, tp1], cpus: %s}\ndut: {host: \"ssh://r1\", ports: [dut0, dut1]}"
	// setPorts has of each kind of setting that the ends of virtual links can be given.
	setPorts = `
testbed: {kind: ports, ports: [tp0, tp1], cpus: {%s}, allow: [any destination]}
dut: {host: "ssh://r1", ports: [dut0, dut1], tso: off, rps: 1, qdisc: pfifo, mtu: 1600, sysctl net.ipv4.ip_early_demux: 0}
factors:
  firewall: [none, stateful, {kind: nat, rules: 3, with: iptables}]
  routes: [1, 200]
traffic: {sizes: [64]}
methods: [{method: saturated, within: 400ms, trial: 100ms}]
runs: {count: 3, seed: 1}
waits: {residual: 10ms}
`
	farPorts = "testbed: {kind: ports, ports: [\"ssh://t1/far0\", \"ssh://t2/far1\"], cpus: %s}"
)

// hosts are the promises about machines that SSH reaches: they measure what a lab of network
// namespaces does.
func hosts() []promise {
	last := []int{runtime.NumCPU() - 1} // of which the script makes the DUT's
	cpus, err := testbed.PlaceCPUs(runtime.NumCPU(), weir.CPUs{DUT: last})
	if err != nil {
		panic(err) // there is a last one
	}
	list := func(set []int) string { return strings.ReplaceAll(fmt.Sprint(set), " ", ", ") }
	tester := fmt.Sprintf("generator: %s, receiver: %s", list(cpus.Generator), list(cpus.Receiver))
	lab := "testbed: {cpus: {" + tester + ", dut: " + list(cpus.DUT) + "}}"
	return []promise{
		alike("hosts", "a DUT over SSH is like a lab", lab, fmt.Sprintf(sshPorts, "{"+tester+"}"), machines("dut")),
		alike("hosts", "sender and receiver at two machines are like a lab", lab, fmt.Sprintf(farPorts, "{"+tester+"}"), machines("far")),
		restored("hosts", "a DUT over SSH", fmt.Sprintf(setPorts, tester), []string{hostsScript, "dut"}, "tp0", "tp1", "r1"),
	}
}
