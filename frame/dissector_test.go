package frame

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"weir"
	"weir/internal/testenv"
)

// An independent dissector finds nothing wrong with any kind of frame.
func TestFramesInTheEyesOfADissector(t *testing.T) {
	testenv.NeedTool(t, "tshark")
	chain := []weir.Extension{weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader, weir.DestinationOptions}
	var frames [][]byte
	extended, broadcasts, inside := 0, 0, 0
	takeFrom := func(tr weir.Traffic, port int) {
		b := portBuilder(t, tr, port)
		for i := range uint64(20) {
			frames = append(frames, b.Frame(nil, i, Signature{Sequence: i}))
			if tr.Broadcast > 0 {
				frames = append(frames, b.BroadcastFrame(nil, i))
				broadcasts++
			}
		}
	}
	take := func(tr weir.Traffic) { takeFrom(tr, 0) }
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		takeFrom(inSessions(family, 7, 86, 1510, 175), 0)
		takeFrom(inSessions(family, 7, 86, 1510, 175), 1)
		inside += 20
	}
	for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
		for _, list := range [][]weir.Extension{chain[:1], chain[1:2], chain[2:3], chain[2:], chain} {
			tr := traffic(weir.IPv6, protocol, 0, 256, 1518, 175)
			tr.Extensions, tr.Extended = list, 0.5
			take(tr)
			extended += 10
		}
		tr := blended(traffic(weir.IPv4, protocol, 2, 256, 1518, 175), 0.5)
		tr.Broadcast = 0.1
		take(tr)
	}
	c, err := ReadCapture(record(t, "pcap", layers.LinkTypeEthernet, sendable(t)...))
	if err != nil {
		t.Fatal(err)
	}
	take(weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay()})

	file := record(t, "pcap", layers.LinkTypeEthernet, frames...)
	dissect := func(filter string) (lines []string) {
		out, err := exec.Command("tshark", "-n", "-r", file, "-Y", filter,
			"-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE").Output()
		if err != nil {
			t.Fatalf("tshark: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			lines = append(lines, line)
		}
		return lines
	}
	for filter, want := range map[string]int{
		`udp.checksum.status == "Good" || tcp.checksum.status == "Good"`: len(frames),
		`ipv6.hopopts || ipv6.dstopts || ipv6.routing`:                   extended + 3, // and those from the capture
		`eth.dst == ff:ff:ff:ff:ff:ff`:                                   broadcasts,
		`pppoes && ppp && udp.checksum.status == "Good"`:                 inside,
		`_ws.malformed || (pppoes && _ws.expert) || ip.checksum.status == "Bad" || ip.bogus_ip_length || udp.length.bad || _ws.expert.severity == "Error"`: 0,
	} {
		if got := dissect(filter); len(got) != want {
			t.Errorf("%s: %d frames, want %d; the first is %s", filter, len(got), want, append(got, "none")[0])
		}
	}
}
