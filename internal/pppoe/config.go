package pppoe

import (
	"cmp"
	"crypto/rand"
	"net/netip"
	"time"
)

// Config is how an end of a link behaves. Zero values of the first group are
// the defaults of RFC 1661 section 4.6.
type Config struct {
	Restart      time.Duration // of the Restart timer: 3 s
	MaxConfigure int           // Configure-Requests, challenges and PAP's requests without an answer: 10
	MaxTerminate int           // 2
	MaxFailure   int           // Configure-Naks without a Configure-Ack: 5

	MRU          uint16        // that this end asks for, at most what the frames below can carry; 0: just that
	Echo         time.Duration // between Echo-Requests, of which the first comes earlier by chance; 0: none are sent
	EchoFailures int           // Echo-Requests without a reply until the peer is dead: 3

	Demand  []Protocol // by which the peer is to prove who it is, the most wanted first: CHAP, PAP; none: it need not
	Secrets Secrets    // of peers
	Allow   []Protocol // by which this end proves who it is
	User    string     // who it is, also to peers that are challenged
	Secret  string

	IPv4       bool
	Address    netip.Addr   // of this end; not valid: the peer is asked for one
	AskDNS     bool         // the peer is asked for name servers
	DNS        []netip.Addr // that the peer is told, two at most
	IPv6       bool
	Identifier [8]byte // of this end's interface; zero: a random one

	Random func([]byte) // fills with random octets; nil: of the system
}

func (c Config) withDefaults() *Config {
	c.Restart = cmp.Or(c.Restart, 3*time.Second)
	c.MaxConfigure, c.MaxTerminate = cmp.Or(c.MaxConfigure, 10), cmp.Or(c.MaxTerminate, 2)
	c.MaxFailure, c.EchoFailures = cmp.Or(c.MaxFailure, 5), cmp.Or(c.EchoFailures, 3)
	if c.Random == nil {
		c.Random = func(b []byte) { rand.Read(b) } // never fails
	}
	return &c
}

// Identifier is the interface identifier that an Ethernet address makes (RFC
// 5072 section 4.1).
func (m MAC) Identifier() [8]byte {
	return [8]byte{m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]}
}
