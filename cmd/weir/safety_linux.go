package main

import (
	"fmt"
	"net/netip"

	"weir/frame"
	"weir/internal/netif"
	"weir/internal/testbed"
)

// permission is what a user has to say in words before traffic leaves a lab.
type permission struct {
	defaultRoute   bool
	anyDestination bool
}

// refuse says why traffic to these addresses may not leave through this port.
// The ports of a lab that weir made are free: nothing is behind them but the
// lab.
func (p permission) refuse(port string, destinations ...netip.Addr) error {
	if own, err := testbed.OwnPort(port); err != nil || own {
		return err
	}
	if err := p.spare(port, "test traffic would flood the network behind it"); err != nil {
		return err
	}
	if !p.anyDestination {
		for _, d := range destinations {
			if !frame.TestNetwork(d) {
				return fmt.Errorf("refused: %s is outside of 198.18.0.0/15 and 2001:2::/48, the networks for benchmarks; "+
					"use addresses from there, or say --allow-any-destination", d)
			}
		}
	}
	return nil
}

// spare refuses a port that leads to the networks that this machine lives on, as
// what is to be done would hit them.
func (p permission) spare(port, what string) error {
	if p.defaultRoute {
		return nil
	}
	why, leads, err := netif.Uplink(port)
	if err != nil {
		return err
	}
	if leads {
		return fmt.Errorf("refused: %s %s, and %s; use another port, or say --allow-default-route", port, why, what)
	}
	return nil
}
