package plan

import "strings"

// FarPort takes a port of another machine apart, "ssh://user@name:port/eth1"; far is false
// for one of this machine.
func FarPort(s string) (host, port string, far bool) {
	if !strings.HasPrefix(s, "ssh:") {
		return "", s, false
	}
	if at := strings.LastIndex(s, "/"); at > len("ssh://") {
		return s[:at], s[at+1:], true
	}
	return s, "", true
}

// FarHosts are the machines that have the ports with even numbers and those with odd ones;
// far is false where the ports are of this machine.
func (t Testbed) FarHosts() (hosts [2]string, far bool) {
	for i, p := range t.Ports[:min(2, len(t.Ports))] {
		hosts[i], _, far = FarPort(p)
	}
	return hosts, far && t.Kind == Ports
}
