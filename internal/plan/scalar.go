package plan

import (
	"fmt"
	"net/netip"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// asWritten is any word.
var asWritten = schema.Word[string]{Read: func(s string) (string, error) { return s, nil }, Shape: schema.Line.Shape}

// overload is a load that may be above what it is a share of.
var overload = schema.Custom(schema.Percentage, func(s string) (float64, error) {
	v, err := schema.Percents.Read(s)
	if err == nil && (v == 0 || v > mostLoad) {
		err = fmt.Errorf("%s is no load: above 0%% to %d%%", s, mostLoad*100)
	}
	return v, err
})

// span is two frame sizes with a dash: 350-550.
var span = schema.Custom(schema.Text, func(s string) ([2]weir.Size, error) {
	low, high, ok := strings.Cut(s, "-")
	first, err1 := schema.Int.Read(strings.TrimSpace(low))
	last, err2 := schema.Int.Read(strings.TrimSpace(high))
	if ok && err1 == nil && err2 == nil && last < first {
		return [2]weir.Size{}, fmt.Errorf("%q has its bounds swapped: %d-%d", s, last, first)
	}
	if !ok || err1 != nil || err2 != nil || first == 0 || last > frame.MaxSize {
		return [2]weir.Size{}, fmt.Errorf("%q is no range of frame sizes such as 350-550", s)
	}
	return [2]weir.Size{weir.Size(first), weir.Size(last)}, nil
})

// octets is a frame size; whether frames of it can be made is for the frame package to say.
var octets = schema.Custom(schema.Whole, func(s string) (int, error) {
	v, err := schema.Int.Read(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no frame size: octets with the FCS such as 64, imix, or {name: mymix, genome: aaad}", s)
	}
	return v, nil
})

// etherType is that of a VLAN tag.
var etherType = schema.Custom(schema.Whole, func(s string) (uint16, error) {
	v, err := schema.Uint16.Read(s)
	if err == nil && v != 0x8100 && v != 0x88a8 {
		err = fmt.Errorf("%s is no tag: 0x8100 (802.1Q) or 0x88a8 (802.1ad)", s)
	}
	return v, err
})

func parseAddress(s string, family weir.Family) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%q is not an address of %s", s, family)
	}
	if a.Is4() != (family == weir.IPv4) {
		return netip.Addr{}, fmt.Errorf("%s is not an address of %s, the family of this traffic", s, family)
	}
	return a, nil
}
