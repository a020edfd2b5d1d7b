package netif

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Sent is what a port's driver says of frames that it was given.
type Sent struct {
	Sent    uint64        // taken
	Refused uint64        // not taken
	Virtual bool          // what was refused found the ring at the other end of a virtual link full
	Late    time.Duration // how old the counters may be, beyond a moment
}

// Offered are the frames that were sent, also those that were lost as soon as they had
// left a virtual link.
func (s Sent) Offered() uint64 {
	if s.Virtual {
		return s.Sent + s.Refused
	}
	return s.Sent
}

// Virtual reports whether a port of the calling thread's namespace is an end
// of a virtual link, which has no transmit queue: what the other end's ring
// has no room for is lost, and its sender told so. A port without a driver, as lo is, is
// none.
func Virtual(name string) (bool, error) {
	d, _, err := readDriver(name)
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = nil
	}
	return d.virtual, err
}

// QueuesForXDP is how many of the queues that a port of the calling thread's namespace can
// have may be in use when an XDP program is attached in its driver.
func QueuesForXDP(name string, most int) (int, error) {
	d, _, err := readDriver(name)
	return d.queues(most), err
}

func (d driver) queues(most int) int {
	if d.half {
		return max(1, most/2)
	}
	return most
}

// RingsStay is why the rings of a port of the calling thread's namespace are better left
// as they are; "": they can be changed.
func RingsStay(name string) (string, error) {
	d, _, err := readDriver(name)
	return d.rings, err
}

func readDriver(name string) (d driver, known bool, err error) {
	said, err := Driver(name)
	if err != nil {
		return d, false, fmt.Errorf("find the driver of %s: %w", name, err)
	}
	d, known = driverOf(said)
	return d, known, nil
}

// ReadTransmitted reads how many frames the driver of a port of the calling
// thread's namespace has transmitted for sockets and the stack. Refused are
// those for which there was no room at the other end of a virtual link: they
// were sent, and lost there.
func ReadTransmitted(name string) (Sent, error) {
	d, _, err := readDriver(name)
	if err != nil {
		return Sent{}, err
	}
	s, err := linkStatistics(name)
	if err != nil {
		return Sent{}, err
	}
	return d.transmittedOf(s), nil
}

// transmittedOf is what the kernel's counters of a driver's port say of frames of sockets.
func (d driver) transmittedOf(s *netlink.LinkStatistics) Sent {
	sent := Sent{Sent: s.TxPackets, Virtual: d.virtual, Late: d.late}
	if d.virtual {
		sent.Refused = s.TxDropped
	}
	return sent
}

// ReadSent reads how many XDP frames the driver of a port of the calling
// thread's namespace has sent.
func ReadSent(name string) (Sent, error) {
	d, _, err := readDriver(name)
	if err != nil {
		return Sent{}, err
	}
	c, err := readCounters(name, d.sent, d.refused)
	if err != nil {
		return Sent{}, err
	}
	return d.sentOf(c), nil
}

// sentOf is what counters of a driver's port say of XDP frames.
func (d driver) sentOf(c Counters) Sent {
	out := Sent{Virtual: d.virtual, Late: d.late}
	var known bool
	if out.Sent, known = d.sent.of(c); !known {
		out.Sent, _ = kernelSent.of(c)
	}
	out.Refused, _ = d.refused.of(c)
	return out
}

// PortCounts are what a port has counted so far beside the frames that its receiver took;
// nothing where its driver does not count that.
type PortCounts struct {
	Missed uint64        `json:"missed"`         // frames that it had no room for
	Pause  uint64        `json:"pause"`          // PAUSE frames that came
	Late   time.Duration `json:"late,omitempty"` // how old what it says of missed frames may be
}

// ReadPortCounts reads those of a port of the calling thread's namespace.
func ReadPortCounts(name string) (PortCounts, error) {
	d, _, err := readDriver(name)
	if err != nil {
		return PortCounts{}, err
	}
	c, err := readCounters(name, d.missed, d.pause)
	pause, _ := d.pause.of(c)
	return PortCounts{Missed: d.missedOf(c), Pause: pause, Late: max(d.late, d.seldom)}, err
}

func (d driver) missedOf(c Counters) uint64 {
	n, known := d.missed.of(c)
	if !known && d.missed != "" {
		n, _ = kernelMissed.of(c)
	}
	return n
}

// CountersOf says which counters tell what a port of the calling thread's namespace has
// sent and missed, and what it does not count.
func CountersOf(name string) (string, error) {
	d, known, err := readDriver(name)
	if err != nil {
		return "", err
	}
	c, err := readCounters(name, d.sent, d.refused, d.missed, d.pause)
	return d.counters(known, c), err
}

func (d driver) counters(known bool, c Counters) string {
	said := d.counting(known, c)
	if _, there := d.refused.of(c); !there && d.refused != "" {
		said += fmt.Sprintf("; refused frames: not counted, it has no %s", d.refused)
	}
	if _, there := d.pause.of(c); !there && !d.virtual {
		said += "; PAUSE frames: not counted"
	}
	return said
}

// counting says where the counters are from that each port has in some way.
func (d driver) counting(known bool, c Counters) string {
	if !known {
		return fmt.Sprintf("of the kernel: the driver %s is not known", d.name)
	}
	for _, f := range []formula{d.sent, d.missed} {
		if _, there := f.of(c); !there && f != "" {
			return fmt.Sprintf("of the kernel: the driver %s has no %s", d.name, f)
		}
	}
	if d.tried == "" {
		return fmt.Sprintf("of the driver %s, by its source", d.name)
	}
	return "of the driver " + d.name
}

// readCounters reads what formulas need: the counters that all ports have, and the
// driver's, which take longer.
func readCounters(name string, needed ...formula) (Counters, error) {
	s, err := linkStatistics(name)
	if err != nil {
		return nil, err
	}
	all := Counters{
		ofKernel + "tx_packets": s.TxPackets, ofKernel + "tx_errors": s.TxErrors, ofKernel + "tx_dropped": s.TxDropped,
		ofKernel + "rx_dropped": s.RxDropped, ofKernel + "rx_missed_errors": s.RxMissedErrors,
	}
	for _, f := range needed {
		if f.asks() {
			own, err := driverCounters(name)
			maps.Copy(all, own)
			return all, err
		}
	}
	return all, nil
}
