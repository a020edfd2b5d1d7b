package main

import (
	"context"
	"fmt"
	"strings"
)

// trafgen is netsniff-ng's generator in one process that sends the same frame
// again and again: counters in it cost 3 %. With a gap of 0 it calls sendto
// for each frame, which is half as fast again as its ring, the default: with
// the ring's default size it sends nothing here, as the socket's buffer is
// full before the ring is. The queueing discipline is bypassed by default;
// going through it costs 10 %. The machine's settings stay as they are.
func (l *lab) trafgen(context.Context) (source, error) {
	return launch(l.ns, []int{sendingCPU}, "trafgen", "--dev", l.port, "--cpus", "1", "--num", "0", "--gap", "0",
		"--no-sock-mem", "--notouch-irq", "--no-cpu-stats", trafgenFrame(l.mac, l.far))
}

// trafgenFrame is a frame of 60 octets, UDP over IPv4, in trafgen's language.
func trafgenFrame(source, destination []byte) string {
	octets := func(b []byte) string {
		var words []string
		for _, o := range b {
			words = append(words, fmt.Sprintf("0x%02x", o))
		}
		return strings.Join(words, ", ")
	}
	return "{ " + strings.Join([]string{
		octets(destination), octets(source), "c16(0x0800)",
		"0x45, 0, c16(46), c16(0), c16(0), 64, 17, csumip(14, 33)",
		"198, 18, 0, 2, 198, 19, 0, 2",
		"c16(1024), c16(9), c16(26), csumudp(14, 34)",
		"fill(0, 18)",
	}, ", ") + " }"
}
