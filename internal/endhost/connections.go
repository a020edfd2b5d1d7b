package endhost

import (
	"fmt"
	"net/netip"
	"time"

	"weir"
)

// ConnectionsMake are the settings of the role "connections-make": it opens TCP
// connections to "connections-serve", one after the other at each of several
// places, sends an octet over each, and waits for the one that comes back.
//
// It closes a connection with a reset. An orderly end would leave the port of
// one side in TIME-WAIT for a minute (RFC 9293 section 3.3.2), and there are
// fewer ports than connections in that time. A firewall sees the end of the
// connection all the same.
type ConnectionsMake struct {
	Address  netip.Addr    `json:"address"`
	Port     int           `json:"port"`
	Places   int           `json:"places"`            // connections at once, 1 to MaxStreams
	Duration time.Duration `json:"duration"`          // warm-up included
	WarmUp   time.Duration `json:"warm_up,omitempty"` // connections that end in it do not count
}

// ConnectionsReport is what comes of "connections-make".
type ConnectionsReport struct {
	Count  uint64            `json:"count"`            // connections over which the octet came back, in the time that counts
	Took   time.Duration     `json:"took"`             // that time
	Times  weir.Histogram    `json:"times"`            // of these: from asking for the connection to the octet
	Failed map[string]uint64 `json:"failed,omitempty"` // others of the whole test, by what became of them
	CPU    time.Duration     `json:"cpu"`              // user and system, in the time that counts
}

func (s ConnectionsMake) check() error {
	switch {
	case s.Places < 1 || s.Places > MaxStreams:
		return fmt.Errorf("there are 1 to %d connections at once, not %d", MaxStreams, s.Places)
	case s.WarmUp < 0 || s.Duration <= s.WarmUp:
		return fmt.Errorf("nothing is left of %v after a warm-up of %v", s.Duration, s.WarmUp)
	}
	return nil
}
