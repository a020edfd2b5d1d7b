package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/service"
)

// netperf is netperf with its netserver. It counts whole seconds, rounded up,
// and knows no warm-up: all of its time counts. It has one stream; of several,
// each is a netperf of its own, all started at once.
var netperf = program{
	Info:  Info{Name: "netperf", Summary: "streams or transactions of TCP or UDP by netperf, which has no warm-up", Tests: netperfTests, Tools: netperfTools},
	begin: beginNetperf,
}

var (
	netperfTests = []string{"TCP_STREAM", "TCP_RR", "UDP_STREAM"}
	netperfTools = []Tool{
		{Name: "netserver", Of: "the server of netperf", Package: netperfSource, Server: true},
		{Name: "netperf", Of: "the stream program netperf", Package: netperfSource},
	}
)

const (
	// netperfSource is its package, which is not among those that everybody's
	// machine looks for.
	netperfSource = "netperf (Debian has it in the component non-free, Ubuntu in multiverse)"
	netperfPort   = 12865
)

func beginNetperf(ctx context.Context, j *job) (*session, error) {
	s, err := j.streamTest(ctx, netperfTests, netperfTools[1], "-V", netperfPort)
	if err != nil {
		return nil, err
	}
	if j.Rate > 0 {
		return nil, errors.New("it cannot hold a rate; leave out rate, or take iperf3 or udp")
	}
	server := service.Program{
		Name: "netserver", Of: netperfTools[0].Of, Source: netperfSource, Family: true, // each of several clients has a server of its own
		Argv: func(string) []string { return netserverArgs(j, s.port) },
	}
	argv := severalAtOnce(j.streams(), append([]string{s.client}, netperfClient(j, s.name, s.port)...))
	length := time.Duration(wholeSeconds(j.duration)) * time.Second
	return s.begin(ctx, server, argv, length, func(_ context.Context, said string, failed error) (weir.Transferred, error) {
		if failed != nil {
			return weir.Transferred{}, withOutput(failed, said)
		}
		return readNetperf(said, s.name, j.server, j.streams())
	})
}

// netperfAddress is that of an end with its family, as netperf wants them.
func netperfAddress(j *job, e End) string {
	family := ",4"
	if j.address(e).Is6() {
		family = ",6"
	}
	return j.address(e).String() + family
}

// netserverArgs are the arguments of the server. Of one client it is to be the server itself
// (-f): it takes no notice of the end of processes that serve in its place, and the CPU time of
// these would be taken for that of others.
func netserverArgs(j *job, port int) []string {
	argv := []string{"-D", "-p", strconv.Itoa(port), "-L", netperfAddress(j, j.serverEnd())}
	if j.streams() == 1 {
		argv = append(argv, "-f")
	}
	return argv
}

// netperfClient are the arguments of the client, rates in kbit/s.
func netperfClient(j *job, test string, port int) []string {
	reverse := j.server == weir.Source
	// A datagram goes no further than its link unless it is told to (-R 1).
	var name string
	var own []string
	payload := strconv.Itoa(j.Payload)
	switch {
	case test == "TCP_RR":
		name = test
		if j.Payload > 0 {
			own = []string{"-r", payload + "," + payload}
		}
	case test == "TCP_STREAM" && reverse:
		name = "TCP_MAERTS"
	case test == "UDP_STREAM" && reverse: // has no name of its own
		name, own = "omni", []string{"-T", "UDP", "-d", "recv", "-R", "1"}
	case test == "UDP_STREAM":
		name, own = test, []string{"-R", "1"}
	default:
		name = test
	}
	if test != "TCP_RR" && j.Payload > 0 {
		if reverse {
			payload = "," + payload
		}
		own = append(own, "-m", payload)
	}
	argv := []string{"-P", "0", "-f", "k", "-H", netperfAddress(j, j.serverEnd()), "-L", netperfAddress(j, j.clientEnd()), "-p", strconv.Itoa(port)}
	argv = append(argv, "-l", strconv.Itoa(wholeSeconds(j.duration)), "-t", name, "--")
	return append(append(argv, own...), "-k", strings.Join(netperfKeys, ","))
}

// severalAtOnce is a command that runs n of the given one at once. It ends when
// all have, and fails when one does.
func severalAtOnce(n int, argv []string) []string {
	if n == 1 {
		return argv
	}
	const script = `n=$0; all=
while [ $n -gt 0 ]; do "$@" & all="$all $!"; n=$((n-1)); done
code=0
for p in $all; do wait $p || code=$?; done
exit $code`
	return append([]string{"sh", "-c", script, fmt.Sprint(n)}, argv...)
}
