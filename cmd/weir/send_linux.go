package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/frame"
	"weir/internal/campaign"
	"weir/internal/tester"
)

// sending are the flags of "weir send".
type sending struct {
	dev, mac, rate, src, dst, protocol string
	seconds                            float64
	size, flows, cpu                   int
	vlans                              []int
	stream                             uint8
	seed                               uint64
	permission                         permission
}

func sendVerb(a *app) *cobra.Command {
	var s sending
	cmd := &cobra.Command{
		Use:   "send --dev PORT --dst-mac MAC --rate RATE|max --seconds S --size N",
		Short: "Send test frames through one port",
		Long: `Send test frames through one port of the network namespace that weir runs in,
at a rate or as fast as it goes, and print what the port's driver took.

The frames carry a signature that "weir recv" recognises. Without --dst and
--src they go from 198.18.0.2 to 198.19.0.2.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.config()
			if err != nil {
				return usageError{err}
			}
			if err := needRoot(); err != nil {
				return err
			}
			d := c.Traffic.Forward.Destination
			if err := s.permission.refuse(s.dev, d.First, lastOf(d)); err != nil {
				return err
			}
			r, err := tester.Send(cmd.Context(), c)
			if err != nil {
				return err
			}
			if a.format == "json" {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "intended %d\nsent     %d frames in %.3f s, %.0f frames/s\nerrors   %d\n", r.Intended, r.Sent, r.Seconds, r.Rate, r.Errors)
			for _, w := range r.Warnings {
				fmt.Fprintf(a.err, "weir: %s: %s\n", w.Code, w.Text)
			}
			if r.Short {
				fmt.Fprintf(a.err, "weir: %d frames fewer than intended were sent; the longest stall was %.3f ms\n", r.Intended-r.Sent, r.Stall*1e3)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.dev, "dev", "", "port to send through")
	f.StringVar(&s.mac, "dst-mac", "", "Ethernet address of the next hop")
	f.StringVar(&s.rate, "rate", "", `frames/s, as 50000, 500k or 1.2M, or "max"`)
	f.Float64Var(&s.seconds, "seconds", 1, "how long")
	f.IntVar(&s.size, "size", 64, "octets of a frame, with the FCS")
	f.StringVar(&s.src, "src", "", "source address (default the tester's of the test network)")
	f.StringVar(&s.dst, "dst", "", "destination address, IPv4 or IPv6 (default 198.19.0.2)")
	f.IntVar(&s.flows, "flows", 1, "distinct pairs of ports, random (RFC 4814)")
	f.StringVar(&s.protocol, "protocol", "udp", "udp or tcp")
	f.IntSliceVar(&s.vlans, "vlan", nil, "VLAN IDs, outermost first, at most two")
	f.IntVar(&s.cpu, "cpu", 0, "CPU that sends")
	f.Uint8Var(&s.stream, "stream", 0, "identity of the stream, 0 to 63, for telling several senders apart")
	f.Uint64Var(&s.seed, "seed", 1, "of the random ports and the payload")
	f.BoolVar(&s.permission.defaultRoute, "allow-default-route", false, "also through the port of the machine's default route")
	f.BoolVar(&s.permission.anyDestination, "allow-any-destination", false, "also to addresses outside of 198.18.0.0/15 and 2001:2::/48")
	for _, required := range []string{"dev", "dst-mac", "rate"} {
		cmd.MarkFlagRequired(required)
	}
	return cmd
}

// config checks the flags.
func (s sending) config() (tester.SendConfig, error) {
	c := tester.SendConfig{Port: s.dev, CPU: s.cpu, Stream: s.stream}
	var err error
	if c.To, err = net.ParseMAC(s.mac); err != nil || len(c.To) != 6 {
		return c, fmt.Errorf("--dst-mac %q is no Ethernet address such as 02:00:00:00:00:01", s.mac)
	}
	if s.rate != "max" {
		if c.Rate, err = campaign.ParseRate(s.rate); err != nil {
			return c, fmt.Errorf("--rate: %w, or max", err)
		}
	}
	if !(s.seconds > 0) || s.seconds > 1e6 || math.IsNaN(s.seconds) {
		return c, fmt.Errorf("--seconds %v is not above 0 and at most 1000000", s.seconds)
	}
	if s.stream >= 64 {
		return c, fmt.Errorf("--stream %d is not below 64", s.stream)
	}
	c.Duration = time.Duration(s.seconds * float64(time.Second))
	c.Traffic, err = s.traffic()
	return c, err
}

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
	var src, dst netip.Addr
	var err error
	if s.dst != "" {
		if dst, err = netip.ParseAddr(s.dst); err != nil {
			return t, fmt.Errorf("--dst: %w", err)
		}
	}
	if s.src != "" {
		if src, err = netip.ParseAddr(s.src); err != nil {
			return t, fmt.Errorf("--src: %w", err)
		}
	}
	if dst.Is6() || (s.dst == "" && src.Is6()) {
		t.Family = weir.IPv6
	}
	t.Forward, t.Reverse = frame.DefaultStreams(t.Family)
	if src.IsValid() {
		t.Forward.Source.First = src
	}
	if dst.IsValid() {
		t.Forward.Destination.First = dst
	}
	if src.IsValid() && dst.IsValid() && src.Is4() != dst.Is4() {
		return t, errors.New("--src and --dst are of different families")
	}
	_, err = frame.LayoutOf(t)
	return t, err
}

// lastOf is the highest address of a set.
func lastOf(s weir.AddressSet) netip.Addr {
	a := s.First
	for range s.Count - 1 {
		a = a.Next()
	}
	return a
}
