package vm

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// probeLimit is how long a machine with KVM may take to begin. Where KVM is there and
// does not work it may hang, or QEMU ends.
const probeLimit = 3 * time.Second

// probed is what the probe found, as it takes its time.
var probed struct {
	sync.Mutex
	accel string
}

// Accelerator is how machines run here: "kvm" where it works, which is tried once, and
// "tcg" otherwise.
func Accelerator(ctx context.Context) (string, error) {
	if err := NeedQEMU(); err != nil {
		return "", err
	}
	probed.Lock()
	defer probed.Unlock()
	if probed.accel == "" {
		probed.accel = "tcg"
		if usable("/dev/kvm") && runs(ctx, "kvm") {
			probed.accel = "kvm"
		}
	}
	return probed.accel, ctx.Err()
}

// emulate has machines emulated from now on.
func emulate() {
	probed.Lock()
	defer probed.Unlock()
	probed.accel = "tcg"
}

// runs reports whether a machine without a disk gets as far as the first word of its
// firmware, which that says at a port of its own.
func runs(ctx context.Context, accel string) bool {
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	read, write, err := os.Pipe()
	if err != nil {
		return false
	}
	cmd := exec.Command(program, "-machine", "q35,accel="+accel, "-cpu", model[accel], "-m", "64", "-nodefaults", "-no-user-config", "-display", "none",
		"-chardev", "stdio,id=word,signal=off", "-device", "isa-debugcon,iobase=0x402,chardev=word")
	cmd.Stdout = write
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = startWithoutRights(cmd)
	write.Close()
	if err != nil {
		read.Close()
		return false
	}
	said := make(chan bool, 1)
	go func() {
		n, _ := read.Read(make([]byte, 1))
		said <- n > 0
	}()
	ok := false
	select {
	case ok = <-said:
	case <-limited.Done():
	}
	_ = cmd.Process.Kill()
	go func() { // nobody waits for it: one that hangs in the kernel does not end
		_ = cmd.Wait()
		read.Close()
	}()
	return ok
}
