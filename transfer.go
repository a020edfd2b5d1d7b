package weir

import "time"

// Transfer is what programs of two end hosts say to each other through the DUT
// in a trial, in place of test frames. Octets flow from the source to the
// destination: host 0 and host 1, or the other way round where the traffic goes
// backward (Traffic.Backward).
type Transfer struct {
	Program string `json:"program"`           // who does it: "tcp", "udp", "iperf3", "netperf", "ftp", "smb"
	Test    string `json:"test,omitempty"`    // which of the program's tests, as the program calls it: "TCP_RR"; "": its usual one
	Streams int    `json:"streams,omitempty"` // connections side by side; 0 means 1

	WarmUp  time.Duration `json:"warm_up,omitempty"` // at the beginning of the trial's duration, that does not count
	Rate    float64       `json:"rate,omitempty"`    // payload that each stream sends, in bit/s; 0: all it can
	Payload int           `json:"payload,omitempty"` // octets of each datagram or message; 0: what the program has

	Sessions int     `json:"sessions,omitempty"` // of PPPoE subscribers, that are set up; 0: as many as the program has
	Flood    float64 `json:"flood,omitempty"`    // PADIs in a second, from made-up addresses; 0: what the program has

	Files    int     `json:"files,omitempty"`     // of a file transfer
	FileSize int64   `json:"file_size,omitempty"` // octets of each of them
	Storage  Storage `json:"storage,omitempty"`   // where they lie at both ends
	Seed     uint64  `json:"seed,omitempty"`      // of what is in them, which does not compress
}

// Kind is what tells a transfer from others: all of it but what is in its files,
// which may differ between trials alike. It is zero of nil.
func (t *Transfer) Kind() Transfer {
	if t == nil {
		return Transfer{}
	}
	kind := *t
	kind.Seed = 0
	return kind
}

// Storage is where the files of a transfer lie.
type Storage string

// The storages.
const (
	Memory Storage = "memory" // a file system in memory
	Disk   Storage = "disk"   // a file system on a disk: read from it, not from what is left of it in memory, and on it at the end
)

// Side is one end of a transfer, by the way that the octets go.
type Side string

// The sides.
const (
	Source      Side = "source"
	Destination Side = "destination"
)

// Transferred is what came of a Transfer. Of several streams or directions it
// is all of them together.
type Transferred struct {
	Version string        `json:"version,omitempty"` // of the program, as it says itself
	Octets  uint64        `json:"octets"`            // payload that arrived in the time that counts
	Took    time.Duration `json:"took"`              // the time that counts; for files from the first of their octets that arrived until all are where they belong
	Count   uint64        `json:"count,omitempty"`   // transactions or connections that were completed, of programs that count these
	Server  Side          `json:"server,omitempty"`  // which side the server was; the client is the other one

	// Rates are in bit/s, one for each Interval of the trial, warm-up included:
	// what arrived at the port of the receiving end, frame headers included.
	Rates    []float64     `json:"rates,omitempty"`
	Interval time.Duration `json:"interval,omitempty"`

	Retransmitted uint64     `json:"retransmitted,omitempty"` // segments of TCP; 0 also where the program does not say
	RTT           Histogram  `json:"rtt,omitzero"`            // round trips that TCP saw while the path was loaded
	CPU           EndsCPU    `json:"cpu,omitzero"`            // CPU time of the programs
	Segment       int        `json:"segment,omitempty"`       // largest payload of a segment of TCP, in octets; 0: not known
	PathMTU       int        `json:"path_mtu,omitempty"`      // proved with packets that must not be fragmented, in octets; 0: was not looked for
	IdleRTT       float64    `json:"idle_rtt,omitempty"`      // round trip before the path was loaded, in s; 0: not known
	Verified      bool       `json:"verified,omitempty"`      // what arrived has the hash of what was sent
	OneDisk       bool       `json:"one_disk,omitempty"`      // both sides' storage is the same, which reads and writes at once
	Disks         []DiskRate `json:"disks,omitempty"`         // what each side's storage did alone
	Figures       []Figure   `json:"figures,omitempty"`       // what else the program found
	Failed        string     `json:"failed,omitempty"`        // why it ended before it was complete; "": it was
}

// Names of figures that mean the same whichever program found them. Datagrams are
// those of the whole trial, warm-up included.
const (
	DatagramsSent     = "datagrams sent"
	DatagramsReceived = "datagrams received"
	DatagramsLost     = "datagrams lost"
	// DatagramsDropped arrived, and the socket of the receiving host had no room
	// for them: they are not lost by the DUT.
	DatagramsDropped = "datagrams dropped at the receiving host"
	// SetUpTime is connecting, keys and login, in s: no part of the time that counts.
	SetUpTime = "set-up before the first octets of files"
	// LeastRTT is the shortest round trip without load, in s.
	LeastRTT = "round trip without load, minimum"
	// Jitter is how much the delay of a stream of datagrams varied, in s.
	Jitter = "jitter"
	// Sessions of PPPoE subscribers: those that could not be set up, that ended by
	// themselves, and that were there when all had been ended.
	SessionsFailed = "sessions failed"
	SessionsLost   = "sessions lost"
	SessionsLeft   = "sessions left"
	// KeepAlivesMissed are those of sessions that were not answered until the next was due.
	KeepAlivesMissed = "keep-alives missed"
	// SetUpUnderFlood is the median time of a session's set-up while a flood of PADIs comes,
	// in s, and FloodRate how many came in a second.
	SetUpUnderFlood = "set-up under the flood, median"
	FloodRate       = "PADIs of the flood in a second"
	// SessionDatagramsLost are those through an established session during the flood.
	SessionDatagramsLost = "datagrams lost in a session"
	// OfferedLoad is the load at which a rate was seen, in frames/s over all sending
	// ports, or in the unit that whoever published it has.
	OfferedLoad = "offered load"
)

// LeastSeconds is how many whole seconds of a transfer (Result.Rates) it takes to
// say whether its rate fluctuated.
const LeastSeconds = 5

// EndsCPU is the CPU time of the programs at both ends; 0 where it is not known.
type EndsCPU struct {
	Source      time.Duration `json:"source,omitempty"`
	Destination time.Duration `json:"destination,omitempty"`
}

// DiskRate is how fast the storage of one side of a transfer is by itself.
type DiskRate struct {
	Side  Side    `json:"side"`
	Read  float64 `json:"read"`  // bit/s, of what is not in memory any more
	Write float64 `json:"write"` // bit/s, until it is on the disk
}

// Goodput is the rate of the payload that arrived, in bit/s (RFC 2647 section
// 3.7 has it for one connection); 0 when nothing did.
func (t Transferred) Goodput() float64 {
	if t.Took <= 0 {
		return 0
	}
	return 8 * float64(t.Octets) / t.Took.Seconds()
}

// PerSecond is how many transactions or connections were completed in a second.
func (t Transferred) PerSecond() float64 { return perSecond(t.Count, t.Took) }
