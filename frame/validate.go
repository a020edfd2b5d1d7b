package frame

import (
	"errors"
	"fmt"
	"net/netip"

	"weir"
	"weir/fib"
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
// the field, or nil. A stream is looked at when frames go in its direction.
// Whether the sizes have room for the headers is LayoutOf's to say, and whether
// a capture can be read the builder's.
func Validate(t weir.Traffic) error {
	if err := validateSizes(t.Sizes); err != nil {
		return err
	}
	if t.Backward && t.Bidirectional {
		return errors.New("backward: the frames go in both directions (bidirectional), none of which is the only one: leave one of these out")
	}
	if t.Pairs < 0 || t.Pairs > MaxPairs {
		return fmt.Errorf("pairs: %d is not between 1 and %d", t.Pairs, MaxPairs)
	}
	if t.Arms < 0 || t.Arms > MaxPairs {
		return fmt.Errorf("arms: %d is not between 1 and %d", t.Arms, MaxPairs)
	}
	if t.Arms > 1 && (t.Pairs > 1 || t.Bidirectional) {
		return errors.New("arms: DUTs that stand side by side have a pair of ports each, and frames in one direction: leave pairs and bidirectional out")
	}
	if t.Broadcast < 0 || !(t.Broadcast <= maxBroadcast) {
		return fmt.Errorf("broadcast: %g of the frames is not between 0 and %g", t.Broadcast, maxBroadcast)
	}
	if err := validateSessions(t); err != nil {
		return err
	}
	if t.Replay != nil {
		return validateReplay(t)
	}
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
	if err := validateTags(t.VLANs); err != nil {
		return err
	}
	if flows := t.Flows * max(t.Pairs, 1); t.Flows < 1 || flows > MaxFlows {
		return fmt.Errorf("flows: %d is not between 1 and %d", flows, MaxFlows)
	}
	if t.Blend != nil && !isShare(t.Blend.Share) {
		return fmt.Errorf("blend: %g is no share of the frames: it has to be between 0 and 1", t.Blend.Share)
	}
	if err := validateExtensions(t); err != nil {
		return err
	}
	if err := validateRoutes(t); err != nil {
		return err
	}
	for _, v := range variants(t) {
		if err := validateDirections(v.traffic); err != nil {
			if v.traffic.Family != t.Family {
				err = fmt.Errorf("blend: %w", err)
			}
			return err
		}
	}
	return nil
}

// validateDirections checks the streams of a variant.
func validateDirections(t weir.Traffic) error {
	for side, d := range []struct {
		name   string
		stream weir.Stream
		sent   bool
	}{{"forward", t.Forward, !t.Backward}, {"reverse", t.Reverse, t.Backward || t.Bidirectional}} {
		if !d.sent {
			continue
		}
		err := validateStream(directed(t, side), d.stream)
		if err == nil {
			err = validatePairs(t, t.Family, d.stream, side)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

// directed is a variant for the frames that leave from a side, 0 or 1, alone:
// its routes lead from side 0 to side 1.
func directed(t weir.Traffic, side int) weir.Traffic {
	if !routed(t, t.Family, side) {
		t.Routes = weir.RouteSet{}
	}
	return t
}

func validateRoutes(t weir.Traffic) error {
	if t.Routes == (weir.RouteSet{}) {
		return nil
	}
	if err := fib.Check(t.Routes); err != nil {
		return fmt.Errorf("routes: %w", err)
	}
	if t.Routes.Family != t.Family && t.Blend == nil {
		return fmt.Errorf("routes: they are of %s, but the frames are of %s", t.Routes.Family, t.Family)
	}
	return nil
}

func validateSizes(sizes []weir.Size) error {
	if len(sizes) == 0 {
		return errors.New("no frame sizes are given: at least one is needed")
	}
	if len(sizes) > MaxSizes {
		return fmt.Errorf("%d frame sizes are more than %d", len(sizes), MaxSizes)
	}
	for _, s := range sizes {
		if err := CheckSize(s); err != nil {
			return err
		}
	}
	return nil
}

// CheckSize says why there are no frames of a size, whatever is in them.
func CheckSize(s weir.Size) error {
	if s < minSize || s > MaxSize {
		return fmt.Errorf("frame size %d is not between %d and %d octets (the FCS included)", s, minSize, MaxSize)
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
	if routed(t, t.Family, 0) {
		s.Destination = weir.AddressSet{Count: MaxFlows, Order: weir.Increment} // each flow has one of its own
	} else if err := validateAddresses(t.Family, s.Destination); err != nil {
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
	if s.Stride < 0 {
		return fmt.Errorf("stride %d is below 0", s.Stride)
	}
	if !fits(s) {
		return fmt.Errorf("%d addresses from %v on, %d apart, go beyond the last address there is", s.Count, s.First, max(s.Stride, 1))
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
