package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// Streams of weir's own program, and what a quick run of any stream may spend.
var (
	ownStream    = Params{Trial: 10 * time.Second, Trials: 1, Transfer: weir.Transfer{WarmUp: time.Second, Streams: 1}}
	quickStream  = Params{Trial: 2 * time.Second, Trials: 1, Transfer: weir.Transfer{WarmUp: 200 * time.Millisecond}}
	minuteStream = Params{Trial: 60 * time.Second}
)

// The names that streams may earn.
var (
	tcpNames = []string{"TCP goodput, short trials", "TCP goodput"}
	udpNames = []string{"UDP goodput, short trials", "UDP goodput"}
)

// ofStream is a method that is a stream by a program of the end hosts. It takes
// these fields of a plan in addition to those that all streams have.
func ofStream(m Method, program string, of func(Params) measure) Method {
	m.Quick, m.Book, m.Application = quickStream, minuteStream, true
	m.Takes = append([]string{"trial", "streams"}, m.Takes...)
	m.Measure = single(transfer{program, of}.run)
	return m
}

// tcpStream measures how fast TCP goes from one end host to the other.
var tcpStream = ofStream(Method{
	Name: "tcp", Title: "TCP", Summary: "goodput of TCP between two end hosts, by weir's own program",
	Check: claim.CheckStream, Earns: [][]string{tcpNames}, Defaults: ownStream, Takes: []string{"warm_up", "payload"},
}, "tcp", goodput)

// udpStream measures how much of what UDP sends arrives.
var udpStream = ofStream(Method{
	Name: "udp", Title: "UDP", Summary: "goodput and loss of UDP between two end hosts, by weir's own program",
	Check: claim.CheckUDPStream, Earns: [][]string{udpNames}, Defaults: ownStream, Takes: []string{"warm_up", "rate", "payload"},
}, "udp", goodput)

// connections measures how many connections of TCP can be had in a second.
var connections = ofStream(Method{
	Name: "connections", Summary: "connections of TCP that are opened, used and closed in a second, by weir's own program",
	Check: claim.CheckConnections, Earns: [][]string{{"connection rate"}}, Takes: []string{"warm_up"},
	Defaults: Params{Trial: 10 * time.Second, Trials: 1, Transfer: weir.Transfer{WarmUp: time.Second}},
}, "connections", func(Params) measure { return perSecond("connections/s") })

// loadedLatency measures what a round trip takes while TCP fills the path.
var loadedLatency = ofStream(Method{
	Name: "loaded-latency", Summary: "round trip while TCP fills the path, and without load",
	Check: claim.CheckLoadedLatency, Earns: [][]string{{"latency under load"}}, Defaults: ownStream, Takes: []string{"warm_up", "payload"},
}, "load", underLoad)

// underLoad is the median round trip while the path is loaded.
func underLoad(Params) measure {
	return measure{
		unit: "s",
		of:   func(t weir.Transferred) float64 { return t.RTT.Quantile(.5) },
		lacks: func(t weir.Transferred) string {
			if t.RTT.N > 0 {
				return ""
			}
			return "no round trip was timed"
		},
		own: func(t weir.Transferred) []weir.Figure {
			return []weir.Figure{{Name: "goodput of the load", Value: t.Goodput(), Unit: "bit/s"}}
		},
	}
}

// iperf3Stream measures with iperf3, version 3.
var iperf3Stream = ofStream(Method{
	Name: "iperf3", Summary: "goodput by the program iperf3",
	Check: claim.CheckStream, Earns: [][]string{tcpNames, udpNames}, Defaults: ownStream,
	Takes: []string{"warm_up", "rate", "payload", "test"}, Tests: []string{"tcp", "udp"},
}, "iperf3", goodput)

// iperfStream measures with iperf, version 2, as the table of 2007 did: three
// streams for a minute.
var iperfStream = ofStream(Method{
	Name: "iperf", Summary: "goodput by the program iperf (version 2), by default of three streams for a minute",
	Check: claim.CheckStream, Earns: [][]string{tcpNames, udpNames}, Defaults: Params{Trial: 60 * time.Second, Trials: 1, Transfer: weir.Transfer{Streams: 3}},
	Takes: []string{"rate", "payload", "test"}, Tests: []string{"tcp", "udp"},
}, "iperf", goodput)

// netperfStream measures with netperf, as the table of 2007 did: one stream of
// TCP for a minute.
var netperfStream = ofStream(Method{
	Name: "netperf", Summary: "goodput, or transactions in a second, by the program netperf",
	Check: claim.CheckStream, Earns: [][]string{tcpNames, udpNames, {"transaction rate"}},
	Defaults: Params{Trial: 60 * time.Second, Trials: 1, Transfer: weir.Transfer{Streams: 1, Test: "TCP_STREAM"}},
	Takes:    []string{"payload", "test"}, Tests: []string{"TCP_STREAM", "TCP_RR", "UDP_STREAM"},
}, "netperf", ofTest)

// ofTest is what a test of netperf measures.
func ofTest(p Params) measure {
	if claim.Transacts(p.Transfer.Test) {
		return perSecond("transactions/s")
	}
	return goodput(p)
}
