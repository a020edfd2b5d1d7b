package method

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"weir"
	"weir/internal/tester"
)

// Up to its capacity a simulated DUT loses nothing, beyond it a share of the
// capacity for each unit of overload: MLFRR, MFR and FRMOL are known, and with
// them the verdict.
func TestOverloadFindsTheTruth(t *testing.T) {
	for _, c := range []struct {
		name     string
		livelock float64
		ceiling  float64
		verdict  string
	}{
		{"graceful", .005, 10e6, graceful},
		{"degrading", .05, 10e6, degrading},
		{"livelock", .2, 10e6, livelocked},
		{"graceful because nothing overloads it", .2, 1.2e6, graceful},
	} {
		const capacity = 1e6
		env := simulated(t, tester.SimConfig{Capacity: capacity, Buffer: 100, Livelock: c.livelock})
		env.Probe = true
		r := run(t, "overload", env, Params{Maximum: c.ceiling})
		if math.Abs(r.Value-capacity) > .02*capacity || r.Lower > r.Value || r.Upper < r.Value {
			t.Errorf("%s: MLFRR %v between %v and %v, want %v", c.name, r.Value, r.Lower, r.Upper, capacity)
		}
		overload := c.ceiling/capacity - 1
		want := capacity*max(0, 1-c.livelock*overload) + 100
		if got, _ := r.Figure("FRMOL"); math.Abs(got-want) > 1 {
			t.Errorf("%s: FRMOL %v, want %v", c.name, got, want)
		}
		if got, _ := r.Figure("MFR"); got < .99*capacity || got > 1.01*capacity {
			t.Errorf("%s: MFR %v, want about %v", c.name, got, capacity)
		}
		if r.Verdict != c.verdict {
			t.Errorf("%s: verdict %q", c.name, r.Verdict)
		}
		if n := len(r.Curve); n != 19 || r.Curve[0].Branch != up || r.Curve[18].Branch != down || r.Curve[9].Offered < r.Curve[8].Offered {
			t.Errorf("%s: a curve of %d points", c.name, n)
		}
		if p := r.Curve[9].Probe; p == nil || p.EchoSent == 0 {
			t.Errorf("%s: nobody asked the control plane: %+v", c.name, p)
		}
		if _, ok := r.Figure("FRMOL without probes"); !ok {
			t.Errorf("%s: what the probes cost is not said", c.name)
		}
		if h, _ := r.Figure("largest difference between up and down"); h != 0 {
			t.Errorf("%s: a model without memory has a hysteresis of %v", c.name, h)
		}
	}
}

func TestOverloadFindsTheRecoveryTime(t *testing.T) {
	env := simulated(t, tester.SimConfig{Capacity: 1e6, Buffer: 100, Recovery: 123 * time.Millisecond})
	r := run(t, "overload", env, Params{Maximum: 10e6})
	got, ok := r.Figure("recovery time")
	step, _ := r.Figure("resolution of the recovery time")
	if !ok || math.Abs(got-.123) > max(step, 1e-5) || step > 1e-4 {
		t.Errorf("recovery within %v s (to %v s), want 0.123", got, step)
	}
}

func TestOverloadOfADeadDUT(t *testing.T) {
	env := dead(simulated(t, tester.SimConfig{Capacity: 1e6}), 0)
	for _, name := range []string{"overload", "mfr"} {
		m, _ := ByName(name)
		_, err := m.Run(t.Context(), env, Params{})
		var nothing *NothingForwardedError
		if !errors.As(err, &nothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RFC 2285 section 3.6.3 has a device that forwards 12,880 frames/s of 12,880
// and only 7,400 of 14,880.
func TestMFR(t *testing.T) {
	// (14880 - C) x slope = C - 7400 with C = 12880
	env := simulated(t, tester.SimConfig{Capacity: 12880, Livelock: (12880. - 7400) / (14880 - 12880)})
	env.MediaRate = 14880
	r := run(t, "mfr", env, Params{})
	load, _ := r.Figure("offered load")
	if math.Abs(r.Value-12880) > .01*12880 || math.Abs(load-12880) > .01*12880 {
		t.Errorf("MFR %v at a load of %v, want 12880", r.Value, load)
	}
	if frmol := r.Curve[9].Forwarded; math.Abs(frmol-7400) > 1 {
		t.Errorf("FRMOL %v, want 7400", frmol)
	}
	if _, err := mfr.Run(t.Context(), Env{Measure: env.Measure, Traffic: env.Traffic}, Params{}); err == nil {
		t.Error("without a limit there is no maximum load")
	}
	both := bidirectional(simulated(t, tester.SimConfig{Capacity: 1e6, Livelock: .05}))
	both.MediaRate = 1e6
	if r := run(t, "mfr", both, Params{}); math.Abs(r.Value-1e6) > .01e6 {
		t.Errorf("MFR of both directions %v, want 1,000,000", r.Value)
	}
}

func TestVerdict(t *testing.T) {
	for index, want := range map[float64]string{1: graceful, .9: graceful, .89: degrading, .1: degrading, .09: livelocked, 0: livelocked} {
		if got := verdict(index); got != want {
			t.Errorf("an index of %v is %q, want %q", index, got, want)
		}
	}
}

// Where nothing is lost at any load there is no word on overload.
func TestOverloadThatIsNone(t *testing.T) {
	env := simulated(t, tester.SimConfig{Capacity: 1e6, Buffer: 100})
	env.Probe = true
	r := run(t, "overload", env, Params{Maximum: 5e5})
	if r.Verdict != notOverloaded || r.Claim.Name != "overload, at least" || r.Value != 5e5 || len(codes(r)) != 1 {
		t.Errorf("verdict %q, claim %q, MLFRR %v, warnings %v", r.Verdict, r.Claim.Name, r.Value, r.Warnings)
	}
	for _, name := range []string{"index FRMOL/MFR", "recovery time"} {
		if v, ok := r.Figure(name); ok {
			t.Errorf("%s is %v", name, v)
		}
	}
}

// Frames that are lost once, below what the DUT forwards, do not end the search.
func TestOverloadDisturbed(t *testing.T) {
	env := simulated(t, tester.SimConfig{Capacity: 1e6, Buffer: 100})
	measure, disturbed := env.Measure, false
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if !disturbed && math.Abs(trial.Intended-3e5) < 1 {
			disturbed = true
			r.Received -= 5
		}
		return r, err
	}
	r := run(t, "overload", env, Params{Maximum: 3e6})
	near(t, "MLFRR", r.Value, 1e6, .02e6)
	if !disturbed {
		t.Error("no step was disturbed")
	}
}
