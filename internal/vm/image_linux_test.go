package vm

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A kernel is of the version that was asked for, and all of its packages are found.
func TestKernelPackage(t *testing.T) {
	const text = "Package: linux-image-amd64\nDepends: linux-base-amd64 (= 7.2.13-1), linux-image-7.2.13+deb14-amd64 (= 7.2.13-1)\n"
	if got, err := kernelIn(text, "7.2", "sid"); got != "linux-image-7.2.13+deb14-amd64" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := kernelIn(text, "7.1", "sid"); err == nil || !strings.Contains(err.Error(), "sid of Debian has Linux 7.2 by now") {
		t.Error(err)
	}
	if _, err := kernelIn("", "7.1", "sid"); err == nil {
		t.Error("no error of nothing")
	}
	const parts = "Pre-Depends: x\nDepends: dracut | linux-initramfs-tool, linux-base-7.2.13+deb14-amd64 (= 7.2.13-1), linux-modules-7.2.13+deb14-amd64 (= 7.2.13-1), linux-base (>= 4)\n"
	want := []string{"linux-base-7.2.13+deb14-amd64", "linux-modules-7.2.13+deb14-amd64"}
	if diff := cmp.Diff(want, partsIn(parts, "linux-image-7.2.13+deb14-amd64")); diff != "" {
		t.Error(diff)
	}
	if _, err := suiteOf("5.10"); err == nil || !strings.Contains(err.Error(), "6.1, 6.12, 7.2") {
		t.Error(err)
	}
}

// Modules bring those that they need.
func TestWantedModules(t *testing.T) {
	const dep = `kernel/net/netfilter/nf_tables.ko.xz: kernel/lib/libcrc32c.ko.xz kernel/net/netfilter/nfnetlink.ko.xz
kernel/lib/libcrc32c.ko.xz:
kernel/drivers/gpu/x.ko.xz: kernel/drivers/gpu/y.ko.xz
kernel/drivers/net/virtio_net.ko.xz: kernel/net/core/failover.ko.xz
kernel/arch/x86/crypto/crc32c-intel.ko.xz:
`
	want := []string{"kernel/arch/x86/crypto/crc32c-intel.ko.xz", "kernel/drivers/net/virtio_net.ko.xz", "kernel/lib/libcrc32c.ko.xz",
		"kernel/net/core/failover.ko.xz", "kernel/net/netfilter/nf_tables.ko.xz", "kernel/net/netfilter/nfnetlink.ko.xz"}
	if diff := cmp.Diff(want, wantedModules(dep)); diff != "" {
		t.Error(diff)
	}
}

// An archive is octet for octet what the format says.
func TestCpio(t *testing.T) {
	var b bytes.Buffer
	c := cpio{w: &b}
	c.add("a", modeFolder|0o755, nil)
	c.add("a/b", modeFile|0o644, []byte("12345"))
	c.device("c", 0o600, 5, 1)
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	const zero = "00000000"
	want := "070701" + "00000001" + "000041ed" + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "00000002" + zero + "a\x00" +
		"070701" + "00000002" + "000081a4" + zero + zero + "00000001" + zero + "00000005" + zero + zero + zero + zero + "00000004" + zero + "a/b\x00\x00\x00" + "12345\x00\x00\x00" +
		"070701" + "00000003" + "00002180" + zero + zero + "00000001" + zero + zero + zero + zero + "00000005" + "00000001" + "00000002" + zero + "c\x00" +
		"070701" + "00000004" + zero + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "0000000b" + zero + "TRAILER!!!\x00\x00\x00\x00"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// What cannot be booted is told before anything is started.
func TestImage(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Image(t.Context(), System{Image: filepath.Join(folder, "none")}, folder); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, s := range []System{{Image: empty}, {Kernel: empty, Initramfs: empty}, {Image: folder}, {Debian: "2.2"}} {
		if _, err := Image(t.Context(), s, folder); err == nil {
			t.Errorf("no error of %v", s)
		}
	}
	if got, err := Image(t.Context(), System{Image: "image_linux_test.go"}, folder); err != nil || got.Image != "image_linux_test.go" {
		t.Error(got, err)
	}
}

// The format of an image is by its content, and never left to QEMU to guess.
func TestFormatOf(t *testing.T) {
	for begin, want := range map[string]string{"QFI\xfb\x00\x00\x00\x03": "qcow2", "": "raw", "\xeb\x63\x90": "raw", "KDMV\x01": "vmdk"} {
		file := filepath.Join(t.TempDir(), "image")
		if err := os.WriteFile(file, []byte(begin), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := formatOf(file); got != want || err != nil {
			t.Errorf("%q is %s, %v; want %s", begin, got, err, want)
		}
	}
}

// Half a machine is removed by who comes next, and one at a time makes them.
func TestLock(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "a", "b")
	unlock, err := lock(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(cache, unfinished+"1")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock()
	if unlock, err = lock(t.Context(), cache); err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
