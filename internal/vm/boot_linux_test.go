package vm

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weir/internal/tail"
	"weir/internal/testenv"
)

// An image that does not boot is an error with what the console said, and nothing of the
// machine is left.
func TestNoBoot(t *testing.T) {
	testenv.NeedTool(t, program)
	folder := t.TempDir()
	image := filepath.Join(folder, "image, with a comma")
	if err := os.WriteFile(image, bytes.Repeat([]byte{0x90}, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("", "vm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(sockets)
	c := Config{Name: "none", System: System{Image: image}, Memory: 64, CPUs: 1, Folder: sockets, Log: filepath.Join(folder, "log"), Limit: time.Second}
	_, err = Boot(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "did not start within 1s") || !strings.Contains(err.Error(), "console said nothing") {
		t.Error(err)
	}
	c.System = System{Kernel: image, Initramfs: image}
	if _, err = Boot(t.Context(), c); err == nil {
		t.Error("a kernel that is none boots")
	}
	t.Log(err)
}

// A machine that is not asked for shells runs until it is closed, or QEMU stops it.
func TestSilent(t *testing.T) {
	testenv.NeedTool(t, program)
	folder := t.TempDir()
	image := filepath.Join(folder, "image")
	if err := os.WriteFile(image, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("", "vm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(sockets)
	m, err := Boot(t.Context(), Config{Name: "box", System: System{Image: image}, Memory: 64, CPUs: 1, Folder: sockets, Log: filepath.Join(folder, "log"), Silent: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Reset(t.Context()); err != nil {
		t.Error(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.qemu.pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, right := range []string{`Uid:\t([1-9]\d*)\t`, `CapEff:\t0+\n`, `NoNewPrivs:\t1\n`, `Seccomp:\t2\n`} { // proc_pid_status(5)
		if !regexp.MustCompile(right).Match(status) && (os.Geteuid() == 0 || !strings.Contains(right, "Uid")) {
			t.Errorf("QEMU has other rights than %s: %s", right, status)
		}
	}
	if m.Err() != nil {
		t.Error(m.Err())
	}
	_ = m.qmp.do(t.Context(), "stop", nil) // as QEMU does by itself where KVM cannot go on; it may end before it answers
	<-m.Done()
	if !errors.Is(m.Err(), errStopped) {
		t.Error(m.Err())
	}
	pid := m.qemu.pid
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("QEMU is still there: %v", err)
	}
}

// A machine that says nothing any more is ended, with that for a reason.
func TestHang(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("the last word\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		m := &Machine{config: Config{Name: "x", Log: log, Hang: hangLimit}, news: make(chan struct{}), ended: make(chan struct{})}
		m.qemu = &process{said: &tail.Tail{}, ended: ended, kill: func() { close(ended) }}
		go m.wait()
		near, far := net.Pipe()
		m.beats = near
		go m.listen(near)
		go m.watch()
		time.Sleep(time.Second) // it does not speak at the very moments at which it is looked at
		for range 3 {
			if _, err := far.Write([]byte("alive\n")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(hangLimit * 3 / 4)
		}
		if m.Err() != nil {
			t.Fatalf("a machine that is alive: %v", m.Err())
		}
		began := time.Now()
		<-m.Done()
		if err := m.Err(); err == nil || !strings.Contains(err.Error(), "it hangs") || !strings.Contains(err.Error(), "the last word") {
			t.Error(err)
		}
		if took := time.Since(began); took < hangLimit/4 || took > hangLimit/2 {
			t.Errorf("it was ended %v after three quarters of the time in which it may say nothing", took)
		}
	})
}
