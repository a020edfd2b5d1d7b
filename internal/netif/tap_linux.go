package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
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
		f, err := tapQueue(name, kind)
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Tun makes a tun device in the calling thread's namespace: a port for packets, whose other
// end is whoever reads and writes the file, a packet each time. It is there until nobody has
// the file any more.
func Tun(name string) (*os.File, error) { return tapQueue(name, unix.IFF_TUN|unix.IFF_NO_PI) }

// tapQueue makes a tap or tun device, or adds a queue to the one of that name.
func tapQueue(name string, kind uint16) (*os.File, error) {
	fail := func(err error) (*os.File, error) {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			err = fmt.Errorf("%w: is the kernel's module tun there (modprobe tun)", err)
		}
		return nil, fmt.Errorf("make the device %s: %w", name, err)
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
	return os.NewFile(uintptr(fd), tunFile), nil
}
