package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
	"golang.zx2c4.com/wireguard/tun"
)

// tunFile makes tap and tun devices.
const tunFile = "/dev/net/tun"

// Tap makes a tap device in the calling thread's namespace: a port whose other end is
// whoever reads and writes the files, one for each of its queues. It is there until nobody
// has one of the files any more. Frames have the header of virtio before them there
// (struct virtio_net_hdr).
func Tap(name string, queues int) (files []*os.File, err error) {
	kind := uint16(unix.IFF_TAP | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
	if queues > 1 {
		kind |= unix.IFF_MULTI_QUEUE
	}
	for range queues {
		fd, err := tapQueue(name, kind)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files = append(files, os.NewFile(uintptr(fd), tunFile))
	}
	return files, nil
}

// TunDevice is a port for packets, whose other end is whoever reads and writes it.
type TunDevice = tun.Device

// Tun makes one in the calling thread's namespace. It is there until it is closed. Packets
// come and go one by one; or, if the kernel is to hand over and take several segments of TCP
// or UDP as one, as it does at the ports of network cards, as many as they are cut into then.
func Tun(name string, segments bool) (TunDevice, error) {
	kind := uint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if segments {
		kind |= unix.IFF_VNET_HDR
	}
	fd, err := tapQueue(name, kind)
	if err != nil {
		return nil, err
	}
	device, _, err := tun.CreateUnmonitoredTUNFromFD(fd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("use the device %s: %w", name, err), unix.Close(fd))
	}
	if segments {
		if err := MostSegments(name, device.BatchSize()); err != nil {
			return nil, errors.Join(err, device.Close())
		}
	}
	return device, nil
}

// tapQueue makes a tap or tun device, or adds a queue to the one of that name.
func tapQueue(name string, kind uint16) (int, error) {
	fail := func(err error) (int, error) {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			err = fmt.Errorf("%w: is the kernel's module tun there (modprobe tun)", err)
		}
		return -1, fmt.Errorf("make the device %s: %w", name, err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return fail(err)
	}
	fd, err := unix.Open(tunFile, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", tunFile, err))
	}
	request.SetUint16(kind)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return fail(errors.Join(err, unix.Close(fd)))
	}
	return fd, nil
}
