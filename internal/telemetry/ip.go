package telemetry

import (
	"fmt"
	"strings"
)

const (
	snmpPath    = "/proc/net/snmp"
	netstatPath = "/proc/net/netstat"
	snmp6Path   = "/proc/net/snmp6"
)

// ipSource is what IP and ICMP count of both families.
var ipSource = Source{
	Name:    "ip",
	Summary: "counters of IPv4, IPv6 and ICMP (/proc/net/snmp, netstat, snmp6)",
	wants:   func(Subject) wants { return wants{files: []string{snmpPath, netstatPath, snmp6Path}} },
	parse:   parseIP,
}

// ipGroups are the groups of counters, and what these are called; of one that is
// mostly of something else only those that begin with a word.
var ipGroups = []struct{ file, group, name, only string }{
	{snmpPath, "Ip", "IPv4", ""}, {netstatPath, "IpExt", "IPv4", ""}, {netstatPath, "TcpExt", "IPv4", "IP"},
	{snmpPath, "Icmp", "ICMP", ""}, {snmp6Path, "Ip6", "IPv6", ""}, {snmp6Path, "Icmp6", "ICMPv6", ""},
}

func parseIP(_ Subject, a answers) (out []sample, err error) {
	for _, g := range ipGroups {
		if a.texts[g.file] == "" {
			continue
		}
		read := parseGroup
		if g.file == snmp6Path {
			read = parseGroup6
		}
		found, err := read(a.texts[g.file], g.group)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.file, err)
		}
		for _, s := range found {
			if !strings.HasPrefix(s.name, g.only) {
				continue
			}
			if strings.HasSuffix(s.name, "Octets") {
				s.unit = "octets"
			}
			s.name = g.name + " " + s.name
			out = append(out, s)
		}
	}
	return out, nil
}

// parseGroup reads one group: a line of names, then one of values.
func parseGroup(text, group string) (out []sample, err error) {
	var names []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, group+": ")
		if !ok {
			continue
		}
		f := strings.Fields(rest)
		if names == nil {
			names = f
			continue
		}
		n, ok := counts(f, 10)
		if !ok || len(n) != len(names) {
			return nil, fmt.Errorf("the values of %s do not fit their names: %q", group, cut(rest))
		}
		for i, name := range names {
			out = append(out, sample{name: name, unit: "count", count: n[i]})
		}
		break
	}
	return out, nil
}

// parseGroup6 reads one group of a file with a name and a value a line.
func parseGroup6(text, group string) (out []sample, err error) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 2 || !strings.HasPrefix(f[0], group) {
			continue
		}
		n, ok := counts(f[1:], 10)
		if !ok {
			return nil, fmt.Errorf("the line %q", cut(line))
		}
		out = append(out, sample{name: strings.TrimPrefix(f[0], group), unit: "count", count: n[0]})
	}
	return out, nil
}
