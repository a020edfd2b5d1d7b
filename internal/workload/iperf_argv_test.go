package workload

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// streamJob is a job between two ends that need not be there.
func streamJob(t weir.Transfer, duration time.Duration, server weir.Side, family weir.Family) *job {
	end := func(v4, v6 string) End {
		return End{Address: map[weir.Family]netip.Addr{weir.IPv4: netip.MustParseAddr(v4), weir.IPv6: netip.MustParseAddr(v6)}}
	}
	return &job{
		Transfer: t, family: family, duration: duration, server: server,
		source: end("198.18.0.2", "2001:2::2"), destination: end("198.19.0.2", "2001:2:0:1::2"),
	}
}

// argvCases are what clients are told, without the keys of netperf's report.
var argvCases = []struct {
	name     string
	transfer weir.Transfer
	duration time.Duration
	server   weir.Side
	family   weir.Family
	want     string
}{
	{
		"the first seed's netperf", weir.Transfer{Program: "netperf"}, time.Minute, weir.Destination, weir.IPv4,
		"-P 0 -f k -H 198.19.0.2,4 -L 198.18.0.2,4 -p 12865 -l 60 -t TCP_STREAM -- -k",
	},
	{
		"netperf from its server", weir.Transfer{Program: "netperf", Payload: 1400}, time.Minute, weir.Source, weir.IPv4,
		"-P 0 -f k -H 198.18.0.2,4 -L 198.19.0.2,4 -p 12865 -l 60 -t TCP_MAERTS -- -m ,1400 -k",
	},
	{
		"transactions", weir.Transfer{Program: "netperf", Test: "TCP_RR", Payload: 100}, 1500 * time.Millisecond, weir.Destination, weir.IPv6,
		"-P 0 -f k -H 2001:2:0:1::2,6 -L 2001:2::2,6 -p 12865 -l 2 -t TCP_RR -- -r 100,100 -k",
	},
	{
		"datagrams of netperf, which a router may forward", weir.Transfer{Program: "netperf", Test: "UDP_STREAM", Payload: 1400}, 10 * time.Second, weir.Destination, weir.IPv4,
		"-P 0 -f k -H 198.19.0.2,4 -L 198.18.0.2,4 -p 12865 -l 10 -t UDP_STREAM -- -R 1 -m 1400 -k",
	},
	{
		"datagrams of netserver", weir.Transfer{Program: "netperf", Test: "UDP_STREAM", Payload: 1400}, 10 * time.Second, weir.Source, weir.IPv4,
		"-P 0 -f k -H 198.18.0.2,4 -L 198.19.0.2,4 -p 12865 -l 10 -t omni -- -T UDP -d recv -R 1 -m ,1400 -k",
	},
	{
		"the first seed's iperf", weir.Transfer{Program: "iperf", Streams: 3}, time.Minute, weir.Destination, weir.IPv4,
		"-c 198.19.0.2 -p 5001 -B 198.18.0.2 -y C -t 60 -P 3",
	},
	{
		"iperf from its server", weir.Transfer{Program: "iperf"}, 1500 * time.Millisecond, weir.Source, weir.IPv6,
		"-V -c 2001:2::2 -p 5001 -B 2001:2:0:1::2 -y C -t 1.5 -R",
	},
	{
		"datagrams of iperf", weir.Transfer{Program: "iperf", Test: "udp", Rate: 20e6, Payload: 1400}, 10 * time.Second, weir.Destination, weir.IPv4,
		"-c 198.19.0.2 -p 5001 -B 198.18.0.2 -y C -t 10 -u -b 20000000 -l 1400",
	},
	{
		"all datagrams that iperf can send", weir.Transfer{Program: "iperf", Test: "udp"}, 10 * time.Second, weir.Destination, weir.IPv4,
		"-c 198.19.0.2 -p 5001 -B 198.18.0.2 -y C -t 10 -u -b 100000000000",
	},
	{
		"iperf3 with a warm-up", weir.Transfer{Program: "iperf3", Streams: 4, WarmUp: time.Second}, 10 * time.Second, weir.Destination, weir.IPv4,
		"-4 -c 198.19.0.2 -p 5201 -B 198.18.0.2 -J -t 9 -O 1 -P 4",
	},
	{
		"iperf3 with parts of seconds, from its server", weir.Transfer{Program: "iperf3", WarmUp: 200 * time.Millisecond, Rate: 1e6}, 2500 * time.Millisecond, weir.Source, weir.IPv6,
		"-6 -c 2001:2::2 -p 5201 -B 2001:2:0:1::2 -J -t 2 -O 1 -b 1000000 -R",
	},
	{
		"all datagrams that iperf3 can send, without a warm-up", weir.Transfer{Program: "iperf3", Test: "udp", WarmUp: time.Second, Payload: 1400}, 10 * time.Second, weir.Destination, weir.IPv4,
		"-4 -c 198.19.0.2 -p 5201 -B 198.18.0.2 -J -t 10 -u -b 0 -l 1400",
	},
}

func TestStreamClientArguments(t *testing.T) {
	for _, c := range argvCases {
		t.Run(c.name, func(t *testing.T) {
			j := streamJob(c.transfer, c.duration, c.server, c.family)
			var got []string
			switch test := c.transfer.Test; c.transfer.Program {
			case "netperf":
				if test == "" {
					test = netperfTests[0]
				}
				got = netperfClient(j, test, netperfPort)
				got = got[:len(got)-1]
			case "iperf":
				got = iperfClient(j, test, iperfPort)
			case "iperf3":
				got = iperf3Client(j, test, iperf3Port)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStreamServerArguments(t *testing.T) {
	four := streamJob(weir.Transfer{}, time.Second, weir.Destination, weir.IPv4)
	six := streamJob(weir.Transfer{}, time.Second, weir.Source, weir.IPv6)
	for _, c := range []struct {
		got  []string
		want string
	}{
		{iperf3Server(four, 5202), "-4 -s -p 5202 -B 198.19.0.2"},
		{iperf3Server(six, 5201), "-6 -s -p 5201 -B 2001:2::2"},
		{iperfServer(four, "tcp", 5001, "/f"), "-s -p 5001 -B 198.19.0.2 -y C -o /f/report"},
		{iperfServer(six, "udp", 5001, "/f"), "-V -s -p 5001 -B 2001:2::2 -y C -o /f/report -u"},
		{netserverArgs(four, 12866), "-D -p 12866 -L 198.19.0.2,4 -f"},
		{netserverArgs(streamJob(weir.Transfer{Streams: 2}, time.Second, weir.Source, weir.IPv6), 12865), "-D -p 12865 -L 2001:2::2,6"},
	} {
		if diff := cmp.Diff(c.want, strings.Join(c.got, " ")); diff != "" {
			t.Error(diff)
		}
	}
}
