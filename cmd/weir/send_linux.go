package main

import (
	"fmt"
	"math"
	"net"
	"time"

	"github.com/spf13/cobra"

	"weir"
	"weir/frame"
	"weir/internal/lab"
	"weir/internal/schema"
	"weir/internal/settings"
	"weir/internal/tester"
	"weir/internal/xdp"
)

// sending are the flags of "weir send".
type sending struct {
	dev, mac, rate, src, dst, protocol string
	seconds                            float64
	size, flows                        int
	flowsSaid                          bool // otherwise there is one for each address
	cpus, vlans                        []int
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
--src they go from 198.18.0.2 to 198.19.0.2. Where either is a set, as
198.18.0.2+1000, flow after flow has the next address of it, and all of them
random ports. Several CPUs share the rate and the number of frames, each with
a stream of its own; each sends all flows.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.flowsSaid = cmd.Flags().Changed("flows")
			c, err := s.config()
			if err != nil {
				return usageError{err}
			}
			if err := lab.NeedLab(); err != nil {
				return err
			}
			if err := portHere(s.dev); err != nil {
				return err
			}
			d := c.Traffic.Forward.Destination
			if err := s.permission.refuse(s.dev, d.First, frame.LastOf(d)); err != nil {
				return err
			}
			var r tester.SendResult
			err = changing(cmd.Context(), func(h weir.Host, j *settings.Journal) (err error) {
				c.Host, c.Journal = h, j
				r, err = tester.Send(cmd.Context(), c)
				return err
			})
			if err != nil {
				return err
			}
			if a.format == "json" {
				return a.printJSON(r)
			}
			fmt.Fprintf(a.out, "flows    %d\nintended %d\nsent     %d frames in %.3f s, %.0f frames/s\nerrors   %d\n",
				r.Flows, r.Intended, r.Sent, r.Seconds, r.Rate, r.Errors)
			for _, m := range r.Missing {
				fmt.Fprintf(a.out, "missing  %d frames: %s\n", m.Frames, m.Why)
			}
			a.warn(r.Warnings)
			return nil
		},
	}
	a.printsJSON(cmd, "what was sent is")
	f := cmd.Flags()
	f.StringVar(&s.dev, "dev", "", "port to send through")
	f.StringVar(&s.mac, "dst-mac", "", "Ethernet address of the next hop")
	f.StringVar(&s.rate, "rate", "", `frames/s, as 50000, 500k or 1.2M, or "max"`)
	f.Float64Var(&s.seconds, "seconds", 1, "how long")
	f.IntVar(&s.size, "size", 64, "octets of a frame, with the FCS")
	f.StringVar(&s.src, "src", "", "source address, or N counted up from A as A+N (default the tester's of the test network)")
	f.StringVar(&s.dst, "dst", "", "destination address, IPv4 or IPv6, or A+N (default 198.19.0.2)")
	f.IntVar(&s.flows, "flows", 0, "distinct tuples of addresses and random ports (RFC 4814; default as many as the larger set has addresses)")
	f.StringVar(&s.protocol, "protocol", "udp", "udp or tcp")
	f.IntSliceVar(&s.vlans, "vlan", nil, "VLAN IDs, outermost first, at most two")
	f.IntSliceVar(&s.cpus, "cpu", []int{0}, "CPUs that send, sharing the rate")
	f.Uint8Var(&s.stream, "stream", 0, "identity of the first CPU's stream, 0 to 63, for telling several senders apart; each further CPU has the next")
	f.Uint64Var(&s.seed, "seed", 1, "of the random ports and the payload")
	f.BoolVar(&s.permission.defaultRoute, "allow-default-route", false, "also through a port that leads to the networks the machine lives on")
	f.BoolVar(&s.permission.anyDestination, "allow-any-destination", false, "also to addresses outside of 198.18.0.0/15 and 2001:2::/48")
	for _, required := range []string{"dev", "dst-mac", "rate"} {
		cmd.MarkFlagRequired(required)
	}
	return cmd
}

// warn tells of warnings.
func (a *app) warn(all []weir.Warning) {
	for _, w := range all {
		fmt.Fprintf(a.err, "weir: %s: %s\n", w.Code, w.Text)
	}
}

// config checks the flags.
func (s sending) config() (tester.SendConfig, error) {
	c := tester.SendConfig{Port: s.dev, CPUs: s.cpus, Stream: s.stream}
	err := nameCPUs(s.cpus)
	if err != nil {
		return c, err
	}
	if c.To, err = net.ParseMAC(s.mac); err != nil || len(c.To) != 6 {
		return c, fmt.Errorf("--dst-mac %q is no Ethernet address such as 02:00:00:00:00:01", s.mac)
	}
	if s.rate != "max" {
		if c.Rate, err = schema.Rate.Read(s.rate); err != nil {
			return c, fmt.Errorf("--rate: %w, or max", err)
		}
	}
	if !(s.seconds > 0) || s.seconds > 1e6 || math.IsNaN(s.seconds) {
		return c, fmt.Errorf("--seconds %v is not above 0 and at most 1000000", s.seconds)
	}
	if last := int(s.stream) + len(s.cpus) - 1; last >= xdp.Streams {
		return c, fmt.Errorf("--stream %d with %d CPUs: each of these sends a stream of its own, up to %d, but there are streams 0 to %d",
			s.stream, len(s.cpus), last, xdp.Streams-1)
	}
	c.Duration = time.Duration(s.seconds * float64(time.Second))
	c.Traffic, err = s.traffic()
	return c, err
}
