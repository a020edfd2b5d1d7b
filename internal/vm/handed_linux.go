package vm

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"weir/internal/infile"
)

// firstFile is the number of the first file that QEMU is given.
const firstFile = 3

// The sets of files of QEMU's in which it looks for the console and the image (-add-fd).
const (
	consoleSet = 1
	imageSet   = 2
)

// handed are the files that QEMU is given, by their numbers from firstFile on.
type handed struct {
	files []*os.File
	own   []*os.File // those that are closed here once QEMU has them
}

// add gives a file away, and lend one that its owner closes.
func (h *handed) add(f *os.File) int {
	h.own = append(h.own, f)
	return h.lend(f)
}

func (h *handed) lend(f *os.File) int {
	h.files = append(h.files, f)
	return firstFile + len(h.files) - 1
}

// set gives a file away as the one of a set, for -add-fd.
func (h *handed) set(f *os.File, set int) string { return fmt.Sprintf("fd=%d,set=%d", h.add(f), set) }

func setPath(set int) string { return fmt.Sprintf("/dev/fdset/%d", set) }

// mostCopied is how large a kernel or an initramfs may be, as it is copied into memory.
const mostCopied = 2 << 30

// copy gives what is in a file, which QEMU's user need not be able to open.
func (h *handed) copy(path string) (name string, err error) {
	from, err := infile.Open(path, mostCopied)
	if err != nil {
		return "", err
	}
	defer from.Close()
	fd, err := unix.MemfdCreate("weir", unix.MFD_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", path, err)
	}
	to := os.NewFile(uintptr(fd), path)
	number := h.add(to)
	if _, err := io.Copy(to, from); err != nil {
		return "", fmt.Errorf("copy %s: %w", path, err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", number), nil
}

// close closes those that were given away.
func (h *handed) close() {
	for _, f := range h.own {
		f.Close()
	}
}

// listen makes a socket, which belongs to this user, for QEMU to answer at.
func listen(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of the machine before this one
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	return f, errors.Join(err, l.Close())
}
