package tester

import (
	"cmp"
	"math"
	"strings"
	"time"

	"weir"
)

// What the end hosts of a simulated testbed have.
const (
	simMTU      = 1500
	simSegment  = 1448 // octets: what is left of the MTU for TCP with time stamps, over IPv4
	simDatagram = 1472 // octets: what is left of it for UDP
	simFrame    = simMTU + 14
	simWire     = simFrame + 24         // of a link: with FCS, preamble and gap
	simAcked    = 1.5                   // frames through the DUT for each segment: every other one is acknowledged
	simOpen     = 10                    // frames for each connection that is opened, used and closed
	simHosts    = 50 * time.Microsecond // of a round trip, in the end hosts
	simFlicker  = .01                   // standard deviation of the rate between seconds, relative to it
	simProgram  = .3                    // of a CPU, that the programs at either end use
	simSamples  = 100                   // of round trips, in a second
)

// simEfforts are what programs put through the DUT beside the payload, relative
// to what weir's own do: requests, encryption, messages of their own.
var simEfforts = map[string]float64{
	"netperf": .001, "iperf3": .002, "iperf": .003, "http": .005, "ftp": .01,
	"rsync": .03, "smb": .05, "sftp": .08, "pipe": .1,
}

// simMoved is how a transfer goes.
type simMoved struct {
	payload  float64 // octets/s that arrive
	offered  float64 // frames/s into the DUT, both directions together
	frames   float64 // frames/s out of it
	count    float64 // connections or transactions in a second
	arriving float64 // bit/s at the receiving port
}

// transfer is what becomes of a transfer between end hosts of a simulated
// testbed. The DUT of C frames/s, or its link, is all that limits it:
//
//	C              = min(capacity, 1.5 x Link / 8 / 1538 octets)
//	goodput of TCP = C / 1.5 x 1448 octets / (1 + effort of the program), or its rate
//	goodput of UDP = min(rate, Ceff of the rate); all beyond is lost
//	connections/s  = C / 10
//	transactions/s = streams / round trip, at most C / 2
//	round trip     = 50 us + 2 x Latency + u x Jitter, and Buffer / C longer under load
//
// where u is drawn for each. The rate differs between seconds by 1 % (standard
// deviation). No transfer breaks off, whatever its server is and wherever its
// files lie.
func (d simDUT) transfer(r *weir.TrialResult) {
	t, asked := r.Trial, *r.Trial.Transfer
	found := weir.Transferred{
		Version: "simulated", Server: cmp.Or(t.Traffic.Server, weir.Destination), Interval: time.Second,
		IdleRTT: (simHosts + 2*d.Latency).Seconds(), Took: max(t.Duration-asked.WarmUp, 0),
	}
	defer func() { r.Transferred = &found }()
	if asked.Program == "path" {
		found.PathMTU = simMTU
		return
	}
	if d.Link > 0 {
		d.Capacity = min(d.Capacity, simAcked*d.Link/8/simWire)
	}
	m := d.moved(asked, found.IdleRTT)
	r.Sending = t.Duration
	if asked.Files > 0 {
		found.Verified = true
		found.Octets = uint64(asked.Files) * uint64(asked.FileSize) * uint64(t.Traffic.Ports())
		found.Took = seconds(float64(found.Octets) / m.payload)
		r.Sending = found.Took
	} else {
		found.Octets = uint64(m.payload * found.Took.Seconds())
		found.Count = uint64(m.count * found.Took.Seconds())
	}
	if simUDP(asked) {
		sent := uint64(m.offered * found.Took.Seconds())
		arrived := min(sent, uint64(m.frames*found.Took.Seconds()))
		// The names are those that all programs of transfers give these.
		found.Figures = []weir.Figure{
			{Name: "datagrams sent", Value: float64(sent), Unit: "datagrams"},
			{Name: "datagrams received", Value: float64(arrived), Unit: "datagrams"},
			{Name: "jitter", Value: d.Jitter.Seconds() / 3, Unit: "s"},
		}
	} else {
		found.Segment = simSegment
		d.roundTrips(&found, r.Sending)
	}
	for range int(math.Ceil(r.Sending.Seconds())) {
		found.Rates = append(found.Rates, m.arriving*max(1+simFlicker*d.random.NormFloat64(), leastCapacity))
	}
	used := time.Duration(simProgram * float64(t.Traffic.Ports()) * float64(found.Took))
	found.CPU = weir.EndsCPU{Source: used, Destination: used}
	r.Offered = uint64(m.offered * r.Sending.Seconds())
	r.Received = min(r.Offered, uint64(m.frames*r.Sending.Seconds()))
	r.Ledger = weir.Balance(r.Offered, r.Received, []weir.Drop{{Place: "sim buffer full", Count: r.Offered - r.Received}})
	r.DUTCPU = time.Duration(min(1, m.offered/d.capacity) * float64(r.Sending))
	r.DUTIdle = r.Sending - r.DUTCPU
}

// moved is how a transfer goes that takes so long, in s, for a round trip
// without load.
func (d simDUT) moved(asked weir.Transfer, rtt float64) simMoved {
	streams, effort := float64(max(asked.Streams, 1)), 1+simEfforts[asked.Program]
	requested := func(frames, each float64) simMoved {
		return simMoved{count: frames / each, payload: frames / each, offered: frames, frames: frames, arriving: frames / 2 * 8 * 80}
	}
	switch {
	case asked.Program == "connections":
		return requested(d.capacity, simOpen)
	case strings.HasSuffix(asked.Test, "RR"):
		return requested(min(d.capacity, 2*streams/rtt), 2)
	case simUDP(asked):
		octets := float64(cmp.Or(asked.Payload, simDatagram))
		load := float64(SimCeiling)
		if asked.Rate > 0 {
			load = min(load, streams*asked.Rate/8/octets)
		}
		out := min(load, d.service(load))
		return simMoved{payload: out * octets, offered: load, frames: out, arriving: 8 * out * (octets + simFrame - simDatagram)}
	}
	segments := d.capacity / simAcked / effort
	if asked.Rate > 0 && asked.Files == 0 {
		segments = min(segments, streams*asked.Rate/8/simSegment)
	}
	frames := segments * simAcked * effort
	return simMoved{payload: segments * simSegment, offered: frames, frames: frames, arriving: 8 * segments * effort * simFrame}
}

// simUDP reports whether a transfer is one of datagrams.
func simUDP(t weir.Transfer) bool {
	return t.Program == "udp" || strings.Contains(strings.ToLower(t.Test), "udp")
}

// roundTrips draws those of a transfer while the path is loaded.
func (d simDUT) roundTrips(found *weir.Transferred, length time.Duration) {
	queue := seconds(float64(d.Buffer) / d.capacity)
	for range int(simSamples * min(length, time.Minute).Seconds()) {
		rtt := simHosts + 2*d.Latency + queue
		if d.Jitter > 0 {
			rtt += time.Duration(d.random.Int64N(int64(d.Jitter) + 1))
		}
		found.RTT.Add(uint64(rtt), 1)
	}
}
