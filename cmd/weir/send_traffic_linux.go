package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"weir"
	"weir/frame"
)

// traffic is what the flags say of the frames.
func (s sending) traffic() (weir.Traffic, error) {
	t := weir.Traffic{
		Name: fmt.Sprint(s.size), Sizes: []weir.Size{weir.Size(s.size)}, Family: weir.IPv4,
		Protocol: weir.Protocol(strings.ToLower(s.protocol)), Flows: s.flows, Seed: s.seed,
	}
	for _, id := range s.vlans {
		if id < 0 || id > 4094 {
			return t, fmt.Errorf("--vlan %d is not a VLAN ID, 0 to 4094", id)
		}
		t.VLANs = append(t.VLANs, weir.VLAN{TPID: 0x8100, ID: uint16(id)})
	}
	src, err := addresses("--src", s.src)
	if err != nil {
		return t, err
	}
	dst, err := addresses("--dst", s.dst)
	if err != nil {
		return t, err
	}
	if dst.First.Is6() || (s.dst == "" && src.First.Is6()) {
		t.Family = weir.IPv6
	}
	t.Forward, t.Reverse = frame.DefaultStreams(t.Family)
	if s.src != "" {
		t.Forward.Source = src
	}
	if s.dst != "" {
		t.Forward.Destination = dst
	}
	if s.src != "" && s.dst != "" && src.First.Is4() != dst.First.Is4() {
		return t, errors.New("--src and --dst are of different families")
	}
	if all := frame.FlowsFor(t.Forward); !s.flowsSaid {
		t.Flows = all
	} else if t.Flows > 0 && t.Flows < all {
		return t, fmt.Errorf("--flows %d: there are %d addresses, and those beyond the first %d would never be sent; ask for %d flows or more, or leave --flows out",
			t.Flows, all, t.Flows, all)
	}
	_, err = frame.LayoutOf(t)
	return t, err
}

// addresses reads one address, or as "A+N" the N addresses from A on.
func addresses(flag, text string) (weir.AddressSet, error) {
	set := weir.AddressSet{Count: 1, Order: weir.Fixed}
	if text == "" {
		return set, nil
	}
	first, count, several := strings.Cut(text, "+")
	var err error
	if set.First, err = netip.ParseAddr(first); err != nil {
		return set, fmt.Errorf("%s %s: %q is neither an address nor, as 198.18.0.2+1000, the first of a number of addresses", flag, text, first)
	}
	if !several {
		return set, nil
	}
	set.Count, err = strconv.Atoi(count)
	if err != nil || set.Count < 1 || set.Count > frame.MaxFlows {
		return set, fmt.Errorf("%s %s: the number of addresses, %q, is not between 1 and %d", flag, text, count, frame.MaxFlows)
	}
	if set.Count > 1 {
		set.Order = weir.Increment
	}
	return set, nil
}
