package proof

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/stats"
)

// transfers is a campaign of streams of two tests at three arms, to which
// something happens.
func transfers(change func(r *weir.Result)) weir.Campaign {
	c := model{seed: 3, replicates: 12, effects: []float64{0, 0, math.Log(0.95)}, noise: 0.01, sizes: []int{64}}.campaign()
	var all []weir.Result
	for _, r := range c.Results {
		for i, test := range []string{"TCP_STREAM", "TCP_RR"} {
			r := r
			r.Method, r.Unit, r.Width, r.Claim = "netperf", []string{"bit/s", "transactions/s"}[i], 0, weir.Claim{Name: "netperf " + test}
			r.Factors = weir.Factors{"frame_size": "streams", "firewall": r.Factors["firewall"]}
			r.Transfer = &weir.Transfer{Program: "netperf", Test: test, Seed: uint64(r.Run.Number)}
			if change != nil {
				change(&r)
			}
			all = append(all, r)
		}
	}
	c.Results = all
	return c
}

// unmeasure takes a result's value, as a method does that could not have one: it
// knows neither unit nor claim.
func unmeasure(r *weir.Result, why string, transfer bool) {
	r.Value, r.Unit, r.Claim, r.CPUPerFrame, r.Unmeasured = 0, "bit/s", weir.Claim{}, 0, why
	if !transfer {
		r.Transfer = nil
	}
}

func TestTransfersAreToldApartByTheirTest(t *testing.T) {
	p, err := Of(transfers(nil))
	if err != nil {
		t.Fatal(err)
	}
	list := values(p)
	if len(list) != 2 || list[0].Transfer.Test != "TCP_STREAM" || list[1].Transfer.Test != "TCP_RR" || list[1].Unit != "transactions/s" {
		t.Fatalf("the comparisons are %+v", list)
	}
	for _, c := range list {
		if len(c.Runs) != 36 || len(c.Vetoes) > 0 || c.Effects[1].Verdict != stats.Proven || c.Transfer.Seed != 0 {
			t.Errorf("%s: %d runs, vetoes %v, effects %+v", c.Transfer.Test, len(c.Runs), c.Vetoes, c.Effects)
		}
	}
}

// Two warm-ups are two comparisons, as they are two columns of a report.
func TestTransfersAreToldApartByTheirWarmUp(t *testing.T) {
	p, err := Of(transfers(func(r *weir.Result) {
		r.Transfer.WarmUp = time.Second
		if r.Transfer.Test == "TCP_RR" {
			r.Transfer.Test, r.Transfer.WarmUp, r.Unit = "TCP_STREAM", 5*time.Second, "bit/s"
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if list := values(p); len(list) != 2 || list[0].Transfer.WarmUp != time.Second || list[1].Transfer.WarmUp != 5*time.Second {
		t.Errorf("the comparisons are %+v", list)
	}
}

func TestRunsWithoutAValue(t *testing.T) {
	const missing = "netperf is not installed"
	test := func(r *weir.Result) string { return r.Transfer.Test }
	for _, c := range []struct {
		name    string
		change  func(r *weir.Result)
		veto    string // of the second comparison, what is in it; "": none
		warning string
		left    int // blocks of it
	}{
		{"one transaction test broke off, and does not say which test it was", func(r *weir.Result) {
			if test(r) == "TCP_RR" && r.Run.Number == 7 {
				unmeasure(r, "broke off", false)
			}
		}, "", "", 1},
		{"one broke off, and its transfer is known", func(r *weir.Result) {
			if test(r) == "TCP_RR" && r.Run.Number == 7 {
				unmeasure(r, "broke off", true)
			}
		}, "", "", 1},
		{"an arm cannot have it", func(r *weir.Result) {
			if test(r) == "TCP_RR" && r.Run.Arm == arms[1] {
				unmeasure(r, "the path refuses it", false)
			}
		}, "", "firewall stateless has no run that found anything, and is not compared: the path refuses it", 0},
		{"an arm breaks off now and then", func(r *weir.Result) {
			if test(r) == "TCP_RR" && r.Run.Arm == arms[2] && r.Run.Block%6 == 0 {
				unmeasure(r, "broke off", false)
			}
		}, "firewall stateful has no value in 2 of 12 runs, and firewall none in 0", "", 2},
		{"the program is missing", func(r *weir.Result) { unmeasure(r, missing, false) }, "not measured: " + missing, "", 0},
		{"the disk is the limit", func(r *weir.Result) {
			if test(r) == "TCP_RR" && r.Run.Arm == arms[0] {
				r.Warnings = append(r.Warnings, madeUp(weir.DiskBound))
			}
		}, "", "firewall none was as fast as the storage of its hosts in 12 of 12 runs", 0},
	} {
		p, err := Of(transfers(c.change))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		list := values(p)
		if len(list) != 2 || len(list[1].Runs) != 36 {
			t.Errorf("%s: %d comparisons, of which the second has %d runs", c.name, len(list), len(list[len(list)-1].Runs))
			continue
		}
		second := list[1]
		in := func(ws []weir.Warning, text string) bool {
			return slices.ContainsFunc(ws, func(w weir.Warning) bool { return strings.Contains(w.Text, text) })
		}
		if c.veto == "" && len(second.Vetoes) > 0 || c.veto != "" && !in(second.Vetoes, c.veto) {
			t.Errorf("%s: the vetoes are %v, want %q", c.name, second.Vetoes, c.veto)
		}
		if c.warning != "" && !in(second.Warnings, c.warning) {
			t.Errorf("%s: the warnings are %v, want %q", c.name, second.Warnings, c.warning)
		}
		if second.LeftOut != c.left {
			t.Errorf("%s: %d blocks are left out, want %d", c.name, second.LeftOut, c.left)
		}
		if in(p.Warnings, "effects") {
			t.Errorf("%s: %v", c.name, p.Warnings)
		}
		for _, s := range second.Runs {
			if s.Result.Unmeasured != "" && s.Doubt != s.Result.Unmeasured {
				t.Errorf("%s: run %d does not count because %q", c.name, s.Run.Number, s.Doubt)
			}
		}
	}
}
