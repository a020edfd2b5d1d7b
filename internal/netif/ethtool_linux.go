package netif

import (
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// SetFeature turns an offload of a port on or off, by its kernel name
// ("rx-gro"), in the calling thread's namespace.
func SetFeature(name, feature string, on bool) error {
	d, err := openDevice(name)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.setFeature(feature, on); err != nil {
		return fmt.Errorf("set %s of %s to %v: %w", feature, name, on, err)
	}
	return nil
}

// Features are the offloads of a port, by kernel name.
func Features(name string) (map[string]bool, error) {
	d, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return d.features()
}

// Driver is the name of a port's driver.
func Driver(name string) (string, error) {
	d, err := openDevice(name)
	if err != nil {
		return "", err
	}
	defer d.close()
	info, err := unix.IoctlGetEthtoolDrvinfo(d.fd, name)
	if err != nil {
		return "", err
	}
	return unix.ByteSliceToString(info.Driver[:]), nil
}

// Counters are a port's driver statistics, by name.
type Counters map[string]uint64

// ReadCounters reads the driver statistics of a port of the calling thread's
// namespace.
func ReadCounters(name string) (Counters, error) {
	d, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	defer d.close()
	c, err := d.statistics()
	if err != nil {
		return nil, fmt.Errorf("read the driver's counters of %s: %w", name, err)
	}
	return c, nil
}

// Sum adds up all counters "<prefix>_<queue>_<suffix>".
func (c Counters) Sum(prefix, suffix string) uint64 {
	var sum uint64
	for name, v := range c {
		rest, ok := strings.CutPrefix(name, prefix+"_")
		if !ok {
			continue
		}
		if _, kind, ok := strings.Cut(rest, "_"); ok && kind == suffix {
			sum += v
		}
	}
	return sum
}

// Sent is what a port's driver says of redirected XDP frames.
type Sent struct {
	Sent    uint64 // taken
	Refused uint64 // not taken: on veth, the ring of the other end was full
}

// ReadSent reads how many XDP frames the driver of a port of the calling
// thread's namespace has sent.
func ReadSent(name string) (Sent, error) {
	driver, err := Driver(name)
	if err != nil {
		return Sent{}, fmt.Errorf("find the driver of %s: %w", name, err)
	}
	if driver != "veth" {
		s, err := linkStatistics(name)
		if err != nil {
			return Sent{}, err
		}
		return Sent{Sent: s.TxPackets, Refused: s.TxErrors + s.TxDropped}, nil
	}
	c, err := ReadCounters(name)
	if err != nil {
		return Sent{}, err
	}
	return Sent{Sent: c.Sum("tx_queue", "xdp_xmit"), Refused: c.Sum("tx_queue", "xdp_xmit_errors")}, nil
}

// ReadMissed reads how many frames did not fit into the receive rings of a
// port of the calling thread's namespace.
func ReadMissed(name string) (uint64, error) {
	s, err := linkStatistics(name)
	if err != nil {
		return 0, err
	}
	return s.RxDropped + s.RxMissedErrors + s.RxOverErrors, nil
}

func linkStatistics(name string) (*netlink.LinkStatistics, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("find interface %s: %w", name, err)
	}
	if link.Attrs().Statistics == nil {
		return nil, fmt.Errorf("interface %s has no statistics", name)
	}
	return link.Attrs().Statistics, nil
}
