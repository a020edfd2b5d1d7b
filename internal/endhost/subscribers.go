package endhost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"weir"
	"weir/internal/pppoe"
)

// Subscribers are the settings of the role "subscribers": PPPoE clients at one port, each
// with an Ethernet address and credentials of its own, in one process. It does nothing
// until it is asked to "connect" them, and returns when each has a session or has failed
// (SubscribersReport). It can be asked to "count" (the same, as it is now), for the
// "sessions" that are up ([]frame.Session), and to "disconnect" them all.
//
// Each asks for addresses of both families. Its sessions carry no datagrams of this
// process: they are for test frames, and for what keeping them takes.
type Subscribers struct {
	Port         string        `json:"port"`
	First        string        `json:"first"`                  // Ethernet address of the first; each has the next
	Secrets      string        `json:"secrets"`                // of ppp.secret's form: a subscriber for each user, in the order of their names
	Service      string        `json:"service,omitempty"`      // that they ask for; "": any
	Concentrator string        `json:"concentrator,omitempty"` // the name of the one that they take; "": any
	Rate         int           `json:"rate,omitempty"`         // that come, or leave, in a second at most; 0: as InFlight allows
	InFlight     int           `json:"in_flight,omitempty"`    // that come, or leave, at a time: 50
	Echo         time.Duration `json:"echo,omitempty"`         // between two questions of each whether the concentrator is alive: 30 s
	Network      netip.Addr    `json:"network"`                // of 64 bits, of their IPv6 addresses; not valid: fe80::
	Urgent       bool          `json:"urgent,omitempty"`       // whether they share their CPUs with a generator, which would leave them none
}

// SubscribersReport is how subscribers stand.
type SubscribersReport struct {
	Asked    int            `json:"asked"` // how many there are
	Up       int            `json:"up"`    // that have a session
	Left     int            `json:"left,omitempty"`
	Failed   map[string]int `json:"failed,omitempty"` // to come, by the reason
	Lost     map[string]int `json:"lost,omitempty"`   // sessions that ended by themselves, by the reason
	Took     time.Duration  `json:"took"`             // from the first that came, or left, until the last one had
	Times    weir.Histogram `json:"times"`            // of each: from its first PADI until both network protocols were up
	Missed   uint64         `json:"missed,omitempty"` // frames that came faster than they were read
	Unsent   uint64         `json:"unsent,omitempty"` // frames that the port did not take
	CPU      time.Duration  `json:"cpu"`              // of the process
	Protocol pppoe.Counts   `json:"protocol"`
}

// SubscribersServe are the settings of the role "subscribers-serve": a concentrator of
// many sessions at one port, which moves no datagrams. It can be asked to "count"
// (ServedReport), and for its "sessions" ([]frame.Session).
type SubscribersServe struct {
	Port    string        `json:"port"`
	Name    string        `json:"name"`              // of the concentrator
	Service string        `json:"service,omitempty"` // that it offers; "": any
	Secrets string        `json:"secrets"`           // of ppp.secret's form
	Address netip.Addr    `json:"address"`           // its own, IPv4
	Pool    netip.Addr    `json:"pool"`              // the first address for users who have none of their own; not valid: there is no pool
	Size    int           `json:"size,omitempty"`    // addresses of the pool
	Most    int           `json:"most,omitempty"`    // sessions at a time: as many as there are ids
	Offers  int           `json:"offers,omitempty"`  // PADIs that are answered in a second: 200,000
	Echo    time.Duration `json:"echo,omitempty"`    // between two questions whether a client is alive: 30 s
	Network netip.Addr    `json:"network"`           // as that of Subscribers
}

// ServedReport is how a concentrator stands.
type ServedReport struct {
	Sessions int           `json:"sessions"`
	Heap     uint64        `json:"heap"` // octets that its process has in use, of which the memory of sessions is a part
	Missed   uint64        `json:"missed,omitempty"`
	Unsent   uint64        `json:"unsent,omitempty"`
	CPU      time.Duration `json:"cpu"`
	Protocol pppoe.Counts  `json:"protocol"`
}

// Fault is how often an end has met what should not have been.
type Fault = pppoe.Fault

// usualOffers is how many PADIs are answered in a second: more than there are hosts, and
// less than takes a CPU.
const usualOffers = 200_000

// linkLocal is the network of addresses that every interface has.
var linkLocal = netip.MustParseAddr("fe80::")

// clients are what the settings ask for.
func (s Subscribers) clients(payload uint16) ([]pppoe.ClientConfig, error) {
	secrets, err := pppoe.ParseSecrets(s.Secrets)
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	first, err := net.ParseMAC(s.First)
	if err != nil || len(first) != 6 || first[0]&1 != 0 {
		return nil, fmt.Errorf("%q is no Ethernet address of a host", s.First)
	}
	if len(secrets) == 0 || len(secrets) > 1<<16 {
		return nil, errors.New("there are 1 to 65,536 subscribers")
	}
	at := binary.BigEndian.Uint64(append([]byte{0, 0}, first...))
	var out []pppoe.ClientConfig
	for i, user := range slices.Sorted(maps.Keys(secrets)) {
		mac := binary.BigEndian.AppendUint64(nil, at+uint64(i))
		out = append(out, pppoe.ClientConfig{
			MAC: pppoe.MAC(mac[2:]), Service: s.Service, AC: s.Concentrator, MaxPayload: payload,
			Link: pppoe.Config{Allow: []pppoe.Protocol{pppoe.CHAP, pppoe.PAP}, User: user, Secret: secrets[user].Password,
				IPv4: true, IPv6: true, Echo: orUsual(s.Echo)},
		})
	}
	return out, nil
}

func orUsual(echo time.Duration) time.Duration {
	if echo > 0 {
		return echo
	}
	return accessEcho
}
