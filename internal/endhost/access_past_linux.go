package endhost

import (
	"fmt"
	"net/netip"
	"os"
	"strings"

	"weir/internal/netif"
	"weir/internal/pppoe"
	"weir/internal/xdp"
)

// accessPast is the way of data frames past the process of an end; nil: there is none.
type accessPast struct{ way *xdp.Access }

// openPast attaches it. A client has one session at a time, which all that is sent goes
// through.
func openPast(a Access, client bool) (*accessPast, error) {
	if a.XDP == nil {
		return nil, nil
	}
	if err := loose(a.Port); err != nil {
		return nil, err
	}
	// The length of each frame of PPPoE is in its header: nobody may make several of one later.
	if err := netif.MostSegments(a.Device, 1); err != nil {
		return nil, err
	}
	way, err := xdp.NewAccess(xdp.AccessConfig{Port: a.XDP.Port, Line: a.Port, Device: a.Device, Routed: a.XDP.Routed, Single: client})
	if err != nil {
		return nil, err
	}
	return &accessPast{way}, nil
}

// loose refuses a port that takes no packet from a source that leads elsewhere (RFC 3704
// section 2.2): those that come out of a session come by the port, and what goes back
// leaves by the device. IPv4 alone has such a check.
func loose(port string) error {
	most := ""
	for _, at := range []string{"all", port} {
		value, err := os.ReadFile("/proc/sys/net/ipv4/conf/" + at + "/rp_filter")
		if err != nil {
			return fmt.Errorf("ask how %s checks source addresses: %w", port, err)
		}
		most = max(most, strings.TrimSpace(string(value)))
	}
	if most == "1" {
		return fmt.Errorf("%s takes no packets from addresses that lead elsewhere, as those out of sessions do: sysctl net.ipv4.conf.%[1]s.rp_filter=2", port)
	}
	return nil
}

// begin has a session's data frames go that way, and what is sent to some addresses.
func (p *accessPast) begin(f *pppoe.Frame, addresses []netip.Addr) error {
	if p == nil {
		return nil
	}
	return p.way.Add(xdp.Session{Peer: f.Dst, ID: f.ID}, addresses...)
}

// end has them go to the process again.
func (p *accessPast) end(f *pppoe.Frame, addresses []netip.Addr) error {
	if p == nil {
		return nil
	}
	return p.way.Remove(xdp.Session{Peer: f.Dst, ID: f.ID}, addresses...)
}

// count adds what went that way.
func (p *accessPast) count(c *AccessCounts) error {
	if p == nil {
		return nil
	}
	past, err := p.way.Counts()
	c.XDP = &past
	c.Sent += past.In
	c.Received += past.Out
	return err
}

func (p *accessPast) close() error {
	if p == nil {
		return nil
	}
	return p.way.Close()
}
