package netif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests of ethtool(8) that x/sys has no names for, and the sets of
// strings: <linux/ethtool.h> has them.
const (
	setStatistics = 1 // ETH_SS_STATS
	setFeatures   = 4 // ETH_SS_FEATURES

	stringSize = 32 // ETH_GSTRING_LEN
)

// device is a port of the namespace that it was opened in, as the requests of
// ethtool(8) know it.
type device struct {
	fd   int
	name string
}

func openDevice(name string) (device, error) {
	if len(name) >= unix.IFNAMSIZ {
		return device{}, fmt.Errorf("%s is too long a name for a port", name)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	return device{fd, name}, err
}

func (d device) close() { unix.Close(d.fd) }

// ask does a request: the kernel reads and writes the octets of message. A pointer
// to these is handed over as one, so that it holds wherever they are. (A library
// that was used here before handed numbers over, which point nowhere once the stack
// has grown.) Of some requests the kernel answers that it did them in part.
func (d device) ask(message []byte) error {
	request := struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		rest [16]byte // of a struct ifreq
	}{data: unsafe.Pointer(&message[0])}
	copy(request.name[:], d.name)
	answer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(d.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request)))
	runtime.KeepAlive(message)
	switch {
	case errno != 0:
		return errno
	case answer != 0:
		return errInPart
	}
	return nil
}

var errInPart = errors.New("the driver does it in part only")

// strings are the names of a set; none where the driver has none.
func (d device) strings(set uint32) ([]string, error) {
	count := make([]byte, 20) // struct ethtool_sset_info with room for one length
	binary.NativeEndian.PutUint32(count, unix.ETHTOOL_GSSET_INFO)
	binary.NativeEndian.PutUint64(count[8:], 1<<set)
	if err := d.ask(count); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint64(count[8:]) == 0 {
		return nil, nil // there is no such set
	}
	n := int(binary.NativeEndian.Uint32(count[16:]))
	names := make([]byte, 12+n*stringSize) // struct ethtool_gstrings
	binary.NativeEndian.PutUint32(names, unix.ETHTOOL_GSTRINGS)
	binary.NativeEndian.PutUint32(names[4:], set)
	binary.NativeEndian.PutUint32(names[8:], uint32(n))
	if err := d.ask(names); err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i := range out {
		name, _, _ := bytes.Cut(names[12+i*stringSize:][:stringSize], []byte{0})
		out[i] = string(name)
	}
	return out, nil
}

// features are whether each offload is on.
func (d device) features() (map[string]bool, error) {
	names, err := d.strings(setFeatures)
	if err != nil {
		return nil, err
	}
	const head, block, active = 8, 16, 8 // of struct ethtool_gfeatures, and of its blocks
	blocks := (len(names) + 31) / 32
	m := make([]byte, head+blocks*block)
	binary.NativeEndian.PutUint32(m, unix.ETHTOOL_GFEATURES)
	binary.NativeEndian.PutUint32(m[4:], uint32(blocks))
	if err := d.ask(m); err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(names))
	for i, name := range names {
		if name != "" {
			out[name] = binary.NativeEndian.Uint32(m[head+i/32*block+active:])>>(i%32)&1 == 1
		}
	}
	return out, nil
}

// setFeature turns an offload on or off.
func (d device) setFeature(feature string, on bool) error {
	names, err := d.strings(setFeatures)
	if err != nil {
		return err
	}
	const head, block = 8, 8 // of struct ethtool_sfeatures, and of its blocks
	blocks := (len(names) + 31) / 32
	for i, name := range names {
		if name != feature {
			continue
		}
		m := make([]byte, head+blocks*block)
		binary.NativeEndian.PutUint32(m, unix.ETHTOOL_SFEATURES)
		binary.NativeEndian.PutUint32(m[4:], uint32(blocks))
		at, bit := m[head+i/32*block:], uint32(1)<<(i%32)
		binary.NativeEndian.PutUint32(at, bit) // what is meant
		if on {
			binary.NativeEndian.PutUint32(at[4:], bit) // what is wanted of it
		}
		return d.ask(m)
	}
	return errors.New("its driver has no such offload")
}

// statistics are the driver's counters. Some drivers give those of all queues one name:
// these are added.
func (d device) statistics() (map[string]uint64, error) {
	names, err := d.strings(setStatistics)
	if err != nil {
		return nil, err
	}
	m := make([]byte, 8+8*len(names)) // struct ethtool_stats
	binary.NativeEndian.PutUint32(m, unix.ETHTOOL_GSTATS)
	binary.NativeEndian.PutUint32(m[4:], uint32(len(names)))
	if err := d.ask(m); err != nil {
		return nil, err
	}
	out := make(map[string]uint64, len(names))
	for i, name := range names {
		out[strings.TrimSpace(name)] += binary.NativeEndian.Uint64(m[8+8*i:])
	}
	return out, nil
}
