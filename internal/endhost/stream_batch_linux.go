package endhost

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batchSize is how many datagrams, or frames, go to the kernel, or come from it, at once as a rule.
const batchSize = 64

// multiple is struct mmsghdr of the kernel.
type multiple struct {
	header unix.Msghdr
	octets uint32
}

// batch is room for datagrams.
type batch struct {
	messages []multiple
	vectors  []unix.Iovec
	buffers  [][]byte
}

// newBatch has room for n of them, each of up to size octets.
func newBatch(n, size int) *batch {
	b := &batch{messages: make([]multiple, n), vectors: make([]unix.Iovec, n), buffers: make([][]byte, n)}
	for i := range b.messages {
		b.buffers[i] = make([]byte, size)
		b.vectors[i].Base = &b.buffers[i][0]
		b.vectors[i].SetLen(size)
		b.messages[i].header.Iov = &b.vectors[i]
		b.messages[i].header.SetIovlen(1)
	}
	return b
}

// swap has two datagrams take each other's place.
func (b *batch) swap(i, j int) {
	b.buffers[i], b.buffers[j] = b.buffers[j], b.buffers[i]
	b.vectors[i], b.vectors[j] = b.vectors[j], b.vectors[i]
}

// send hands the first n datagrams to the kernel. An error is that of the first
// one that was not taken, when none was.
func (b *batch) send(fd, n int) (int, error) { return b.sendFrom(fd, 0, n) }

// sendFrom is send without those before the one at from.
func (b *batch) sendFrom(fd, from, n int) (int, error) {
	return b.call(unix.SYS_SENDMMSG, fd, b.messages[from:n], 0)
}

// receive waits for a datagram, and takes those that are there with it.
func (b *batch) receive(fd int) (int, error) {
	return b.call(unix.SYS_RECVMMSG, fd, b.messages, unix.MSG_WAITFORONE)
}

// receiveNow takes the datagrams that are there.
func (b *batch) receiveNow(fd int) (int, error) {
	n, err := b.call(unix.SYS_RECVMMSG, fd, b.messages, unix.MSG_DONTWAIT)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		err = nil
	}
	return n, err
}

func (b *batch) call(number uintptr, fd int, messages []multiple, flags int) (int, error) {
	r, _, errno := unix.Syscall6(number, uintptr(fd), uintptr(unsafe.Pointer(&messages[0])), uintptr(len(messages)), uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}
