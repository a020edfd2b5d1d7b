package tester

import (
	"context"
	"fmt"
	"slices"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// sender sends the frames of one thread, through one port or through several in
// turn.
type sender interface {
	// Run sends what the order asks and returns when that is done, when its
	// time is over, or when ctx ends, whichever is first. A run that ctx ended
	// is no error: Sent says how far it came.
	Run(ctx context.Context, o xdp.Order) (xdp.Sent, error)
	Close() error
}

// anchored is a sender whose runs begin sooner when it is attached to a port.
type anchored interface{ Anchor(port int) error }

// backend is a way to send.
type backend struct {
	name string // as in weir.TrialResult

	// open makes a sender in the calling thread's network namespace.
	open func(sides []xdp.Side, o xdp.GeneratorOptions) (sender, error)

	// left reads what the driver of a port in the calling thread's network
	// namespace says of the frames that this back end gave it.
	left func(port string) (netif.Sent, error)

	// refused is the counter of the frames that found the ring at the other end
	// of a virtual link full; the DUT has counters for these, or it has not.
	refused  string
	accounts bool
}

// The back ends: live frames wherever they can be had, because they are many
// times faster, packet sockets for the rest.
var (
	live = &backend{
		name: "xdp",
		open: openLive,
		left: netif.ReadSent, refused: "veth xdp_xmit_errors", accounts: true,
	}
	packet = &backend{
		name: "afpacket",
		open: func(sides []xdp.Side, o xdp.GeneratorOptions) (sender, error) { return newPacketSender(sides, o.Paced) },
		left: netif.ReadTransmitted, refused: "tx_dropped of the port that sends",
	}
)

// openLive makes the sender of live frames that these frames need.
func openLive(sides []xdp.Side, o xdp.GeneratorOptions) (sender, error) {
	if sides[0].Frames.Assorted() {
		return xdp.NewAssorted(sides, o)
	}
	return xdp.NewGenerator(sides, o)
}

// choose is the back end for a traffic, when live frames are missing for the
// given reason, or are not (nil).
func choose(t weir.Traffic, missing error) *backend {
	if missing != nil || slices.Max(t.Sizes) > xdp.MaxFrame {
		return packet
	}
	return live
}

// full returns the counter of frames that the ring at the other end of port i had no room
// for; one without a place where the DUT's own counters say so.
func (b *backend) full(i int, bypass bool) weir.Drop {
	switch {
	case bypass:
		return weir.Drop{Place: fmt.Sprintf("tester receive ring full (%s)", b.refused), Kind: weir.DropTester}
	case b.accounts:
		return weir.Drop{}
	}
	return weir.Drop{Place: fmt.Sprintf("dut port %d receive ring full (%s)", i, b.refused)}
}

// noneLeft says that a port's driver took none of the live frames it was given.
func noneLeft(port string) error {
	return &weir.UnsupportedError{
		Feature: "sending live frames through " + port,
		Remedy: "use a port whose driver transmits redirected frames (ndo_xdp_xmit), with its link up; " +
			"the other end of a veth needs NAPI: turn GRO on there (ethtool -K PEER gro on) or attach an XDP program",
	}
}

// behindDriver is the warning that a port receives in a slow way, as its driver has
// refused the program for a reason.
func behindDriver(port string, refused error) weir.Warning {
	return weir.Warn(weir.SlowBackend, "the driver of %s has no XDP, or none with its MTU or its queues (%v): frames are taken from it in generic mode, which loses them at a fraction of the rate that native XDP counts", port, refused)
}

// slow is the warning that packet sockets had to do what live frames would do
// better.
func slow(missing error) weir.Warning {
	return weir.Warn(weir.SlowBackend, "frames were sent through packet sockets, which reach a fraction of the rate of live frames: %v", missing)
}
