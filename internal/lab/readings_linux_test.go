package lab

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// What the DUT's machine says of a trial is what went through the DUT.
func TestReadings(t *testing.T) {
	lab, traffic := openTestLab(t, "")
	done, err := lab.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := measured(t, lab, traffic, func(trial *weir.Trial) { trial.Intended = 20000 })
	seen, err := done(r.Sending)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]float64{}
	for _, x := range seen.Readings {
		said[x.Source+": "+x.Name] = x.Value
	}
	if r.Received == 0 {
		t.Fatalf("nothing was forwarded: %+v", r.Ledger)
	}
	for _, name := range []string{"ports: port 0 rx_packets", "ports: port 1 tx_packets", "ip: IPv4 InReceives"} {
		if n := said[name]; n < float64(r.Received) || n > 1.1*float64(r.Offered)+100 {
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
	for _, cpu := range bed.CPUs().DUT {
		go func() {
			runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
			var set unix.CPUSet
			set.Set(cpu)
			if err := unix.SchedSetaffinity(0, &set); err != nil {
				return // and too few samples will be taken
			}
			for ctx.Err() == nil {
			}
		}()
	}
	// A hypervisor that gives them to others lets them sleep.
	least := uint64(50 * len(bed.CPUs().DUT))
	var r weir.TrialResult
	for length := 100 * time.Millisecond; length < 5*time.Second; length *= 2 {
		finish, err := profiled(bed)(t.Context(), weir.Trial{Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(length)
		r = weir.TrialResult{}
		finish(&r)
		if r.Profile != nil && r.Profile.Samples >= least && len(r.Profile.Stacks) > 0 {
			return
		}
	}
	t.Errorf("profile %+v, want %d samples", r.Profile, least)
}
