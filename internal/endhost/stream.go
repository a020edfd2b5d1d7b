package endhost

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weir"
)

// Streams are the settings of the two ends of a test of streams: of the role
// "stream-serve", which tells where it listens, and then of "stream-connect",
// which connects to it and tells the ports of its sockets (of UDP). With these
// the server is asked to "join". The octets flow one way after that: one end is
// asked to "receive", which begins its clock and returns at once; the other one
// to "send", which returns what it Sent; and with that the first one for what it
// "received". A process performs one test.
type Streams struct {
	Test     uint64        `json:"test"`              // a number of its own: what comes of others does not belong to it
	Send     bool          `json:"send,omitempty"`    // this end sends
	Address  netip.Addr    `json:"address"`           // of the server
	Port     int           `json:"port"`              // of the server; at itself 0: any that is free
	Protocol weir.Protocol `json:"protocol"`          // weir.TCP or weir.UDP
	Streams  int           `json:"streams"`           // 1 to MaxStreams
	Duration time.Duration `json:"duration"`          // warm-up included
	WarmUp   time.Duration `json:"warm_up,omitempty"` // that does not count
	Rate     float64       `json:"rate,omitempty"`    // payload of each stream of UDP, in bit/s; 0: all it can
	Payload  int           `json:"payload,omitempty"` // octets of a datagram, or of what TCP is given at once; 0: as much as fits into a packet, or 128 KiB
}

// Sent is what the sender of a test has to say. What it says of TCP is of the
// time that counts by its clock; datagrams are those of the whole test.
type Sent struct {
	CPU           time.Duration  `json:"cpu"`                     // user and system, in the time that counts
	Retransmitted uint64         `json:"retransmitted,omitempty"` // segments
	RTT           weir.Histogram `json:"rtt,omitzero"`            // smoothed round trips as TCP had them, sampled after the warm-up
	Segment       int            `json:"segment,omitempty"`       // the largest payload of a segment of TCP, in octets
	Payload       int            `json:"payload,omitempty"`       // octets of a datagram
	Datagrams     uint64         `json:"datagrams,omitempty"`     // that left the host's stack, as far as it says
	Refused       uint64         `json:"refused,omitempty"`       // not sent: the queue of the port was full, and they were tried again
}

// Received is what the receiver has to say. Octets are those of the time that
// counts; datagrams are those of the whole test, warm-up and what came after the
// end included.
type Received struct {
	Octets    uint64        `json:"octets"`              // payload
	Took      time.Duration `json:"took"`                // the time that counts, by the receiver's clock
	CPU       time.Duration `json:"cpu"`                 // user and system, in that time
	Datagrams uint64        `json:"datagrams,omitempty"` // distinct ones
	Late      uint64        `json:"late,omitempty"`      // of these: after a later one of their stream
	Duplicate uint64        `json:"duplicate,omitempty"` // in addition to these
	Dropped   uint64        `json:"dropped,omitempty"`   // by the socket, whose program was too slow: it is not the DUT's loss
	Untold    bool          `json:"untold,omitempty"`    // the system does not say what the socket has dropped
	Jitter    float64       `json:"jitter,omitempty"`    // at the end, in s (RFC 3550 section 6.4.1), of the stream with the most; 0: not known
}

const (
	// MaxStreams is how many streams a test may have.
	MaxStreams = 128
	// MinPayload is the smallest payload of a datagram: what says which one it
	// is. A frame of 64 octets has room for 18 with IPv4.
	MinPayload = 16
	maxPayload = 65507 // of a datagram (RFC 768 and RFC 791)
	// writeSize is how much TCP is given, and asked for, at once.
	writeSize = 128 << 10
)

func (s Streams) check() error {
	switch {
	case !s.Address.IsValid() || s.Port < 1 || s.Port > 65535:
		return fmt.Errorf("there is no server at %s, port %d", s.Address, s.Port)
	case s.Protocol != weir.TCP && s.Protocol != weir.UDP:
		return fmt.Errorf("streams are of tcp or udp, not of %q", s.Protocol)
	case s.Streams < 1 || s.Streams > MaxStreams:
		return fmt.Errorf("a test has 1 to %d streams, not %d", MaxStreams, s.Streams)
	case s.WarmUp < 0 || s.Duration <= s.WarmUp:
		return fmt.Errorf("nothing is left of %v after a warm-up of %v", s.Duration, s.WarmUp)
	case s.Rate < 0:
		return errors.New("a rate is not negative")
	case s.Rate > 0 && s.Protocol == weir.TCP:
		return errors.New("TCP sends all it can: a rate is for UDP")
	case s.Protocol == weir.UDP && s.Payload != 0 && (s.Payload < MinPayload || s.Payload > maxPayload):
		return fmt.Errorf("a datagram has a payload of %d to %d octets, not of %d", MinPayload, maxPayload, s.Payload)
	case s.Payload < 0 || s.Payload > 64<<20:
		return fmt.Errorf("TCP is given 1 octet to 64 MiB at once, not %d", s.Payload)
	}
	return nil
}
