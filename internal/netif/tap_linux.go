package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// tunFile makes tap devices.
const tunFile = "/dev/net/tun"

// Tap makes a tap device in the calling thread's namespace: a port whose other end is
// whoever reads and writes the file. It is there until nobody has the file any more.
// Frames have the header of virtio before them there (struct virtio_net_hdr).
func Tap(name string) (*os.File, error) {
	fail := func(err error) (*os.File, error) {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			err = fmt.Errorf("%w: is the kernel's module tun there (modprobe tun)", err)
		}
		return nil, fmt.Errorf("make the tap device %s: %w", name, err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return fail(err)
	}
	fd, err := unix.Open(tunFile, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", tunFile, err))
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return fail(errors.Join(err, unix.Close(fd)))
	}
	return os.NewFile(uintptr(fd), tunFile), nil
}
