package telemetry

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/testenv"
)

// here is this machine as a host of which files are read.
type here struct{ weir.Host }

func (here) ReadFile(_ context.Context, path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}

// A thread that does nothing but read random octets from the kernel is found
// there, above the functions that led to it and its own program.
func TestSampler(t *testing.T) {
	testenv.NeedRoot(t)
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpus); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !cpus.IsSet(cpu) {
		cpu++
	}
	random, err := os.Open("/dev/urandom")
	if err != nil {
		t.Fatal(err)
	}
	defer random.Close()
	fd := int(random.Fd())
	quit, pinned := make(chan struct{}), make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its affinity
		var one unix.CPUSet
		one.Set(cpu)
		pinned <- unix.SchedSetaffinity(0, &one)
		buf := make([]byte, 1<<16)
		for {
			select {
			case <-quit:
				return
			default:
				unix.Read(fd, buf)
			}
		}
	}()
	if err := <-pinned; err != nil {
		t.Fatal(err)
	}
	defer close(quit)
	testenv.Await(t, "the busy thread is sampled in the kernel", func() bool {
		s, err := StartSampler(t.Context(), here{}, []int{cpu})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // of which it has a part
		p, err := s.Stop()
		if err != nil {
			t.Fatal(err)
		}
		return readsRandom(t, p) > 0
	})
}

// readsRandom is how many samples of a profile are of this program while it reads from
// the kernel, above the functions that led there.
func readsRandom(t *testing.T, p weir.Profile) (inKernel uint64) {
	t.Helper()
	if p.Hertz != ProfileHertz {
		t.Errorf("sampled at %v Hz", p.Hertz)
	}
	var sum uint64
	for i, stack := range p.Stacks {
		sum += stack.Samples
		if i > 0 && stack.Samples > p.Stacks[i-1].Samples {
			t.Errorf("stack %d is more frequent than the one before it", i)
		}
		asked := slices.ContainsFunc(stack.Frames, func(f string) bool { return f == "vfs_read" })
		if asked && strings.HasPrefix(stack.Frames[0], "[telemetry") && len(stack.Frames) > 3 {
			inKernel += stack.Samples
		}
	}
	if sum != p.Samples {
		t.Errorf("the stacks have %d of %d samples", sum, p.Samples)
	}
	return inKernel
}

// What is missing is said.
func TestSamplerUnsupported(t *testing.T) {
	s := &Sampler{host: here{}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{unix.EACCES, "sampling what CPUs do (perf_event_open) without CAP_PERFMON is not available here: permission denied; run weir as root, or lower kernel.perf_event_paranoid to -1"},
		{unix.ENOENT, "sampling what CPUs do (perf_event_open) is not available here: no such file or directory; take a kernel with CONFIG_PERF_EVENTS"},
	} {
		var u *weir.UnsupportedError
		if err := s.unsupported(t.Context(), c.err); !errors.As(err, &u) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	if err := s.unsupported(t.Context(), unix.EMFILE); err != unix.EMFILE {
		t.Errorf("too many open files became %v", err)
	}
	if _, err := StartSampler(t.Context(), here{}, []int{100_000}); err == nil {
		t.Error("a CPU that is not there was sampled")
	}
}
