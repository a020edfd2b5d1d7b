package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// Streams of weir's own program, and what a quick run of any stream may spend.
var (
	ownStream    = Params{Trial: 10 * time.Second, WarmUp: time.Second, Streams: 1, Trials: 1}
	quickStream  = Params{Trial: 2 * time.Second, WarmUp: 200 * time.Millisecond, Trials: 1}
	minuteStream = Params{Trial: 60 * time.Second}
)

// ofStream is a method that is a stream, and takes these fields of a plan beside
// those that all streams have.
func ofStream(x transfer, summary string, takes ...string) Method {
	return Method{
		Name: x.method, Summary: summary, Defaults: x.defaults, Quick: quickStream, Book: minuteStream,
		Application: true, Takes: append([]string{"trial", "streams"}, takes...), Run: single(x.run),
	}
}

// withTests is a method whose program has several tests, the usual one first.
func withTests(m Method, tests ...string) Method {
	m.Takes, m.Tests = append(m.Takes, "test"), tests
	return m
}

// tcpStream measures how fast TCP goes from one end host to the other.
var tcpStream = ofStream(transfer{"tcp", "tcp", ownStream, goodput},
	"goodput of TCP between two end hosts, by weir's own program", "warm_up", "payload")

// udpStream measures how much of what UDP sends arrives.
var udpStream = ofStream(transfer{"udp", "udp", ownStream, goodput},
	"goodput and loss of UDP between two end hosts, by weir's own program", "warm_up", "rate", "payload")

// connections measures how many connections of TCP can be had in a second.
var connections = ofStream(transfer{"connections", "connections", Params{Trial: 10 * time.Second, WarmUp: time.Second, Trials: 1},
	func(Params) measure { return perSecond("connections/s") }},
	"connections of TCP that are opened, used and closed in a second, by weir's own program", "warm_up")

// loadedLatency measures what a round trip takes while TCP fills the path.
var loadedLatency = ofStream(transfer{"loaded-latency", "load", ownStream, underLoad},
	"round trip while TCP fills the path, and without load", "warm_up", "payload")

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
		beside: func(t weir.Transferred) []weir.Figure {
			return []weir.Figure{{Name: "goodput of the load", Value: t.Goodput(), Unit: "bit/s"}}
		},
	}
}

// iperf3Stream measures with iperf3, version 3.
var iperf3Stream = withTests(ofStream(transfer{"iperf3", "iperf3", ownStream, goodput},
	"goodput by the program iperf3", "warm_up", "rate", "payload"),
	"tcp", "udp")

// iperfStream measures with iperf, version 2, as the table of 2007 did: three
// streams for a minute.
var iperfStream = withTests(ofStream(transfer{"iperf", "iperf", Params{Trial: 60 * time.Second, Streams: 3, Trials: 1}, goodput},
	"goodput by the program iperf (version 2), by default of three streams for a minute", "rate", "payload"),
	"tcp", "udp")

// netperfStream measures with netperf, as the table of 2007 did: one stream of
// TCP for a minute.
var netperfStream = withTests(ofStream(transfer{"netperf", "netperf", Params{Trial: 60 * time.Second, Streams: 1, Trials: 1, Test: "TCP_STREAM"}, ofTest},
	"goodput, or transactions in a second, by the program netperf", "payload"),
	"TCP_STREAM", "TCP_RR", "UDP_STREAM")

// ofTest is what a test of netperf measures.
func ofTest(p Params) measure {
	if claim.Transacts(p.Test) {
		return perSecond("transactions/s")
	}
	return goodput(p)
}
