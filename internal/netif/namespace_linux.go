package netif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Namespace is a network namespace with a thread of its own in it. It lives as
// long as that thread, so a namespace without a name dies with the process,
// however the process ends.
type Namespace struct {
	work  chan func()
	done  chan struct{}
	close func() // ends the thread
	path  string
	fd    int
	tid   int
}

// NewNamespace makes a network namespace without a name.
func NewNamespace() (*Namespace, error) {
	return enter(func() error { return unix.Unshare(unix.CLONE_NEWNET) })
}

// OpenNamespace enters the namespace that the file at path stands for.
func OpenNamespace(path string) (*Namespace, error) {
	return enter(func() error {
		h, err := netns.GetFromPath(FileOf(path))
		if err != nil {
			return err
		}
		defer h.Close()
		return netns.Set(h)
	})
}

// FindNamespace enters the namespace with an inode and a cookie, of whichever process it is.
// The error is fs.ErrNotExist where there is none any more, by the kernel's answer, and
// errors.ErrUnsupported where the kernel cannot say that (before Linux 6.18), or not to this process.
func FindNamespace(inode, cookie uint64) (*Namespace, error) {
	const (
		root   = -10003 // FD_NSFS_ROOT
		kind   = 0xf1   // FILEID_NSFS
		handle = 16     // octets of struct nsfs_file_handle
	)
	data := binary.NativeEndian.AppendUint64(nil, cookie)
	data = binary.NativeEndian.AppendUint32(data, unix.CLONE_NEWNET)
	data = binary.NativeEndian.AppendUint32(data, uint32(inode))
	fd, err := unix.OpenByHandleAt(root, unix.NewFileHandle(kind, data[:handle]), unix.O_RDONLY|unix.O_CLOEXEC)
	switch {
	case errors.Is(err, unix.ESTALE) && !MappedUsers("/"): // to others it calls stale what is not theirs
		return nil, fs.ErrNotExist
	case errors.Is(err, unix.ESTALE), errors.Is(err, unix.EPERM), errors.Is(err, unix.EBADF), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return nil, errors.ErrUnsupported
	case err != nil:
		return nil, fmt.Errorf("open a network namespace by its cookie: %w", err)
	}
	defer unix.Close(fd)
	return enter(func() error { return netns.Set(netns.NsHandle(fd)) })
}

// MappedUsers reports whether this process is in a user namespace of its own, whose root may do
// less than the machine's. root is the folder of proc.
func MappedUsers(root string) bool {
	var inside, outside, count uint64
	users, err := os.ReadFile(filepath.Join(root, "proc/self/uid_map"))
	n, _ := fmt.Sscan(string(users), &inside, &outside, &count)
	return err == nil && n == 3 && count < math.MaxUint32
}

// CurrentNamespace is the namespace that the process was started in.
func CurrentNamespace() (*Namespace, error) {
	return enter(func() error { return nil })
}

// enter starts a thread that join puts into its namespace. The thread gets a
// mount namespace too, because /sys shows the network namespace that it was
// mounted from.
func enter(join func() error) (*Namespace, error) {
	n := &Namespace{work: make(chan func()), done: make(chan struct{}), fd: -1}
	quit := make(chan struct{})
	n.close = func() { close(quit) }
	ready := make(chan error)
	onThread(func() {
		defer close(n.done)
		err := join()
		if err == nil {
			err = ownSys()
		}
		if err == nil {
			n.tid = unix.Gettid()
			n.path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), n.tid)
			n.fd, err = unix.Open(n.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		}
		ready <- err
		if err != nil {
			return
		}
		for {
			select {
			case f := <-n.work:
				f()
			case <-quit:
				unix.Close(n.fd)
				return
			}
		}
	})
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("enter a network namespace: %w", err)
	}
	return n, nil
}

// onThread runs f on a thread that ends with it, and with that thread what depends on it:
// a namespace, and processes that are killed when the thread ends that started them. The
// first thread of a process is none: Go keeps it until the process ends.
func onThread(f func()) {
	begun := make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if unix.Gettid() == os.Getpid() {
			onThread(func() { close(begun); f() }) // on another one, as this one is taken
			<-begun
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
}

// ownSys gives the calling thread a /sys of its network namespace.
func ownSys() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("a mount namespace of its own: %w", err)
	}
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("make mounts private: %w: the root folder is no mount, as in a plain chroot; mount it onto itself first: mount --bind FOLDER FOLDER, then chroot FOLDER", err)
	}
	if err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	err = unix.Mount("sysfs", "/sys", "sysfs", 0, "")
	if err != nil && !errors.Is(err, unix.EBUSY) { // it is that of this namespace already
		return fmt.Errorf("mount /sys: %w", err)
	}
	return nil
}

// Do runs f on the namespace's thread and returns what f returned. Child
// processes that f starts are in the namespace. What f calls may do so, too.
func (n *Namespace) Do(f func() error) error {
	if unix.Gettid() == n.tid {
		return f()
	}
	result := make(chan error, 1)
	select {
	case n.work <- func() { result <- f() }:
		return <-result
	case <-n.done:
		return errors.New("the network namespace is closed")
	}
}

// Path is a file that stands for the namespace while this process lives.
func (n *Namespace) Path() string { return n.path }

// FD is an open file descriptor of the namespace, for moving interfaces into it.
func (n *Namespace) FD() int { return n.fd }

// Close ends the thread. The namespace and all that is in it die with it,
// unless it was kept or something else is in it.
func (n *Namespace) Close() {
	select {
	case <-n.done:
	default:
		n.close()
		<-n.done
	}
}
