package frame

import (
	"net"
	"net/netip"
)

// Session is a PPPoE session that is up (RFC 2516): what frames inside of it bear, and the
// addresses of the client at its end.
type Session struct {
	ID           uint16           // SESSION_ID; with both Ethernet addresses it tells sessions apart
	Client       net.HardwareAddr // of the subscriber
	Concentrator net.HardwareAddr
	IPv4         netip.Addr // of the client, by IPCP; not valid: it has none
	IPv6         netip.Addr // of the client, with the interface identifier of IPv6CP; not valid: it has none
}
