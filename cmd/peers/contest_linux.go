package main

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"weir/internal/xdp"
)

// sender is one of the generators that are compared.
type sender struct {
	name    string
	program string                                 // that it takes; none when weir does it itself
	version []string                               // the arguments that make it say its version
	measure func(context.Context) (float64, error) // frames/s
}

// contest is the senders with what was measured of each.
type contest struct {
	lab     *lab
	senders []sender
	rows    []row
}

func newContest(l *lab, length time.Duration) contest {
	over := func(start func(context.Context) (flow, error)) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) { return l.steady(ctx, start, length) }
	}
	c := contest{lab: l, senders: []sender{
		weirRow: {name: "weir", measure: over(l.weir)},
		// Not a peer, and it sends nothing: how often the kernel could run a
		// generator's program, and so a ceiling for weir.
		loopRow: {name: "drop_only_loop", measure: func(context.Context) (float64, error) { return xdp.DropLoop(sendingCPU, length) }},
		// No peer either: the limit of whatever redirects its frames to this sink.
		bareRow: {name: "bare_redirect", measure: over(l.bare)},
		{name: "testpmd_af_packet", program: testpmd, version: testpmdVersion, measure: over(l.testpmdPacket)},
		{name: "testpmd_af_xdp", program: testpmd, measure: over(l.testpmdXDP)},
		{name: "trafgen", program: "trafgen", version: []string{"--version"}, measure: over(l.trafgen)},
		{name: "sendmmsg_af_packet", measure: over(l.sendmmsg)},
		{name: "iperf3", program: "iperf3", version: []string{"--version"}, measure: over(l.iperf3)},
	}}
	for _, s := range c.senders {
		r := row{name: s.name}
		if s.program != "" {
			_, err := exec.LookPath(s.program)
			r.missing = err != nil
		}
		c.rows = append(c.rows, r)
	}
	return c
}

// versions are those of the peers that are here.
func (c contest) versions() []string {
	var known []string
	for i, s := range c.senders {
		if s.version == nil || c.rows[i].missing {
			continue
		}
		said, _ := command(c.lab.ns, append([]string{s.program}, s.version...)...) // testpmd says it and fails
		known = append(known, versionOf(s.program, said))
	}
	if len(known) == 0 {
		return nil
	}
	return []string{"peers: " + strings.Join(known, ", ")}
}
