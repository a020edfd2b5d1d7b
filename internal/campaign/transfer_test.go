package campaign

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weir"
	"weir/internal/method"
)

// A transfer that breaks off, one that does not begin, and a program that is
// missing have a result each that says why; the rest of the campaign goes on. The
// missing one is no failure. Whoever goes on has all three measured anew, and
// nothing else.
func TestTransfersThatBreakOff(t *testing.T) {
	p := parsed(t, `testbed: {kind: sim}
traffic: {direction: both}
methods: [tcp, netperf, {method: ftp, files: 2, size: 1 MB}, {method: iperf3, trials: 3}, {method: smb, files: 2, size: 1 MB}]
`)
	lab, m := simulated(t), &mortal{lives: -1}
	sound, seconds := lab.Measure, 0
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Transfer == nil {
			t.Errorf("a trial of %s has no transfer", trial.Purpose)
		}
		r, err := sound(ctx, trial)
		switch trial.Purpose {
		case "netperf":
			return weir.TrialResult{}, &method.TransferError{Err: &weir.UnsupportedError{Feature: "netperf", Remedy: "install the package netperf"}}
		case "ftp":
			return weir.TrialResult{}, &method.TransferError{Err: errBusyPort}
		case "iperf3":
			if seconds++; seconds == 2 {
				r.Transferred.Failed = "the server was killed"
			}
		}
		return r, err
	}
	c, err := Run(t.Context(), p, lab, m, nil)
	if err == nil || !strings.Contains(err.Error(), errBusyPort.Error()) || !strings.Contains(err.Error(), "the server was killed") || strings.Contains(err.Error(), "install the package") {
		t.Errorf("the campaign says %v", err)
	}
	for i, want := range []struct{ method, why string }{
		{"tcp", ""}, {"netperf", "install the package netperf"}, {"ftp", "port 2100 is in use"}, {"iperf3", "iperf3 broke off: the server was killed"}, {"smb", ""},
	} {
		if i >= len(c.Results) {
			t.Fatalf("%d results", len(c.Results))
		}
		r := c.Results[i]
		if r.Method != want.method || (r.Value > 0) == (want.why != "") || !strings.Contains(r.Unmeasured, want.why) || (r.Unmeasured == "") != (want.why == "") {
			t.Errorf("result %d is of %s: %v, %q; want %s, %q", i, r.Method, r.Value, r.Unmeasured, want.method, want.why)
		}
		if r.Factors["bidirectional"] != true || r.Factors["flows"] != nil || r.Factors["frame_size"] != "streams" {
			t.Errorf("the factors are %v", r.Factors)
		}
	}
	last := len(c.Trials)
	lab.Measure = sound
	again, err := Resume(t.Context(), stored(t, c), p, lab, m, nil)
	if err != nil || again.Ended != "complete" || len(again.Results) != 5 {
		t.Fatalf("ended %q with %d results: %v", again.Ended, len(again.Results), err)
	}
	for _, r := range again.Results {
		anew := r.Method == "netperf" || r.Method == "ftp" || r.Method == "iperf3"
		if r.Value <= 0 || r.Unmeasured != "" || (r.First > last) != anew {
			t.Errorf("%s: %v, %q, from trial %d; %d were there before", r.Method, r.Value, r.Unmeasured, r.First, last)
		}
	}
}

// errBusyPort is why a server does not start.
var errBusyPort = errors.New("vsftpd did not start: port 2100 is in use")

// A plan of both kinds sends frames for the methods of frames and has programs
// talk for the others, each once, and takes no tester's time for the latter.
func TestFramesAndTransfers(t *testing.T) {
	p := parsed(t, "testbed: {kind: sim, link: 1G}\ntraffic: {sizes: [64, 512]}\nmethods: [frmol, tcp]\n")
	lab := simulated(t)
	kinds := map[string]int{}
	sound := lab.Measure
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		kinds[trial.Purpose]++
		if (trial.Transfer != nil) != trial.Traffic.Application || (trial.Purpose == "tcp") != trial.Traffic.Application {
			t.Errorf("%s has traffic %s", trial.Purpose, trial.Traffic.Name)
		}
		return sound(ctx, trial)
	}
	c, err := Run(t.Context(), p, lab, &mortal{lives: -1}, nil)
	if err != nil || len(c.Results) != 3 {
		t.Fatalf("%d results: %v", len(c.Results), err)
	}
	if kinds["tcp"] != 1 || kinds["frmol"] != 2 || kinds["self-test"] != 2 || kinds["probe"] != 2 {
		t.Errorf("trials: %v", kinds)
	}
	if len(c.Manifest.Ceiling) != 2 {
		t.Errorf("the tester's ceiling is %v", c.Manifest.Ceiling)
	}
}
