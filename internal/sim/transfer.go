package sim

import (
	"cmp"
	"math"
	"strings"
	"time"

	"weir"
)

// What the end hosts of a simulated testbed have.
const (
	ethernetMTU = 1500
	tcpHeaders  = 52                    // octets of the MTU that TCP with time stamps takes, over IPv4
	udpHeaders  = 28                    // octets of it that UDP takes
	requestSize = 80                    // octets of a frame with a request, a response or less
	onWire      = 24                    // octets of a link beside each frame: FCS, preamble and gap
	acked       = 1.5                   // frames through the DUT for each segment: every other one is acknowledged
	setUp       = 21                    // frames for each PPPoE session that is set up
	exchanges   = 9                     // of them that wait for each other, each with its answer
	open        = 10                    // frames for each connection that is opened, used and closed
	endHosts    = 50 * time.Microsecond // of a round trip, in the end hosts
	flicker     = .01                   // standard deviation of the rate between seconds, relative to it
	programCPU  = .3                    // of a CPU, that the programs at either end use
	samples     = 100                   // of round trips, in a second
)

// efforts are what programs put through the DUT beside the payload, relative
// to what weir's own do: requests, encryption, messages of their own.
var efforts = map[string]float64{
	"netperf": .001, "iperf3": .002, "iperf": .003, "http": .005, "ftp": .01,
	"rsync": .03, "smb": .05, "sftp": .08, "pipe": .1,
}

// movement is how a transfer goes.
type movement struct {
	payload  float64 // octets/s that arrive
	offered  float64 // frames/s into the DUT, both directions together
	frames   float64 // frames/s out of it
	count    float64 // connections or transactions in a second
	arriving float64 // bit/s at the receiving port
	most     float64 // frames/s out of the DUT at most: its own limit, or that of the links
}

// transfer is what becomes of a transfer between end hosts of a simulated
// testbed. The DUT and the links to both hosts, of D directions, are all that
// limits it:
//
//	C of TCP       = min(capacity, 1.5 x D x Link / 8 / (MTU + 38) octets), in frames/s
//	C of requests  = min(capacity, 2 x Link / 8 / 104 octets)
//	goodput of TCP = C / 1.5 x (MTU - 52) octets / (1 + effort of the program), or its rate;
//	                 at most Disk, of files on disks
//	goodput of UDP = min(rate, Ceff of the rate, D x Link / 8 / octets of a frame); all beyond is lost
//	connections/s  = C / 10
//	transactions/s = streams / round trip, at most C / 2
//	sessions/s     = C / 21 of PPPoE; one is set up in 9 round trips, whatever comes beside
//	round trip     = 50 us + 2 x Latency + u x Jitter, and Buffer / C longer under load
//
// where u is drawn for each, and acknowledgements are taken for no load of the
// links. The rate differs between seconds by 1 % (standard deviation). The warm-up
// does not count, but the datagrams of it do. No transfer breaks off, whatever its
// server is and wherever its files lie.
func (d dut) transfer(r *weir.TrialResult) {
	t, asked := r.Trial, *r.Trial.Transfer
	found := weir.Transferred{
		Version: "simulated", Server: cmp.Or(t.Traffic.Server, weir.Destination), Interval: time.Second,
		IdleRTT: (endHosts + 2*d.Latency).Seconds(), Took: max(t.Duration-asked.WarmUp, 0),
	}
	defer func() { r.Transferred = &found }()
	if asked.Program == "path" {
		found.PathMTU = d.mtu()
		return
	}
	if strings.HasPrefix(asked.Program, "pppoe") {
		d.subscribed(r, &found)
		return
	}
	m := d.moved(asked, found.IdleRTT, t.Traffic.Ports())
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
	if datagrams(asked) {
		sent := uint64(m.offered * r.Sending.Seconds())
		arrived := min(sent, uint64(m.frames*r.Sending.Seconds()))
		found.Figures = []weir.Figure{
			{Name: weir.DatagramsSent, Value: float64(sent), Unit: "datagrams"},
			{Name: weir.DatagramsReceived, Value: float64(arrived), Unit: "datagrams"},
			{Name: weir.Jitter, Value: d.Jitter.Seconds() / 3, Unit: "s"},
		}
	} else {
		found.Segment = d.mtu() - tcpHeaders
		d.roundTrips(&found, r.Sending, m.most)
	}
	for range int(math.Ceil(r.Sending.Seconds())) {
		found.Rates = append(found.Rates, m.arriving*max(1+flicker*d.random.NormFloat64(), leastCapacity))
	}
	used := time.Duration(programCPU * float64(t.Traffic.Ports()) * float64(found.Took))
	found.CPU = weir.EndsCPU{Source: used, Destination: used}
	r.Offered = uint64(m.offered * r.Sending.Seconds())
	r.Received = min(r.Offered, uint64(m.frames*r.Sending.Seconds()))
	r.Ledger = weir.Balance(r.Offered, r.Received, []weir.Drop{{Place: "sim buffer full", Count: r.Offered - r.Received}})
	r.DUTCPU = time.Duration(min(1, m.offered/d.capacity) * float64(r.Sending))
	r.DUTIdle = r.Sending - r.DUTCPU
}

// subscribed is what becomes of PPPoE subscribers.
func (d dut) subscribed(r *weir.TrialResult, found *weir.Transferred) {
	found.Count = uint64(cmp.Or(r.Trial.Transfer.Sessions, 1000))
	found.Took = seconds(float64(found.Count) * setUp / min(d.capacity, d.linked(2, requestSize)))
	found.Figures = []weir.Figure{{Name: weir.SetUpUnderFlood, Value: exchanges * found.IdleRTT, Unit: "s"}}
	found.IdleRTT, r.Sending = 0, r.Trial.Duration
}

// moved is how a transfer goes in so many directions that takes so long, in s, for
// a round trip without load.
func (d dut) moved(asked weir.Transfer, rtt float64, directions int) movement {
	streams, effort := float64(max(asked.Streams, 1)), 1+efforts[asked.Program]
	// Requests go one way and responses the other, whichever hosts ask.
	small := min(d.capacity, d.linked(2, requestSize))
	requested := func(frames, each float64) movement {
		return movement{count: frames / each, payload: frames / each, offered: frames, frames: frames, arriving: frames / 2 * 8 * requestSize, most: small}
	}
	switch {
	case asked.Program == "connections":
		return requested(small, open)
	case strings.HasSuffix(asked.Test, "RR"):
		return requested(min(small, 2*streams/rtt), 2)
	case datagrams(asked):
		octets := float64(cmp.Or(asked.Payload, d.mtu()-udpHeaders))
		load := float64(Ceiling)
		if asked.Rate > 0 {
			load = min(load, streams*asked.Rate/8/octets)
		}
		size := octets + udpHeaders + 14
		most := min(d.service(load), d.linked(directions, size))
		out := min(load, most)
		return movement{payload: out * octets, offered: load, frames: out, arriving: 8 * out * size, most: most}
	}
	octets, size := float64(d.mtu()-tcpHeaders), float64(d.mtu()+14)
	most := min(d.capacity, acked*d.linked(directions, size))
	segments := most / acked / effort
	if asked.Rate > 0 && asked.Files == 0 {
		segments = min(segments, streams*asked.Rate/8/octets)
	}
	if asked.Storage == weir.Disk && d.Disk > 0 {
		segments = min(segments, d.Disk/octets)
	}
	frames := segments * acked * effort
	return movement{payload: segments * octets, offered: frames, frames: frames, arriving: 8 * segments * effort * size, most: most}
}

// mtu is that of the links, and of the DUT.
func (d dut) mtu() int { return cmp.Or(d.MTU, ethernetMTU) }

// linked is how many frames/s of so many octets the links take in so many
// directions.
func (d dut) linked(directions int, octets float64) float64 {
	if d.Link <= 0 {
		return math.Inf(1)
	}
	return float64(directions) * d.Link / 8 / (octets + onWire)
}

// datagrams reports whether a transfer is one of datagrams.
func datagrams(t weir.Transfer) bool {
	return t.Program == "udp" || strings.Contains(strings.ToLower(t.Test), "udp")
}

// roundTrips draws those of a transfer while the path is loaded, which empties the
// DUT's buffer at so many frames/s.
func (d dut) roundTrips(found *weir.Transferred, length time.Duration, rate float64) {
	queue := seconds(float64(d.Buffer) / rate)
	for range int(samples * min(length, time.Minute).Seconds()) {
		rtt := endHosts + 2*d.Latency + queue
		if d.Jitter > 0 {
			rtt += time.Duration(d.random.Int64N(int64(d.Jitter) + 1))
		}
		found.RTT.Add(uint64(rtt), 1)
	}
}
