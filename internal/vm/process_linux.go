package vm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"weir/internal/packages"
	"weir/internal/processes"
	"weir/internal/tail"
)

// process is a QEMU.
type process struct {
	pid   int
	said  *tail.Tail
	ended chan struct{}
	state string // how it has ended, once it has
	kill  func()
}

// start starts QEMU with files from firstFile on, on CPUs. It dies with this process.
func start(argv []string, files []*os.File, cpus []int) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	p := &process{said: &tail.Tail{}, ended: make(chan struct{})}
	cmd.ExtraFiles = files
	cmd.Stdout, cmd.Stderr = p.said, p.said
	cmd.Env = environment()
	// It has a process group of its own, so that Ctrl-C is weir's to deal with.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	begun := make(chan error, 1)
	go func() {
		// A process that is to die with its parent dies with the thread that started it,
		// and has the CPUs of that. The thread ends with this goroutine, as it is not unlocked.
		runtime.LockOSThread()
		err := bind(cpus)
		if err == nil {
			err = startWithoutRights(cmd)
		}
		begun <- err
		if err == nil {
			_ = cmd.Wait()
			p.state = cmd.ProcessState.String()
			close(p.ended)
		}
	}()
	if err := <-begun; err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, NeedQEMU()
		}
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	p.pid = cmd.Process.Pid
	p.kill = func() { _ = cmd.Process.Kill() }
	return p, nil
}

// startWithoutRights starts QEMU as nobody says. The child has this process's memory when it
// becomes another user, so that the kernel lets nobody look at this process any more
// (PR_SET_DUMPABLE of prctl(2)), as programs of a lab do: that is undone.
func startWithoutRights(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Credential = nobody()
	err := processes.Start(cmd)
	if looked := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); looked != nil && err == nil {
		err = errors.Join(looked, cmd.Process.Kill(), cmd.Wait())
	}
	return err
}

// environment is what QEMU needs of this process's, and what says whose it is.
func environment() []string {
	folder := "/var/tmp"
	if is, err := os.Stat(os.Getenv("TMPDIR")); err == nil && is.Mode()&0o002 != 0 {
		folder = os.Getenv("TMPDIR")
	}
	out := []string{"LC_ALL=C", "TMPDIR=" + folder} // where what a machine writes to its image goes
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "PATH=") || strings.HasPrefix(e, "WEIR_") {
			out = append(out, e)
		}
	}
	return out
}

// users are those that QEMU runs as: nobody that a machine knows, one for each machine, so
// that none can stop another one. Where users are mapped (user_namespaces(7)) there are none
// but the last one of these.
const (
	users  = 0x77656972
	each   = 16 // of a process
	mapped = 65534
)

// machines is how many this process has started.
var machines atomic.Uint32

// nobody are the rights of QEMU where weir is root: those of a user that has no files, and of
// the group that may use KVM.
func nobody() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	id := uint32(users+each*os.Getpid()) + machines.Add(1)%each
	var first, to, count uint32
	if text, err := os.ReadFile("/proc/self/uid_map"); err == nil {
		if n, _ := fmt.Sscan(string(text), &first, &to, &count); n == 3 && (first > id || id-first >= count) {
			id = mapped
		}
	}
	c := &syscall.Credential{Uid: id, Gid: id}
	if is, err := os.Stat("/dev/kvm"); err == nil {
		if s, known := is.Sys().(*syscall.Stat_t); known && s.Gid != 0 {
			c.Groups = []uint32{s.Gid}
		}
	}
	return c
}

// complaint is what QEMU said last, but for what it goes on in spite of: that it loads no
// program of its own into this kernel for spreading frames, say.
func (p *process) complaint() string {
	var lines []string
	for line := range strings.Lines(p.said.String()) {
		if !strings.HasPrefix(line, "libbpf:") && !strings.Contains(line, ": warning: ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(tail.Last(strings.Join(lines, ""), 3), "\n")
}

// bind binds the calling thread to CPUs.
func bind(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("run a machine on the CPUs %v: %w", cpus, err)
	}
	return nil
}

// NeedQEMU says that there is no QEMU here; nil: there is one.
func NeedQEMU() error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("there is no %s here, which runs machines: %s", program, packages.Advice("qemu-system-x86"))
	}
	return nil
}
