package lab

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/dut"
	"weir/internal/endhost"
	"weir/internal/plan"
)

// What an end host of another system cannot do is known before it is reached for more.
func TestStationCannot(t *testing.T) {
	for _, c := range []struct {
		system, plan string
		side         int
		want         string // in the error; "": there is none
	}{
		{"darwin", "methods: [tcp, udp, connections, iperf3, netperf]", 0, ""},
		{"openbsd", "methods: [tcp]", 1, ""},
		{"darwin", "methods: [{method: http, storage: disk}]", 0, ""},
		{"darwin", "methods: [{method: http, storage: disk}]", 1, "the server of http"},
		{"darwin", "traffic: {server: source}\nmethods: [{method: http, storage: disk}]", 1, ""},
		{"darwin", "traffic: {server: source}\nmethods: [{method: http, storage: disk}]", 0, "the server of http"},
		{"darwin", "traffic: {bidirectional: yes}\nmethods: [{method: http, storage: disk}]", 0, "the server of http"},
		{"darwin", "methods: [http]", 0, "say storage: disk of http"},
		{"freebsd", "methods: [{method: rsync, storage: disk}]", 0, "rsync on Linux alone"},
		{"netbsd", "methods: [{method: http, storage: disk}]", 0, "cannot be told to have a file out of memory"},
	} {
		p, err := plan.Parse("a.yaml", []byte("testbed: {kind: ports, near: {host: 'ssh://a', port: x}, far: {host: 'ssh://b', port: y}}\n"+c.plan))
		if err != nil {
			t.Fatalf("%s: %v", c.plan, err)
		}
		err = stationCannot(p, c.side, endhost.Systems[c.system])
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, side %d, %s: %v", c.system, c.side, c.plan, err)
		}
	}
}

// Two end hosts of which neither shows that packets of IPv4 came whole are none, and others
// are some.
func TestEndHostsTogether(t *testing.T) {
	for _, c := range []struct {
		systems [2]string // "": Linux
		family  string
		want    string
	}{
		{[2]string{"openbsd", ""}, "ipv4", ""},
		{[2]string{"", "netbsd"}, "ipv4", ""},
		{[2]string{"darwin", "freebsd"}, "ipv4", ""},
		{[2]string{"darwin", "openbsd"}, "ipv4", "nothing shows"},
		{[2]string{"openbsd", "openbsd"}, "ipv6", ""},
	} {
		p, err := plan.Parse("a.yaml", []byte("testbed: {kind: ports, near: {host: 'ssh://a', port: x}, far: {host: 'ssh://b', port: y}}\nmethods: [tcp]\ntraffic: {family: "+c.family+"}"))
		if err != nil {
			t.Fatal(err)
		}
		l := &hostedLab{portsLab: portsLab{plan: p}}
		for i, system := range c.systems {
			l.at[i] = &hostedEnd{EndHost: plan.EndHost{Name: system}, able: endhost.Systems[system]}
			if system != "" {
				if l.at[i].station, err = dut.StationByName(system); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := l.together(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %s: %v", c.systems, c.family, err)
		}
	}
	sysctl := &hostedLab{portsLab: portsLab{plan: plan.Plan{Testbed: plan.Testbed{Ends: []weir.Tuning{{Name: "sysctl net.inet.tcp.sack.enable", Value: "0"}}}}}}
	for i, system := range []string{"", "freebsd"} {
		sysctl.at[i] = &hostedEnd{able: endhost.Systems[system]}
	}
	if err := sysctl.together(); err == nil || !strings.Contains(err.Error(), "different systems") {
		t.Errorf("a sysctl of two systems: %v", err)
	}
}
