package netif

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// No namespace is on the first thread of the process, which would keep it and what was
// started there until the process ends.
func TestNamespacesEnd(t *testing.T) {
	testenv.NeedRoot(t)
	for range 20 {
		n, err := NewNamespace()
		if err != nil {
			t.Fatal(err)
		}
		if n.tid == os.Getpid() {
			t.Fatal("a namespace is on the first thread of the process")
		}
		path := n.Path()
		n.Close()
		testenv.Await(t, "the namespace's thread ends", func() bool { return unix.Access(path, unix.F_OK) != nil })
	}
}

// A namespace is found by its inode and cookie while it is there, and the kernel says when it is not.
func TestFindNamespace(t *testing.T) {
	testenv.NeedRoot(t)
	n, err := NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	var inode, cookie uint64
	here := func() error {
		info, err := os.Stat("/proc/thread-self/ns/net")
		if err != nil {
			return err
		}
		inode = info.Sys().(*syscall.Stat_t).Ino
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		cookie, err = unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
		return err
	}
	if err := n.Do(here); err != nil {
		t.Fatal(err)
	}
	wantInode, wantCookie := inode, cookie
	found, err := FindNamespace(inode, cookie)
	if errors.Is(err, errors.ErrUnsupported) {
		n.Close()
		return // before Linux 6.18 they are looked for, which package testbed tests
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := found.Do(here); err != nil || inode != wantInode || cookie != wantCookie {
		t.Errorf("found namespace %d with cookie %d, %v, want %d, %d", inode, cookie, err, wantInode, wantCookie)
	}
	if _, err := FindNamespace(inode, cookie+1e9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another cookie: %v", err)
	}
	found.Close()
	n.Close()
	testenv.Await(t, "the namespace is gone", func() bool {
		again, err := FindNamespace(inode, cookie)
		if err == nil {
			again.Close()
		}
		return errors.Is(err, fs.ErrNotExist)
	})
}
