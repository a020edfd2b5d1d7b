package main

import (
	"testing"
	"time"

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
	t.Setenv("WEIR_RUN_DIR", t.TempDir())
	bed, err := testbed.OpenNetns(testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer bed.Close()
	for _, asked := range []bool{false, true} {
		trial := weir.Trial{Profile: asked}
		finish, err := profiled(bed)(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		if (finish != nil) != asked {
			t.Fatalf("asked %v, and finish is there: %v", asked, finish != nil)
		}
		if !asked {
			continue
		}
		time.Sleep(100 * time.Millisecond)
		var r weir.TrialResult
		finish(&r)
		// 100 ms of each CPU at least, also if it had nothing to do.
		if least := uint64(50 * len(bed.CPUs().DUT)); r.Profile == nil || r.Profile.Samples < least || len(r.Profile.Stacks) == 0 {
			t.Errorf("profile %+v, want %d samples", r.Profile, least)
		}
	}
}
