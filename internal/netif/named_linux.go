package netif

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// namedDir is where network namespaces with a name are kept, as by iproute2.
const namedDir = "/run/netns"

// mounts are what a process has mounted.
type mounts struct {
	ns   *os.File // nil: they are this process's
	root *os.File
}

// lastingMounts are those in which names outlive this process: of the process farthest above
// it that has the same files, which is mostly the first one. Below ip netns exec, and in a
// service, a process has mounts of its own, which end with it.
var lastingMounts = sync.OnceValue(func() (found mounts) {
	for pid := os.Getppid(); pid > 0; pid = parentOf(pid) {
		if m, err := mountsOf(pid); err == nil {
			found.close()
			found = m
		}
	}
	return found
})

// mountsOf are the mounts of a process, which this one may enter and which have the same
// files; the zero value where they are its own.
func mountsOf(pid int) (m mounts, err error) {
	ns, root := fmt.Sprintf("/proc/%d/ns/mnt", pid), fmt.Sprintf("/proc/%d/root", pid)
	at := namedDir
	if _, err := os.Stat(at); err != nil {
		at = filepath.Dir(at)
	}
	for _, folder := range []string{"/", at} {
		if !sameFile(folder, root+folder) {
			return m, errors.New("it has other files")
		}
	}
	if sameFile(ns, "/proc/self/ns/mnt") {
		return m, nil
	}
	if m.ns, err = os.Open(ns); err == nil {
		m.root, err = os.OpenFile(root+"/", unix.O_PATH, 0)
	}
	if err == nil {
		err = m.do(func() error { return nil })
	}
	if err != nil {
		m.close()
	}
	return m, err
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, none := os.Stat(b)
	return err == nil && none == nil && os.SameFile(one, other)
}

// parentOf is the process that a process was started by, or that has taken it over; 0 where
// there is none.
func parentOf(pid int) (parent int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, has := strings.Cut(string(status), "\nPPid:"); err == nil && has {
		_, _ = fmt.Sscan(rest, &parent)
	}
	return parent
}

// path is where a file is in these mounts.
func (m mounts) path(file string) string {
	if m.root == nil {
		return file
	}
	return filepath.Join(fmt.Sprintf("/proc/self/fd/%d", m.root.Fd()), file)
}

// do runs f with these mounts, on a thread that has them.
func (m mounts) do(f func() error) error {
	if m.ns == nil {
		return f()
	}
	result := make(chan error, 1)
	onThread(func() {
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil {
			err = unix.Setns(int(m.ns.Fd()), unix.CLONE_NEWNS)
		}
		if err == nil {
			err = unix.Fchdir(int(m.root.Fd()))
		}
		if err == nil {
			err = unix.Chroot(".")
		}
		if err == nil {
			err = f()
		}
		result <- err
	})
	return <-result
}

func (m mounts) close() {
	for _, f := range []*os.File{m.ns, m.root} {
		if f != nil {
			f.Close()
		}
	}
}

// Keep gives the namespace a name, under which it outlives the process.
func (n *Namespace) Keep(name string) error {
	// The bind mount has to be made in the mount namespace that others see, so
	// not on the namespace's own thread.
	return lastingMounts().do(func() error { return keepNamespace(n.path, name) })
}

func keepNamespace(from, name string) error {
	if err := shareNames(); err != nil {
		return err
	}
	at := filepath.Join(namedDir, name)
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	f.Close()
	if err := unix.Mount(from, at, "", unix.MS_BIND, ""); err != nil {
		os.Remove(at)
		return fmt.Errorf("keep network namespace %s: %w", name, err)
	}
	return nil
}

// shareNames makes the folder of names a mount that others see, as iproute2 does when it makes the
// first name: one that it made later would lie over the names that are there.
func shareNames() error {
	if err := os.MkdirAll(namedDir, 0o755); err != nil {
		return err
	}
	share := func() error { return unix.Mount("", namedDir, "", unix.MS_SHARED|unix.MS_REC, "") }
	err := share()
	if errors.Is(err, unix.EINVAL) { // it is no mount
		if err = unix.Mount(namedDir, namedDir, "", unix.MS_BIND|unix.MS_REC, ""); err == nil {
			err = share()
		}
	}
	if err != nil {
		return fmt.Errorf("have others see the names of network namespaces: %w", err)
	}
	return nil
}

// NamedPath is the file of the namespace with this name.
func NamedPath(name string) string { return filepath.Join(namedDir, name) }

// FileOf is where this process finds the file of a namespace: names are among lasting mounts.
func FileOf(path string) string {
	if filepath.Dir(path) != namedDir {
		return path
	}
	lasting := lastingMounts().path(path)
	if _, err := os.Stat(lasting); err != nil {
		return path // only these mounts have it, if any
	}
	return lasting
}

// Named are the files, for this process, of all namespaces with a name, also of those that only
// its own mounts have.
func Named() []string {
	lasting, _ := filepath.Glob(lastingMounts().path(filepath.Join(namedDir, "*"))) // the patterns are right
	own, _ := filepath.Glob(filepath.Join(namedDir, "*"))
	return append(lasting, own...)
}

// RemoveNamed takes the name from a namespace, which dies when nothing else
// holds it. It is no error when there is none.
func RemoveNamed(name string) error {
	return lastingMounts().do(func() error {
		at := filepath.Join(namedDir, name)
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("release network namespace %s: %w", name, err)
		}
		// What is mounted on the file elsewhere goes with it.
		if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
}
