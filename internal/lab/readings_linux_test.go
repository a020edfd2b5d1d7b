package lab

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// What the DUT's machine says of a trial is what went through the DUT.
func TestReadings(t *testing.T) {
	l, lab := openTestLab(t, "")
	done, err := lab.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := measured(t, lab, l.plan.Traffic[0], nil)
	seen, err := done(r.Sending)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]float64{}
	for _, x := range seen.Readings {
		said[x.Source+": "+x.Name] = x.Value
	}
	if r.Received != few {
		t.Fatalf("%d frames were forwarded: %+v", r.Received, r.Ledger)
	}
	for _, name := range []string{"ports: port 0 rx_packets", "ports: port 1 tx_packets", "ip: IPv4 InReceives"} {
		if n := said[name]; n < float64(r.Received) || n > 2*few {
			t.Errorf("%s is %v, of %d frames that were sent and %d that came back", name, n, r.Offered, r.Received)
		}
	}
	ran := 0.
	for name, v := range said {
		if len(name) > 13 && name[:13] == "threads: port" && name[len(name)-3:] == "ran" {
			ran += v
		}
	}
	if ran <= 0 || ran > 2*seen.DUTCPU.Seconds()+.1 {
		t.Errorf("the threads that forward ran for %v s, the DUT for %v", ran, seen.DUTCPU)
	}
	if said["scheduler: context switches"] == 0 || said["memory: available"] == 0 {
		t.Errorf("readings: %v", seen.Readings)
	}
}

// A trial that asks for a profile is sampled for as long as frames are sent, and
// no other is.
func TestProfiled(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir())
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer bed.Close()
	if finish, err := profiled(bed)(t.Context(), weir.Trial{}); finish != nil || err != nil {
		t.Errorf("a trial that asks for no profile: %v", err)
	}
	// The DUT's CPUs have to work for that: an idle one need not be sampled.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	finish, err := profiled(bed)(t.Context(), weir.Trial{Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	var working sync.WaitGroup
	for _, cpu := range bed.CPUs().DUT {
		working.Go(func() { work(t, ctx, cpu) })
	}
	working.Wait()
	var r weir.TrialResult
	finish(&r)
	if r.Profile == nil || r.Profile.Samples < uint64(len(bed.CPUs().DUT)) || len(r.Profile.Stacks) == 0 {
		t.Errorf("profile %+v", r.Profile)
	}
}

// work keeps a CPU busy until this thread has had so much of its time that samples were taken.
func work(t *testing.T, ctx context.Context, cpu int) {
	runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		t.Error(err)
		return
	}
	for ctx.Err() == nil {
		var had unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &had); err != nil || time.Duration(had.Nano()) > 2*time.Second {
			return
		}
	}
}
