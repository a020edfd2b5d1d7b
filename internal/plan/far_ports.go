package plan

import (
	"errors"
	"strings"
)

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

// farPorts checks ports of other machines; n is where the ports stand.
func (r *reader) farPorts(n node, t *Testbed) {
	count := 0
	for _, p := range t.Ports {
		host, port, far := FarPort(p)
		if !far {
			continue
		}
		count++
		_, err := parseHost(host)
		if err == nil && port == "" {
			err = errors.New("which port of it? ssh://root@t1/eth1, say")
		}
		if err != nil {
			r.wrong(n, "%q: %v", p, err)
			return
		}
	}
	if count == 0 {
		return
	}
	if count < len(t.Ports) {
		r.wrong(n, "some ports are of this machine and some of others: name all of them as %s, this machine's too (SSH reaches it as localhost)", "ssh://host/eth1")
		return
	}
	hosts, _ := t.FarHosts()
	for i, p := range t.Ports {
		if host, _, _ := FarPort(p); host != hosts[i%2] {
			r.wrong(n, "the port %s is of a third machine: one machine has the first port of each pair, %s, and one the second, %s", p, hosts[0], hosts[1])
			return
		}
	}
}
