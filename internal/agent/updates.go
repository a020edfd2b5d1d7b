package agent

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// updates makes UPDATE messages with as many routes in each as it holds: a
// table of 500,000 takes 700 messages, which a peer reads in no time.
type updates struct {
	family  bgp.Family
	nextHop netip.Addr
}

// updateRoom is how many octets the prefixes of one message may take: what the
// header and the attributes leave, which take less than 100.
const updateRoom = bgp.BGP_MAX_MESSAGE_LENGTH - 100

// each calls f for each message that it takes to withdraw and to announce.
func (u updates) each(announce, withdraw []netip.Prefix, f func(*bgp.BGPMessage) error) error {
	for len(announce)+len(withdraw) > 0 {
		var gone, come []bgp.PathNLRI
		room := updateRoom
		gone, withdraw = fit(withdraw, &room)
		come, announce = fit(announce, &room)
		m, err := u.message(come, gone)
		if err != nil {
			return err
		}
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

func (u updates) message(announce, withdraw []bgp.PathNLRI) (*bgp.BGPMessage, error) {
	var attributes []bgp.PathAttributeInterface
	if u.family != bgp.RF_IPv4_UC && len(withdraw) > 0 {
		gone, err := bgp.NewPathAttributeMpUnreachNLRI(u.family, withdraw)
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, gone)
	}
	if len(announce) > 0 {
		if !u.nextHop.IsValid() {
			return nil, fmt.Errorf("there is no next hop for %v", announce[0].NLRI)
		}
		attributes = append(attributes, bgp.NewPathAttributeOrigin(bgp.BGP_ORIGIN_ATTR_TYPE_IGP),
			bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{TesterAS})}))
		var hop bgp.PathAttributeInterface
		var err error
		if u.family == bgp.RF_IPv4_UC {
			hop, err = bgp.NewPathAttributeNextHop(u.nextHop)
		} else {
			hop, err = bgp.NewPathAttributeMpReachNLRI(u.family, announce, u.nextHop)
		}
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, hop)
	}
	if u.family != bgp.RF_IPv4_UC {
		announce, withdraw = nil, nil
	}
	return bgp.NewBGPUpdateMessage(withdraw, attributes, announce), nil
}

// fit takes as many prefixes as there is room for.
func fit(prefixes []netip.Prefix, room *int) (taken []bgp.PathNLRI, left []netip.Prefix) {
	for i, p := range prefixes {
		size := 1 + (p.Bits()+7)/8
		if size > *room {
			return taken, prefixes[i:]
		}
		*room -= size
		nlri, err := bgp.NewIPAddrPrefix(p)
		if err != nil {
			continue // a zero Prefix is no route
		}
		taken = append(taken, bgp.PathNLRI{NLRI: nlri})
	}
	return taken, nil
}

// only are the prefixes of one family.
func only(family bgp.Family, prefixes []netip.Prefix) []netip.Prefix {
	other := func(p netip.Prefix) bool { return p.Addr().Is4() != (family == bgp.RF_IPv4_UC) }
	if !slices.ContainsFunc(prefixes, other) {
		return prefixes // as usual
	}
	return slices.DeleteFunc(slices.Clone(prefixes), other)
}

func hopOf(family bgp.Family, hops []netip.Addr) netip.Addr {
	for _, h := range hops {
		if h.Is4() == (family == bgp.RF_IPv4_UC) {
			return h
		}
	}
	return netip.Addr{}
}
