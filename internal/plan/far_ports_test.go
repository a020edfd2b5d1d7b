package plan

import "testing"

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
