package netif

import (
	"errors"
	"fmt"

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

// driverCounters are the driver statistics of a port of the calling thread's namespace;
// none where it has none.
func driverCounters(name string) (Counters, error) {
	d, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	defer d.close()
	c, err := d.statistics()
	if err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, fmt.Errorf("read the driver's counters of %s: %w", name, err)
	}
	return c, nil
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
