package frame

import (
	"errors"
	"fmt"
	"net/netip"

	"weir"
)

// Limits of a traffic. They keep a mistyped number from taking all memory.
const (
	MaxFlows     = 1 << 20 // of one traffic
	MaxAddresses = 1 << 24 // of one set
	MaxSize      = 65535   // octets with FCS of any frame, whatever sends it
)

const (
	maxTags = 2
	maxVLAN = 4094
	maxPCP  = 7

	tpidCustomer = 0x8100 // IEEE 802.1Q
	tpidService  = 0x88a8 // IEEE 802.1ad
)

// Validate says what keeps t from being sent by any tester: an error that names
// the field, or nil. Reverse is looked at when t is bidirectional only. Whether
// the sizes have room for the headers is LayoutOf's to say.
func Validate(t weir.Traffic) error {
	switch t.Family {
	case weir.IPv4, weir.IPv6:
	default:
		return fmt.Errorf("family %q is not known: use %s or %s", t.Family, weir.IPv4, weir.IPv6)
	}
	switch t.Protocol {
	case weir.UDP, weir.TCP:
	default:
		return fmt.Errorf("protocol %q is not known: use %s or %s", t.Protocol, weir.UDP, weir.TCP)
	}
	if err := validateSizes(t.Sizes); err != nil {
		return err
	}
	if err := validateTags(t.VLANs); err != nil {
		return err
	}
	if t.Flows < 1 || t.Flows > MaxFlows {
		return fmt.Errorf("flows: %d is not between 1 and %d", t.Flows, MaxFlows)
	}
	if err := validateStream(t, t.Forward); err != nil {
		return fmt.Errorf("forward: %w", err)
	}
	if !t.Bidirectional {
		return nil
	}
	if err := validateStream(t, t.Reverse); err != nil {
		return fmt.Errorf("reverse: %w", err)
	}
	return nil
}

func validateSizes(sizes []weir.Size) error {
	if len(sizes) == 0 {
		return errors.New("no frame sizes are given: at least one is needed")
	}
	for _, s := range sizes {
		if s < minSize || s > MaxSize {
			return fmt.Errorf("frame size %d is not between %d and %d octets (the FCS included)", s, minSize, MaxSize)
		}
	}
	return nil
}

func validateTags(tags []weir.VLAN) error {
	if len(tags) > maxTags {
		return fmt.Errorf("vlans: %d tags are more than %d", len(tags), maxTags)
	}
	for i, v := range tags {
		switch {
		case v.TPID != tpidCustomer && v.TPID != tpidService:
			return fmt.Errorf("vlans[%d]: TPID %#04x is not known: use %#x (802.1Q) or %#x (802.1ad)", i, v.TPID, tpidCustomer, tpidService)
		case v.ID > maxVLAN:
			return fmt.Errorf("vlans[%d]: id %d is above %d", i, v.ID, maxVLAN)
		case v.PCP > maxPCP:
			return fmt.Errorf("vlans[%d]: priority %d is above %d", i, v.PCP, maxPCP)
		}
	}
	return nil
}

func validateStream(t weir.Traffic, s weir.Stream) error {
	if err := validateAddresses(t.Family, s.Source); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if err := validateAddresses(t.Family, s.Destination); err != nil {
		return fmt.Errorf("destination: %w", err)
	}
	if err := validatePorts(s.SourcePort); err != nil {
		return fmt.Errorf("source port: %w", err)
	}
	if err := validatePorts(s.DestinationPort); err != nil {
		return fmt.Errorf("destination port: %w", err)
	}
	if c := combinations(s); c < t.Flows {
		return fmt.Errorf("%d flows are asked for, but the addresses and ports have only %d combinations in their orders: enlarge a set, or ask for fewer flows", t.Flows, c)
	}
	return nil
}

func validateAddresses(family weir.Family, s weir.AddressSet) error {
	if !ofFamily(s.First, family) {
		return fmt.Errorf("%v is not an address of family %s", s.First, family)
	}
	if s.First.Zone() != "" {
		return fmt.Errorf("%v has a zone: give the address alone", s.First)
	}
	if s.Count < 1 || s.Count > MaxAddresses {
		return fmt.Errorf("count %d is not between 1 and %d", s.Count, MaxAddresses)
	}
	if later(s.First, uint32(s.Count-1)).Less(s.First) {
		return fmt.Errorf("%d addresses from %v on go beyond the last address there is", s.Count, s.First)
	}
	return validateOrder(s.Order)
}

func validatePorts(s weir.PortSet) error {
	if s.Last < s.First {
		return fmt.Errorf("last %d is below first %d", s.Last, s.First)
	}
	return validateOrder(s.Order)
}

func validateOrder(o weir.Order) error {
	switch o {
	case weir.Fixed, weir.Increment, weir.Random:
		return nil
	}
	return fmt.Errorf("order %q is not known: use %s, %s or %s", o, weir.Fixed, weir.Increment, weir.Random)
}

// ofFamily is strict: an IPv4 address that is written as an IPv6 one would
// leave in headers of the wrong length.
func ofFamily(a netip.Addr, family weir.Family) bool {
	if family == weir.IPv6 {
		return a.Is6() && !a.Is4In6()
	}
	return a.Is4()
}
