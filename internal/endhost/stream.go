package endhost

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weir"
)

// StreamSend are the settings of the role "stream-send", the client of
// "stream-serve". The octets flow from it to the server, or the other way.
type StreamSend struct {
	Address  netip.Addr    `json:"address"`           // of the server
	Port     int           `json:"port"`              //
	Protocol weir.Protocol `json:"protocol"`          // weir.TCP or weir.UDP
	Streams  int           `json:"streams"`           // 1 to MaxStreams
	Duration time.Duration `json:"duration"`          // warm-up included
	WarmUp   time.Duration `json:"warm_up,omitempty"` // that does not count
	Rate     float64       `json:"rate,omitempty"`    // payload of each stream of UDP, in bit/s; 0: all it can
	Payload  int           `json:"payload,omitempty"` // octets of a datagram, or of what TCP is given at once; 0: as much as fits into a packet, or 128 KiB
	Receive  bool          `json:"receive,omitempty"` // the octets flow from the server to the client
}

// StreamReport is what comes of "stream-send".
type StreamReport struct {
	Octets  uint64        `json:"octets"`  // payload that arrived in the time that counts, by the receiver's clock
	Took    time.Duration `json:"took"`    // that time
	Streams []uint64      `json:"streams"` // octets of each

	Retransmitted uint64         `json:"retransmitted,omitempty"` // segments, in the time that counts by the sender's clock
	RTT           weir.Histogram `json:"rtt,omitzero"`            // smoothed round trips as TCP's sender had them, sampled after the warm-up
	Segment       int            `json:"segment,omitempty"`       // the sender's largest payload of a segment of TCP, in octets

	SenderCPU   time.Duration `json:"sender_cpu"`   // user and system, in the time that counts
	ReceiverCPU time.Duration `json:"receiver_cpu"` //

	Datagrams *Datagrams `json:"datagrams,omitempty"` // nil for TCP
}

// Datagrams are counts of UDP over the whole test, warm-up and what came after
// the end included: Sent is Received and Lost.
type Datagrams struct {
	Payload   int     `json:"payload"`          // octets of each
	Sent      uint64  `json:"sent"`             // that left the sending host's stack, as far as it says
	Received  uint64  `json:"received"`         // distinct ones
	Lost      uint64  `json:"lost"`             //
	Late      uint64  `json:"late"`             // of those received: after a later one of their stream
	Duplicate uint64  `json:"duplicate"`        // in addition to those received
	Dropped   uint64  `json:"dropped"`          // of those lost: by the receiving socket, whose program was too slow. It is not the DUT's loss
	Jitter    float64 `json:"jitter,omitempty"` // at the end, in s (RFC 3550 section 6.4.1), of the stream with the most; 0: not known
	Refused   uint64  `json:"refused"`          // not sent: the queue of the sending port was full, and they were tried again
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

func (s StreamSend) check() error {
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

// write is how much TCP is given at once.
func (s StreamSend) write() int {
	if s.Payload > 0 {
		return s.Payload
	}
	return writeSize
}

// sent is what the sender of a test has to say.
type sent struct {
	CPU           time.Duration  `json:"cpu"`
	Retransmitted uint64         `json:"retransmitted,omitempty"`
	RTT           weir.Histogram `json:"rtt,omitzero"`
	Segment       int            `json:"segment,omitempty"`
	Payload       int            `json:"payload,omitempty"`
	Datagrams     []uint64       `json:"datagrams,omitempty"` // of each stream
	Refused       uint64         `json:"refused,omitempty"`
}

// received is what the receiver has to say.
type received struct {
	CPU       time.Duration `json:"cpu"`
	Took      time.Duration `json:"took"`
	Streams   []uint64      `json:"streams"` // octets of each
	Datagrams uint64        `json:"datagrams,omitempty"`
	Late      uint64        `json:"late,omitempty"`
	Duplicate uint64        `json:"duplicate,omitempty"`
	Dropped   uint64        `json:"dropped,omitempty"`
	Jitter    float64       `json:"jitter,omitempty"`
}

// reportOf puts together what both ends have to say.
func reportOf(p weir.Protocol, s sent, r received) (StreamReport, error) {
	out := StreamReport{Took: r.Took, Streams: r.Streams, Retransmitted: s.Retransmitted, RTT: s.RTT,
		Segment: s.Segment, SenderCPU: s.CPU, ReceiverCPU: r.CPU}
	for _, n := range r.Streams {
		out.Octets += n
	}
	if p == weir.TCP {
		return out, nil
	}
	d := &Datagrams{Payload: s.Payload, Received: r.Datagrams, Late: r.Late, Duplicate: r.Duplicate, Dropped: r.Dropped, Jitter: r.Jitter, Refused: s.Refused}
	for _, n := range s.Datagrams {
		d.Sent += n
	}
	if d.Received > d.Sent {
		return out, fmt.Errorf("%d datagrams were received of %d that were sent: something on the path makes its own", d.Received, d.Sent)
	}
	d.Lost = d.Sent - d.Received
	out.Datagrams = d
	return out, nil
}
