package endhost

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir"
)

// ofLinux costs less than what every system has, and tells more.
var ofLinux = kernel{
	share: unix.SO_REUSEADDR,
	tcp:   linuxTCP,
	datagrams: func(size int) datagrams {
		b := newBatch(batchSize, size)
		return datagrams{b.buffers, func(i int) int { return int(b.messages[i].octets) }, b.send, b.receive}
	},
	reach: linuxReach,
	mtu: func(fd int, f weir.Family) (int, error) {
		if f == weir.IPv6 {
			return unix.GetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MTU)
		}
		return unix.GetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU)
	},
	whole: linuxWhole,
	room: func(fd int) error {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) == nil {
			return nil
		}
		// Without the right to more there is as much as everybody may have.
		return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	},
	drops: linuxDrops,
}

// linuxReach waits in the kernel, which is told how long.
func linuxReach(fd int, to unix.Sockaddr, limit time.Duration) error {
	err := unix.Connect(fd, to)
	for errors.Is(err, unix.EINTR) { // then this goes on waiting
		err = unix.Connect(fd, to)
	}
	return err
}

// linuxWhole has a socket say of each datagram whether it left.
func linuxWhole(fd int, f weir.Family, large bool) error {
	level, discover, tell := unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_RECVERR
	if f == weir.IPv6 {
		level, discover, tell = unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_RECVERR
	}
	way := unix.IP_PMTUDISC_DO // IPv6 has the same numbers
	if large {
		way = unix.IP_PMTUDISC_DONT
	}
	if err := unix.SetsockoptInt(fd, level, discover, way); err != nil {
		return fmt.Errorf("forbid fragments: %w", err)
	}
	// Without this the kernel does not say that its own queue has thrown a
	// datagram away, and it would count as sent.
	return unix.SetsockoptInt(fd, level, tell, 1)
}

// linuxDrops is how many datagrams a socket had no room for.
func linuxDrops(fd int) (dropped uint32, told bool, err error) {
	const drops = 8 // SK_MEMINFO_DROPS of <linux/sock_diag.h>
	var info [drops + 1]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, false, fmt.Errorf("ask a socket what it has dropped: %w", errno)
	}
	return info[drops], true, nil
}

// sleep sleeps, as exactly as the kernel does.
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	unix.Nanosleep(&t, nil)
}
