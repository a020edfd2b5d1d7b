package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// The environment of a process in a sandbox.
const (
	Mark = "WEIR_SANDBOX"      // its name: all of its processes have it, or it cannot find them
	disk = "WEIR_SANDBOX_DISK" // a folder on a disk, which becomes its /var/tmp
)

// GoesFirst is the environment variable by which labs leave the share of the CPUs that
// their session has as it is, where it is "no". Tests measure nothing.
const GoesFirst = "WEIR_GOES_FIRST"

// Tests is a *testing.M.
type Tests interface{ Run() int }

// Main is a TestMain: it runs the tests in a sandbox, after the functions that play a role
// where the program's arguments ask for one, and end the process then.
func Main(m Tests, roles ...func()) {
	for _, play := range roles {
		play()
	}
	os.Exit(Run(m))
}

// Run runs the tests in a sandbox and returns their exit code, or 1 where they left
// something behind.
func Run(m Tests) int {
	if os.Getenv(Mark) != "" {
		return inside(m)
	}
	if testenv.WithoutLab() || testenv.LacksRoot() != "" {
		return withoutRoot(m)
	}
	code, err := again()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return 1
	}
	return code
}

// withoutRoot runs the tests with a run folder of their own, which is what can be had.
func withoutRoot(m Tests) int {
	folder, err := os.MkdirTemp("", "weir-run-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	os.Setenv("WEIR_RUN", folder)
	return m.Run()
}

// again runs this process's program once more, with its arguments, in a new sandbox.
func again() (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	cmd := exec.CommandContext(ctx, self, os.Args[1:]...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	for fd := 3; fd < 16; fd++ { // those of a worker that fuzzes
		if inherited(fd) {
			cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), ""))
		} else {
			break
		}
	}
	box, err := Prepare(cmd)
	if err != nil {
		return 1, err
	}
	runtime.LockOSThread() // the kernel ends the child when the thread ends that started it
	err = cmd.Run()
	if err := box.Close(); err != nil {
		return 1, err
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 1, err
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}

// inherited reports whether a file descriptor was given to this process by the one that
// started it: those that Go opens are closed in children.
func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// A Box is the outside of a sandbox.
type Box struct{ name, disk string }

// Prepare has a command, which is a program of tests, run in a sandbox of its own. Close
// the Box when it has ended.
func Prepare(cmd *exec.Cmd) (*Box, error) {
	folder, err := os.MkdirTemp("", "weir-sandbox-")
	if err != nil {
		return nil, err
	}
	b := &Box{name: rand.Text(), disk: folder}
	if outer := os.Getenv(Mark); outer != "" {
		b.name = outer + "." + b.name
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, Mark+"="+b.name, disk+"="+folder, "WEIR_RUN=", GoesFirst+"=no")
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNS
	if !testenv.HostNetwork() {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.Setsid = true // and so a share of the CPUs (autogroup) that its tests alone change
	return b, nil
}

// Close ends what still runs in the sandbox and removes its files.
func (b *Box) Close() error {
	for range 1000 { // one that is killed may have started another before
		pids := members(b.name)
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return os.RemoveAll(b.disk)
}

// members returns the living processes of a sandbox and of those in it: those with its mark
// in their environment. A session of sshd's has none of it.
func members(name string) (pids []int) {
	return testenv.ProcessesWith(Mark + "=" + name)
}

// inside runs the tests in the sandbox. The first process there makes the place, and looks
// at what is left when the tests have ended: a program of tests may start itself again.
func inside(m Tests) int {
	folder := os.Getenv(disk)
	if folder == "" {
		return m.Run()
	}
	os.Unsetenv(disk)
	if err := furnish(folder); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return 1
	}
	code := m.Run()
	if left := AwaitNothing(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "FAIL: the tests left behind: %s\n", strings.Join(left, "; "))
		return max(code, 1)
	}
	return code
}

// patience is how long the kernel has to remove what it removes by itself: namespaces and
// their devices go after their last process. A machine may have no time for it at all.
var patience = time.Minute

// AwaitNothing is what is left of weir in this sandbox.
func AwaitNothing() (left []string) {
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		if left = leftovers(); len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return left
		}
	}
}

// leftovers lists what tests have left in this sandbox, a line each: processes, network
// namespaces, links, and files where weir has its own.
func leftovers() []string {
	left := testenv.Leftovers()
	for _, pid := range members(os.Getenv(Mark)) {
		if pid == os.Getpid() {
			continue
		}
		argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		left = append(left, fmt.Sprintf("process %d: %s", pid, strings.ReplaceAll(strings.TrimRight(string(argv), "\x00"), "\x00", " ")))
	}
	return left
}

// furnish gives the calling process, which has a mount and a network namespace of its own,
// the file systems of the sandbox.
func furnish(disk string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	err := errors.Join(
		remount("tmpfs", "/run", "systemd/resolve"), // where names of hosts may be resolved
		remount("tmpfs", "/dev/shm"),
		unix.Mount(disk, "/var/tmp", "", unix.MS_BIND, ""),
		os.Chmod("/dev/shm", 0o777|os.ModeSticky),
		os.Chmod("/var/tmp", 0o777|os.ModeSticky),
	)
	for _, folder := range []string{"netns", "lock", "sshd"} { // as iproute2, Debian and its sshd have them
		err = errors.Join(err, os.MkdirAll("/run/"+folder, 0o755))
	}
	if err != nil || testenv.HostNetwork() {
		return err
	}
	return errors.Join(
		remount("sysfs", "/sys", "fs/cgroup", "fs/bpf", "kernel/debug", "kernel/tracing", "kernel/security"),
		loopbackUp(),
	)
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// remount mounts a new file system of a kind over a folder, and in it what is in these
// folders of the one before, as far as they are there.
func remount(kind, folder string, keeps ...string) error {
	before, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer before.Close()
	mode := ""
	if kind == "tmpfs" {
		mode = "mode=755"
	}
	if err := unix.Mount(kind, folder, kind, 0, mode); err != nil {
		return fmt.Errorf("mount %s: %w", folder, err)
	}
	for _, inside := range keeps {
		from, to := fmt.Sprintf("/proc/self/fd/%d/%s", before.Fd(), inside), filepath.Join(folder, inside)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s: %w", to, err)
		}
	}
	return nil
}
