package plan

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// Frames have the addresses that the tester has at its ports, of both families.
func TestNetworksOfPorts(t *testing.T) {
	p, err := Parse("x.yaml", []byte(`
testbed:
  kind: ports
  ports: [eth1, "02:00:00:00:00:01"]
  networks:
    - {tester: 198.18.5.9/24, router: 198.18.5.1}
    - {tester6: "2001:2:0:7::9/64", router6: "2001:2:0:7::1"}
  witness: {snmp: 192.0.2.10, interfaces: [1, ge-0/0/2]}
traffic: {sizes: 128, bidirectional: yes, blend: 10%}
methods: [frmol]
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Witness{netip.MustParseAddr("192.0.2.10"), "public", []string{"1", "ge-0/0/2"}}, p.Testbed.Witness, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
	without := p
	if without.Testbed.Witness = (Witness{}); p.TrialCost(0)-without.TrialCost(0) != witnessWait {
		t.Error("the time of a trial is without the wait for the witness")
	}
	other := p.Testbed
	if other.Witness.Community = "private"; other.Like(p.Testbed) || !p.Testbed.Like(p.Testbed) {
		t.Error("testbeds that ask their witness differently are alike")
	}
	if p.DUT.Platform != Opaque || !p.Testbed.Isolate || p.Testbed.Link != 0 {
		t.Errorf("platform %s, testbed %+v", p.DUT.Platform, p.Testbed)
	}
	of := p.Traffic[0]
	var got []string
	for _, a := range []interface{ String() string }{
		of.Forward.Source.First, of.Forward.Destination.First, of.Reverse.Source.First,
		of.Blend.Forward.Source.First, of.Blend.Forward.Destination.First,
		p.Testbed.Networks[1].Tester, p.Testbed.Networks[1].Router, p.Testbed.Networks[0].Router6,
	} {
		got = append(got, a.String())
	}
	want := []string{"198.18.5.9", "198.19.0.2", "198.19.0.2", "2001:2:0:1::2", "2001:2:0:7::9", "198.19.0.2/24", "198.19.0.1", "2001:2:0:1::1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// End hosts that SSH reaches have names, folders and the networks of ports; on one cable they
// are in one network, each with the other in place of a router.
func TestEndHosts(t *testing.T) {
	const near = `near: {host: "ssh://root@a:2222", port: eth1, folder: /srv/t/, name: mac}`
	p := parsed(t, "{testbed: {kind: ports, "+near+`, far: {host: "ssh://b", port: em0}, ends: {congestion: reno}}, methods: [tcp]}`)
	want := [2]EndHost{{"ssh://root@a:2222", "eth1", "/srv/t", "mac"}, {"ssh://b", "em0", "", "b"}}
	if diff := cmp.Diff(want, p.Testbed.Hosts); diff != "" {
		t.Error(diff)
	}
	if n := p.Testbed.Networks; !p.Testbed.Hosted() || len(n) != 2 || n[1] != networkOf(1) || p.DUT.Platform != Opaque || len(p.Testbed.Ends) != 1 {
		t.Errorf("%+v, DUT %s", p.Testbed, p.DUT.Platform)
	}
	other := p.Testbed
	if other.Hosts[0].Folder = "/srv"; other.Like(p.Testbed) {
		t.Error("testbeds with other folders are alike")
	}
	told := parsed(t, "{testbed: {kind: ports, "+near+`, far: {host: "ssh://b", port: em0}}, dut: {host: "ssh://r1", ports: [em0, em1]}, methods: [tcp]}`)
	if !told.IsCommanded() {
		t.Error("the DUT is told nothing")
	}
	for _, text := range []string{"dut: none, modifiers: [{napi: threaded}]", "dut: {platform: none, napi: threaded}"} {
		if p := parsed(t, "{testbed: {kind: netns}, "+text+", methods: [tcp]}"); p.DUT.Platform != NoDUT || p.Levels[0].Condition.NAPI() != weir.Threaded {
			t.Errorf("%s: the DUT %s, %v", text, p.DUT.Platform, p.Levels[0].Condition)
		}
	}
	for text, want := range map[string]string{
		"dut: {platform: none, layer: 2}\nmethods: [tcp]":               "plan.yaml:1:6: there is no DUT that could have",
		"dut: none\nmethods: [tcp, mfr]":                                "plan.yaml:2:16: mfr measures a DUT, and there is none",
		"dut: none\ntestbed: {ports: [a], kind: ports}\nmethods: [tcp]": "plan.yaml:1:6: without a DUT there is one cable, and 1 ports",
	} {
		if _, err := Parse("plan.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, where := range []string{near + `, far: {host: "ssh://b", port: em0}`, "ports: [eth1, eth2]"} {
		cable := parsed(t, "{testbed: {kind: ports, "+where+"}, dut: none, methods: [tcp, ftp]}")
		n := cable.Testbed.Networks
		got := []string{n[0].Tester.String(), n[1].Tester.String(), n[0].Router.String(), n[1].Router.String(), n[1].Tester6.String(), n[1].Router6.String()}
		want := []string{"198.18.0.2/24", "198.18.0.3/24", "198.18.0.3", "198.18.0.2", "2001:2:0:1::3/64", "2001:2:0:1::2"}
		if diff := cmp.Diff(want, got); diff != "" || cable.DUT.Platform != NoDUT {
			t.Errorf("DUT %s:\n%s", cable.DUT.Platform, diff)
		}
	}
}

// What is sent through a switch says so: its results have names of their own.
func TestLayer(t *testing.T) {
	for text, want := range map[string]int{"{layer: 2}": 2, "{layer: 3}": 0} {
		p := parsed(t, "{testbed: {kind: ports, ports: [a, b]}, dut: "+text+", traffic: {sizes: [64, 128]}, methods: [mfr]}")
		for _, of := range p.Traffic {
			if of.Layer != want {
				t.Errorf("%s: layer %d of %s, want %d", text, of.Layer, of.Name, want)
			}
		}
	}
}

// What nobody has to answer for is sent: through a switch, to networks behind the tester,
// from many addresses, and through a router that weir tells what is behind the tester.
func TestAnsweredFor(t *testing.T) {
	for _, text := range []string{
		"dut: {layer: 2}, traffic: {sizes: 68, vlans: [100], destination: {first: 198.19.0.2, count: 50}}",
		"traffic: {sizes: 64, networks: 256}",
		"traffic: {sizes: 128, family: ipv6, networks: 256, bidirectional: yes}",
		"traffic: {sizes: 64, source: {first: 198.18.0.2, count: 50}}",
		`dut: {host: "ssh://r1", ports: [a, b]}, traffic: {sizes: 64, destination: {first: 198.19.0.2, count: 50}}`,
	} {
		parsed(t, "{testbed: {kind: ports, ports: [a, b]}, "+text+"}")
	}
}

// Routes are sent to where nobody is told otherwise, and nothing leaves the taps of a
// machine.
func TestRoutesAnywhere(t *testing.T) {
	parsed(t, `{testbed: {kind: ports, ports: [a, b], allow: [any destination]}, dut: {host: "ssh://r1", ports: [a, b]}, traffic: {sizes: 64}, modifiers: [{routes: 10}]}`)
	parsed(t, `{testbed: {kind: vm, kernel: {debian: 6.12}}, traffic: {sizes: 64}, modifiers: [{routes: 10}]}`)
	parsed(t, `{traffic: {sizes: 64}, modifiers: [{routes: 10}]}`)
}

// Ports of other machines are told from those of this one, and taken apart.
func TestFarPorts(t *testing.T) {
	for _, c := range []struct {
		said, host, port string
		far              bool
	}{
		{"eth1", "", "eth1", false},
		{"0000:00:05.0", "", "0000:00:05.0", false},
		{"ssh://t1/eth1", "ssh://t1", "eth1", true},
		{"ssh://root@t1:2222/02:00:00:00:00:01", "ssh://root@t1:2222", "02:00:00:00:00:01", true},
		{"ssh://t1/", "ssh://t1", "", true},
		{"ssh://t1", "ssh://t1", "", true},
	} {
		if host, port, far := FarPort(c.said); host != c.host || port != c.port || far != c.far {
			t.Errorf("%s: %q, %q, %v", c.said, host, port, far)
		}
	}
	p, err := Parse("x.yaml", []byte(`
testbed: {kind: ports, ports: ["ssh://t1/eth1", "ssh://t2/eth1", "ssh://t1/eth2", "ssh://t2/eth2"]}
methods: [frmol]
`))
	if err != nil {
		t.Fatal(err)
	}
	if hosts, far := p.Testbed.FarHosts(); !far || hosts != [2]string{"ssh://t1", "ssh://t2"} {
		t.Errorf("%q, %v", hosts, far)
	}
	if _, far := (Testbed{Kind: Ports, Ports: []string{"eth1", "eth2"}}).FarHosts(); far {
		t.Error("ports of this machine are far")
	}
}
