package endhost

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"weir"
)

// EchoSend are the settings of the role "echo-send": it sends datagrams to the
// role "echo-serve", evenly spread, and takes the time until each is back, as a
// program sees it.
type EchoSend struct {
	Address  netip.Addr    `json:"address"`
	Port     int           `json:"port"`
	Every    time.Duration `json:"every"`             // between two
	Duration time.Duration `json:"duration"`          // warm-up included
	WarmUp   time.Duration `json:"warm_up,omitempty"` // echoes that are sent in it do not count
}

// EchoReport is what comes of "echo-send".
type EchoReport struct {
	Sent uint64         `json:"sent"`
	Lost uint64         `json:"lost"` // not back two seconds after the last was sent
	RTT  weir.Histogram `json:"rtt"`  // round trips
}

func (s EchoSend) check() error {
	if s.Every < time.Millisecond || s.Duration <= s.WarmUp || s.WarmUp < 0 || s.Duration/s.Every > 1<<20 {
		return errors.New("echoes are at least 1 ms apart, there are at most a million, and some after the warm-up")
	}
	return nil
}

// echo is what a datagram to "echo-serve" says, and the one that comes back.
type echo struct {
	Test   uint64 // that the client made up
	Number uint64
	Answer uint32 // payload of the one that is to come back, in octets, at least echoSize
	// Of the answer alone:
	Got      uint32 // payload of the datagram that it answers
	Fragment uint32 // of that one: the size of its largest fragment; 0: it came as a whole
	Refused  uint32 // 1: one of the size that was asked for cannot be sent, and this is a smaller one
}

// echoSize is the payload that it needs, in octets.
const echoSize = 32

func (e echo) put(b []byte) { binary.Encode(b, binary.BigEndian, e) }

func echoOf(b []byte) (e echo, ok bool) {
	_, err := binary.Decode(b, binary.BigEndian, &e)
	return e, err == nil
}
