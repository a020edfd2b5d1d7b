package vm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
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

// The format of an image is that of its name, with which its content has to agree, and leads
// to no further file.
func TestFormatOf(t *testing.T) {
	qcow2 := func(version byte, change ...int) string { // of zeros, but for the octets at these places
		head := append([]byte("QFI\xfb\x00\x00\x00"), version)
		head = append(head, make([]byte, 504)...)
		for _, at := range change {
			head[at] = 0x44
		}
		return string(head)
	}
	const convert = "qemu-img convert"
	for _, c := range []struct{ name, begin, want, err string }{
		{"box.qcow2", qcow2(3), "qcow2", ""}, {"box.qcow2", qcow2(2), "qcow2", ""}, {"box.QCOW2", qcow2(3), "qcow2", ""},
		{"box.raw", "", "raw", ""}, {"box", "\xeb\x63\x90", "raw", ""}, {"box.img", "\xeb\x63\x90", "raw", ""},
		{"box.vdi", "<<< Oracle VM VirtualBox Disk Image >>>", "vdi", ""}, {"box.vhdx", "vhdxfile", "vhdx", ""},
		{"box.raw", qcow2(3), "", convert}, {"box", qcow2(3), "", convert}, {"box.vdi", qcow2(3), "", convert},
		{"box.qcow2", "\xeb\x63\x90", "", "which its name says"}, {"box.qcow2", "KDMV", "", "which its name says"},
		{"box.vmdk", "KDMV", "", convert}, {"box.vmdk", "# Disk DescriptorFile", "", convert}, {"box.img", "# Disk DescriptorFile", "", convert},
		{"box.qcow2", qcow2(3, 15), "", "leads to a further file"}, {"box.qcow2", qcow2(2, 8), "", "leads to a further file"},
		{"box.qcow2", qcow2(3, 79), "", "leads to a further file"}, {"box.qcow2", "QFI\xfb\x00\x00\x00\x03", "", "ends within its header"},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(file, []byte(c.begin), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := formatOf(f)
		f.Close()
		if (err != nil) != (c.err != "") || err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %.12q: %q, %v; want %q, %q", c.name, c.begin, got, err, c.want, c.err)
		}
	}
}

// What a plan names for a machine to boot is opened without waiting: a user who may write where
// it lies puts a pipe there, to which nobody ever writes.
func TestBootsNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]System{"an image": {Image: pipe}, "a kernel": {Kernel: pipe, Initramfs: pipe}} {
		const want = "is a pipe and no"
		if err := s.Readable(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.boot(&handed{}); err == nil || !strings.Contains(err.Error(), want) { // it was a file when it was looked at
			t.Errorf("%s, booted: %v", name, err)
		}
	}
}

// The file of a console does not grow for ever, and has what was said last.
func TestCutConsole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "console")
	f, err := openConsole(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 3000 {
		fmt.Fprintf(f, "line %d\n", i)
	}
	for _, most := range []int64{1 << 20, 20000, 20000} {
		if err := cutConsole(f, most); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(f, "the end")
	text, err := os.ReadFile(file)
	if is, statErr := os.Stat(file); err != nil || statErr != nil || is.Mode() != 0o600 || len(text) > 10100 ||
		!strings.HasPrefix(string(text), "(weir kept") || !strings.HasSuffix(string(text), "line 2999\nthe end\n") {
		t.Errorf("%d octets, %v, %v, %v: %.100s", len(text), is.Mode(), err, statErr, text)
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
