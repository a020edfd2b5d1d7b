package lab

import (
	"fmt"

	"weir/internal/netif"
)

// medium is what a port says of what is plugged into it.
type medium struct {
	port string
	netif.Medium
}

// linkRate is what the medium carries: what the plan says, or else the ports.
func (l *portsLab) linkRate() (float64, error) {
	if l.machine != nil {
		return l.plan.Testbed.Link, nil // a tap has none, whatever it says
	}
	var all []medium
	for _, port := range l.bed.TestPorts() {
		_ = l.bed.Do(port.Tester, func() error {
			all = append(all, medium{port.Tester, netif.MediumOf(port.Tester)})
			return nil
		})
	}
	return agreed(l.plan.Testbed.Link, all)
}

// agreed is the rate of a link: what the plan says (0: nothing), which no port may lack,
// or else what all ports have that say it.
func agreed(link float64, all []medium) (rate float64, err error) {
	for _, m := range all {
		switch {
		case m.Half:
			return 0, fmt.Errorf("port %s is half duplex, so that frames one way hold up those the other way: have both ends of its cable negotiate (ethtool -s %s autoneg on), or set both to full duplex", m.port, m.port)
		case link > 0 && m.Rate > 0 && m.Rate < link:
			return 0, fmt.Errorf("port %s has %g Mbit/s, and the plan says %g Mbit/s (link): is it the right cable, and what does its other end offer? Mend that, or say testbed: {link: auto}", m.port, m.Rate/1e6, link/1e6)
		case link == 0 && m.Rate > 0 && rate > 0 && m.Rate != rate:
			return 0, fmt.Errorf("port %s has %g Mbit/s and another one %g Mbit/s: give both ends of the cables the same, or say which one counts (testbed: {link: %gM})",
				m.port, m.Rate/1e6, rate/1e6, min(m.Rate, rate)/1e6)
		}
		rate = max(m.Rate, rate)
	}
	if link > 0 {
		return link, nil
	}
	return rate, nil
}
