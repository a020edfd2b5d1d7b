package xdp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// liveFrames is BPF_F_TEST_XDP_LIVE_FRAMES.
const liveFrames = 1 << 1

// testRun is the part of union bpf_attr that BPF_PROG_RUN uses.
type testRun struct {
	progFD, retval         uint32
	sizeIn, sizeOut        uint32
	dataIn, dataOut        uint64
	repeat, duration       uint32
	ctxSizeIn, ctxSizeOut  uint32
	ctxIn, ctxOut          uint64
	flags, cpu, batch, pad uint32
}

// turns is how often the kernel runs a program in one call at most. It ends
// earlier, by a signal; at 20 million turns a second it would last 3 minutes,
// after which the call is simply made again.
const turns = 1<<32 - 1

// tick is how often a run is asked whether it is done, at most.
const tick = 500 * time.Microsecond

// run is a program that is to run on live frames.
type run struct {
	program    *ebpf.Program
	frame      []byte // that the kernel hands in
	batch, cpu int
	done       func() bool // whether it is over

	// early is the time, on the clock of Now, before which nobody asks whether
	// it is over, unless the context ends: asking takes a CPU, and the DUT may
	// need it.
	early time.Duration

	// over is when it will be over for sure, 0 when nobody knows; nil: never
	// known. It is asked before each call into the kernel, which ends then by
	// itself. Only for a program that does not suffer from a new call.
	over func() time.Duration
}

// live runs a program until it is done, on a thread of its own that is bound to
// its CPU. The kernel keeps taking turns in one call: a new call costs tens of
// milliseconds as a rule, which would look like loss.
//
// The program has to keep its state in maps, so that it does not notice when
// the call is interrupted and made again. The Go library's own Run would start
// the whole repeat count anew after a signal and gives no way to stop it.
func live(ctx context.Context, r run) error {
	thread := make(chan int, 1)
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its affinity and signal mask
		var one unix.CPUSet
		one.Set(r.cpu)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			thread <- 0
			result <- fmt.Errorf("bind the generator to CPU %d: %w", r.cpu, err)
			return
		}
		// Not real-time priority: the kernel takes the CPU from such a thread
		// for some 50 ms in each second, for whatever else wants it.
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -20); err != nil {
			thread <- 0
			result <- fmt.Errorf("give the generator's thread precedence: %w", err)
			return
		}
		if err := blockSignals(); err != nil {
			thread <- 0
			result <- err
			return
		}
		thread <- unix.Gettid()
		result <- r.untilDone()
	}()
	tid := <-thread
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	case <-time.After(r.early - Now()):
	}
	for {
		// Ever more seldom, where nobody knows how long it takes.
		wait := max(tick, (Now()-r.early)/64)
		select {
		case err := <-result:
			return err
		case <-time.After(wait):
			if r.done() {
				unix.Tgkill(os.Getpid(), tid, unix.SIGURG) // ends the call with EINTR
			}
		}
	}
}

// untilDone makes the calls, on the thread that sends.
func (r run) untilDone() error {
	var bell *alarm
	if r.over != nil {
		var err error
		if bell, err = newAlarm(); err != nil {
			return err
		}
		defer bell.close()
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&r.frame[0])
	attr := testRun{
		progFD: uint32(r.program.FD()),
		sizeIn: uint32(len(r.frame)),
		dataIn: uint64(uintptr(unsafe.Pointer(&r.frame[0]))),
		repeat: turns,
		flags:  liveFrames,
		batch:  uint32(r.batch),
	}
	for !r.done() {
		if bell != nil {
			if err := bell.set(r.over()); err != nil {
				return err
			}
		}
		_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN,
			uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
		runtime.KeepAlive(r.program)
		if errno != 0 && !errors.Is(errno, unix.EINTR) {
			return fmt.Errorf("run the generator on live frames: %w", errno)
		}
	}
	return nil
}

// blockSignals keeps every signal but SIGURG from the calling thread, so that
// no stray one interrupts a trial. SIGURG is what ends it: the Go runtime
// expects it at any time and gives it no meaning.
func blockSignals() error {
	var set unix.Sigset_t
	for i := range set.Val {
		set.Val[i] = ^uint64(0)
	}
	set.Val[0] &^= 1 << (uint(unix.SIGURG) - 1)
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &set, nil); err != nil {
		return fmt.Errorf("mask signals: %w", err)
	}
	return nil
}

// DropLoop is how often a second the kernel runs a program that only drops, on
// the given CPU: the ceiling of any generator of this kind.
func DropLoop(cpu int, d time.Duration) (float64, error) {
	var objects plainObjects
	if err := loadPlainObjects(&objects, nil); err != nil {
		return 0, explain("load the plain programs", err)
	}
	defer objects.Close()
	// The loop is looked at from outside while it runs: the time for setting it
	// up and ending it is not its own.
	var counts [2]uint64
	var times [2]time.Duration
	watched := make(chan error, 1)
	var over atomic.Bool
	go func() {
		defer over.Store(true)
		for i, wait := range []time.Duration{50 * time.Millisecond, d} {
			time.Sleep(wait)
			times[i] = Now()
			if err := objects.Turned.Get(&counts[i]); err != nil {
				watched <- err
				return
			}
		}
		watched <- nil
	}()
	if err := live(context.Background(), run{
		program: objects.Turn, frame: make([]byte, 60), batch: Pacing(0).Batch, cpu: cpu, early: Now() + d, done: over.Load,
	}); err != nil {
		return 0, err
	}
	if err := <-watched; err != nil {
		return 0, fmt.Errorf("count the turns: %w", err)
	}
	return float64(counts[1]-counts[0]) / (times[1] - times[0]).Seconds(), nil
}
