package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// trackingFile has the counters of connection tracking: a line of names, and
// one of hexadecimal numbers for each CPU.
const trackingFile = "/proc/net/stat/nf_conntrack"

// trackingDrops are the counters of it that stand for frames that were dropped.
// What it counts as invalid is for a rule to drop.
var trackingDrops = []struct{ name, place string }{
	{"drop", "dut conntrack no room for another connection (drop)"},
	{"insert_failed", "dut conntrack a connection could not be entered (insert_failed)"},
}

// forgetScript deletes the connections from and to each network, FAMILY=NETWORK. One may end
// by itself while they are deleted.
const forgetScript = `for of; do for side in -s -d; do for try in 1 2 3 4 5; do
	said=$(conntrack -D -f "${of%%=*}" $side "${of#*=}" 2>&1 >/dev/null) && break
	case $said in *" 0 flow entries"*) break ;; esac
	[ $try -lt 5 ] || { echo "$said" >&2; exit 1; }
done; done; done`

// forgetTracked is the command that forgets connections: all of them, or at a DUT that is in
// service those of the test networks.
func forgetTracked(r ruleset) []string {
	if !r.only {
		return []string{"conntrack", "--flush"}
	}
	argv := []string{"sh", "-c", forgetScript, "sh"}
	for _, f := range r.families {
		for _, n := range f.networks() {
			argv = append(argv, map[string]string{"ip": "ipv4", "ip6": "ipv6"}[f.name]+"="+n.String())
		}
	}
	return argv
}

// tracking reads what the tracking of connections dropped.
func tracking(ctx context.Context, d weir.DUT) ([]weir.Drop, error) {
	text, err := d.Host.ReadFile(ctx, trackingFile)
	if err != nil {
		return nil, err
	}
	sums := make([]uint64, len(trackingDrops))
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if names == nil {
			names = fields
			continue
		}
		for i, c := range trackingDrops {
			at := slices.Index(names, c.name)
			if at < 0 || at >= len(fields) {
				return nil, fmt.Errorf("read %s: it has no %s", trackingFile, c.name)
			}
			n, err := strconv.ParseUint(fields[at], 16, 64)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", trackingFile, err)
			}
			sums[i] += n
		}
	}
	var drops []weir.Drop
	for i, c := range trackingDrops {
		drops = append(drops, weir.Drop{Place: c.place, Count: sums[i]})
	}
	return drops, nil
}
