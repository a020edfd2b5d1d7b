package workload

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// recorded is what a real program has said, of the releases iperf3 3.12, iperf
// 2.1.8 and netperf 2.7.0.
func recorded(t *testing.T, name string) string {
	t.Helper()
	said, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// reads are the reports that are read in tests.
var reads = []struct {
	name string
	file string
	read func(said string) (weir.Transferred, error)
	want weir.Transferred // Took and CPU apart
	took float64          // s
	cpu  [2]float64       // of source and destination, s
}{
	{
		name: "two streams of iperf3", file: "iperf3_tcp.json", read: asIperf3(weir.Destination),
		want: weir.Transferred{Octets: 12031432, Segment: 1448, Figures: []weir.Figure{
			{Name: "round trip, mean", Value: 13421.5e-6, Unit: "s"}, {Name: "round trip, min", Value: 12090e-6, Unit: "s"},
		}},
		took: 2.014194, cpu: [2]float64{0.0052, 0.0389},
	},
	{
		name: "from the server of iperf3", file: "iperf3_reverse.json", read: asIperf3(weir.Source),
		want: weir.Transferred{Octets: 11986544, Segment: 1448},
		took: 2.000061, cpu: [2]float64{0.0038, 0.0487},
	},
	{
		name: "datagrams of iperf3", file: "iperf3_udp.json", read: asIperf3(weir.Destination),
		want: weir.Transferred{Octets: 4736200, Figures: lossOf(3570, 3383, 187)},
		took: 2.000175, cpu: [2]float64{0.0595, 0.0337},
	},
	{
		name: "three streams of iperf", file: "iperf_tcp.csv", read: asIperf(3),
		want: weir.Transferred{Octets: 14942388},
		took: 2.493391,
	},
	{
		name: "from the server of iperf", file: "iperf_reverse.csv", read: asIperf(1),
		want: weir.Transferred{Octets: 13238272}, took: 2.209849,
	},
	{
		name: "datagrams of iperf", file: "iperf_udp.csv", read: asIperf(2),
		want: weir.Transferred{Octets: 4761400, Figures: lossOf(3578, 3401, 177)}, took: 2.00152,
	},
	{
		name: "a stream of netperf", file: "netperf_tcp_stream.txt", read: asNetperf("TCP_STREAM", weir.Destination, 1),
		want: weir.Transferred{Octets: 13082144, Segment: 1448}, took: 2.183638,
	},
	{
		name: "a stream of netserver", file: "netperf_tcp_maerts.txt", read: asNetperf("TCP_STREAM", weir.Source, 1),
		want: weir.Transferred{Octets: 11880304, Segment: 1448, Retransmitted: 62}, took: 2.000264,
	},
	{
		name: "three netperfs", file: "netperf_several.txt", read: asNetperf("TCP_STREAM", weir.Destination, 3),
		want: weir.Transferred{Octets: 13035808, Segment: 1448}, took: 2.175947,
	},
	{
		name: "transactions", file: "netperf_tcp_rr.txt", read: asNetperf("TCP_RR", weir.Destination, 1),
		want: weir.Transferred{Octets: 7214300, Count: 72143, Segment: 1448, Figures: []weir.Figure{
			{Name: "round trip, mean", Value: 27.725e-6, Unit: "s"},
		}},
		took: 2.000142,
	},
	{
		name: "datagrams of netperf", file: "netperf_udp_stream.txt", read: asNetperf("UDP_STREAM", weir.Destination, 1),
		want: weir.Transferred{Octets: 11667600, Figures: lossOf(8781, 8334, 447)}, took: 2.000067,
	},
	{
		name: "datagrams of netserver", file: "netperf_udp_reverse.txt", read: asNetperf("UDP_STREAM", weir.Source, 1),
		want: weir.Transferred{Octets: 12168800, Figures: lossOf(8774, 8692, 82)}, took: 2.000059,
	},
}

func lossOf(sent, received, lost float64) []weir.Figure {
	return []weir.Figure{{Name: weir.DatagramsSent, Value: sent, Unit: "datagrams"}, {Name: weir.DatagramsReceived, Value: received, Unit: "datagrams"}, {Name: weir.DatagramsLost, Value: lost, Unit: "datagrams"}}
}

func asIperf3(server weir.Side) func(string) (weir.Transferred, error) {
	return func(said string) (weir.Transferred, error) {
		r, err := readIperf3(said)
		if err != nil {
			return weir.Transferred{}, err
		}
		return r.transferred(server)
	}
}

func asIperf(streams int) func(string) (weir.Transferred, error) {
	return func(said string) (weir.Transferred, error) { return readIperf(said, streams) }
}

func asNetperf(test string, server weir.Side, clients int) func(string) (weir.Transferred, error) {
	return func(said string) (weir.Transferred, error) { return readNetperf(said, test, server, clients) }
}

func TestReadStreamReports(t *testing.T) {
	for _, c := range reads {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(recorded(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			if took := got.Took.Seconds(); math.Abs(took-c.took) > 1e-4 {
				t.Errorf("it took %v s, want %v s", took, c.took)
			}
			for i, cpu := range []float64{got.CPU.Source.Seconds(), got.CPU.Destination.Seconds()} {
				if math.Abs(cpu-c.cpu[i]) > 1e-4 {
					t.Errorf("CPU time of end %d: %v s, want %v s", i, cpu, c.cpu[i])
				}
			}
			got.Took, got.CPU = 0, weir.EndsCPU{}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStreamReportsThatSayNothing(t *testing.T) {
	tcp := func(t *testing.T) string { return recorded(t, "iperf_tcp.csv") }
	for _, c := range []struct {
		name, want string
		read       func(string) (weir.Transferred, error)
		said       func(*testing.T) string
	}{
		{"iperf3 that broke off", "does not say what was received", asIperf3(weir.Destination), func(t *testing.T) string { return recorded(t, "iperf3_failed.json") }},
		{"no report", "read the report of iperf3", asIperf3(weir.Destination), func(*testing.T) string { return "iperf3: error" }},
		{"too few streams", "iperf reports on 3 of 4 streams", asIperf(4), tcp},
		{"too many", "iperf reports on 3 of 2 streams", asIperf(2), tcp},
		{"figures of the sender", "does not say what was received", asIperf(2), func(t *testing.T) string { return recorded(t, "iperf_udp_sender.csv") }},
		{"no numbers", "read the report of iperf", asIperf(1), func(*testing.T) string { return "a,b,c,d,e,1,0-1,many,few" }},
		{"one netperf of two", "1 of 2 netperf report", asNetperf("TCP_STREAM", weir.Destination, 2), func(t *testing.T) string { return recorded(t, "netperf_tcp_stream.txt") }},
		{"half a report", "netperf does not say REMOTE_TRANSPORT_RETRANS", asNetperf("TCP_STREAM", weir.Destination, 1), func(t *testing.T) string {
			return strings.Replace(recorded(t, "netperf_tcp_stream.txt"), "REMOTE_TRANSPORT_RETRANS", "OTHER", 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(c.said(t))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestIperf3SaysWhy(t *testing.T) {
	r, err := readIperf3(recorded(t, "iperf3_failed.json"))
	if err != nil || r.Error != "control socket has closed unexpectedly" {
		t.Errorf("%q, %v", r.Error, err)
	}
}

func TestSumLineOfIperf(t *testing.T) {
	said := recorded(t, "iperf_reverse.csv") + "20230101000000,198.18.0.2,0,198.19.0.2,5001,-1,0.0-2.2,13238272,47924664\n"
	if got, err := readIperf(said, 1); err != nil || got.Octets != 13238272 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestIperfReverses(t *testing.T) {
	for version, want := range map[string]bool{
		"iperf version 2.1.8 (12 August 2022) pthreads": true,
		"iperf version 2.2.0 (10 April 2024) pthreads":  true,
		"iperf version 2.0.13 (21 Jan 2019) pthreads":   false,
		"iperf version 2.0.5 (08 Jul 2010) pthreads":    false,
		"": false,
	} {
		if got := iperfReverses(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}
