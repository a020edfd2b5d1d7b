package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// Drops reads where a BSD may have dropped frames.
func (p bsd) Drops(ctx context.Context, d weir.DUT, s Setup) ([]weir.Drop, error) {
	text, err := d.Host.Run(ctx, "", p.counters...)
	if err != nil {
		return nil, fmt.Errorf("ask what ports have dropped: %w", err)
	}
	drops, err := netstatDrops(text, d.Ports)
	if err != nil {
		return nil, err
	}
	for _, g := range []struct{ protocol, family string }{{"ip", "IPv4"}, {"ip6", "IPv6"}} {
		text, err := d.Host.Run(ctx, "", "netstat", "-s", "-p", g.protocol)
		if err != nil {
			return nil, fmt.Errorf("ask what the IP stack has dropped: %w", err)
		}
		drops = append(drops, stackPhrases(text, g.family)...)
	}
	waiting, err := sysctls(ctx, d.Host, p.queues)
	if err != nil {
		return nil, err
	}
	for _, name := range p.queues {
		// What a release does not count is 0.
		n, _ := strconv.ParseUint(waiting[name], 10, 64)
		drops = append(drops, weir.Drop{Place: "dut queue of the IP stack full (" + name + ")", Count: n})
	}
	firewall := s.Firewall
	if s.Filters > 0 {
		if firewall, err = filters(s.Filters); err != nil {
			return nil, err
		}
	}
	if firewall.Kind == "" {
		return drops, nil
	}
	program, err := p.firewalls.of(firewall)
	if err != nil {
		return nil, err
	}
	denied, err := program.denied(ctx, d, newRuleset(d, s, firewall, false), nil)
	return append(drops, denied...), err
}

// netstatColumns are those of netstat -i that stand for lost frames. Fail is what
// OpenBSD has for errors and drops together.
var netstatColumns = []struct{ name, place string }{
	{"Ierrs", "receive errors (Ierrs)"},
	{"Idrop", "dropped on receipt (Idrop)"},
	{"Idrops", "dropped on receipt (Idrops)"},
	{"Ifail", "receive errors and drops (Ifail)"},
	{"Oerrs", "transmission errors (Oerrs)"},
	{"Drop", "dropped on transmission (Drop)"},
	{"Drops", "dropped on transmission (Drops)"},
	{"Odrops", "dropped on transmission (Odrops)"},
	{"Ofail", "transmission errors and drops (Ofail)"},
}

// leadColumns are the columns of netstat -i before its numbers: name, MTU, network and
// address, of which the last may be empty. So numbers are counted from the end.
const leadColumns = 4

// netstatDrops reads the lines of netstat -i that are of the ports' links; those of
// their addresses say nothing else.
func netstatDrops(text string, ports []weir.Port) ([]weir.Drop, error) {
	header, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	names := strings.Fields(header)
	if len(names) <= leadColumns {
		return nil, fmt.Errorf("netstat -i begins with %q, which has no columns of numbers", header)
	}
	names = names[leadColumns:]
	rows := make(map[string][]string)
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) > len(names)+2 && strings.HasPrefix(f[2], "<Link") {
			rows[strings.TrimSuffix(f[0], "*")] = f[len(f)-len(names):]
		}
	}
	var drops []weir.Drop
	for i, port := range ports {
		row, ok := rows[port.DUT]
		if !ok {
			return nil, fmt.Errorf("netstat -i tells nothing of %s", port.DUT)
		}
		for _, c := range netstatColumns {
			at := slices.Index(names, c.name)
			if at < 0 || row[at] == "-" {
				continue
			}
			n, err := strconv.ParseUint(row[at], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", c.name, port.DUT, err)
			}
			drops = append(drops, weir.Drop{Place: fmt.Sprintf("dut port %d %s", i, c.place), Count: n})
		}
	}
	return drops, nil
}

// dropPhrases are in the lines of netstat -s that stand for frames that were not
// forwarded, in the words that the three systems share: without "packet" and
// "datagram", which are written as their number wants it.
var dropPhrases = []string{
	"bad header checksum", "with size smaller than minimum", "with data size < data length",
	"with header length < data size", "with data length < header length", "with bad options",
	"with incorrect version number", "not forwardable", "dropped due to no bufs", "discarded due to no route",
	"can't be fragmented", "with bad address in header", "that violated scope rules", "received on wrong interface",
}

// stackPhrases reads what netstat -s says of a family. What a system does not count is
// not there.
func stackPhrases(text, family string) []weir.Drop {
	var drops []weir.Drop
	for line := range strings.Lines(text) {
		number, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			continue
		}
		for _, phrase := range dropPhrases {
			if strings.Contains(what, phrase) {
				drops = append(drops, weir.Drop{Place: "dut " + family + " " + phrase, Count: n})
				break
			}
		}
	}
	return drops
}
