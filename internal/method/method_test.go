package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/sim"
)

func simulated(t *testing.T, c sim.Config) Env {
	t.Helper()
	router, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return Env{
		Measure: router.Measure,
		Traffic: weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1},
		Factors: weir.Factors{"frame_size": 64},
		Ceiling: sim.Ceiling,
		DUTCPUs: 2,
	}
}

func run(t *testing.T, name string, env Env, p Params) weir.Result {
	t.Helper()
	m, ok := ByName(name)
	if !ok {
		t.Fatalf("no method %q", name)
	}
	r, err := m.Run(t.Context(), env, m.Params(p))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r[0]
}

func codes(r weir.Result) (out []weir.WarningCode) {
	for _, w := range r.Warnings {
		out = append(out, w.Code)
	}
	return out
}

func bidirectional(e Env) Env { e.Traffic.Bidirectional = true; return e }

// found is a result at the same levels that a method builds upon.
func found(name string, rate float64) weir.Result { return weir.Result{Method: name, Value: rate} }

// Every method of the table against a DUT of 1,000,000 frames/s that holds 256
// frames, takes 20 us and loses a twentieth of its capacity at twice the load.
func TestMethodsFindTheTruth(t *testing.T) {
	dut := sim.Config{Capacity: 1e6, Buffer: 256, Latency: 20 * time.Microsecond, Livelock: .05}
	tests := []struct {
		method string
		change func(Env) Env
		past   []weir.Result
		want   float64
		within float64 // relative
		unit   string
		claim  string
		cpu    float64 // share of two CPUs
	}{
		{method: "self-test", want: sim.Ceiling, unit: "frames/s", claim: "tester ceiling"},
		{method: "self-test", change: bidirectional, want: 2 * sim.Ceiling, unit: "frames/s", claim: "tester ceiling"},
		// 20 times the capacity: 19 units of overload cost 95 % of it.
		{method: "frmol", want: 50_256, unit: "frames/s", claim: "FRMOL", cpu: .5},
		{method: "throughput", want: 1e6, within: .01, unit: "frames/s", claim: "throughput, short trials", cpu: .5},
		{method: "throughput", change: bidirectional, want: 1e6, within: .01, unit: "frames/s", claim: "throughput, short trials", cpu: .5},
		{method: "latency", past: []weir.Result{found("throughput", 1e6)}, want: 20e-6, within: weir.HistogramError, unit: "s", claim: "latency, short stream", cpu: .25},
		{method: "latency", change: bidirectional, past: []weir.Result{found("throughput", 1e6)}, want: 20e-6, within: weir.HistogramError, unit: "s", claim: "latency, short stream", cpu: .25},
	}
	untested := map[string]bool{}
	// These have tests of their own, as they find more than one figure.
	elsewhere := []string{"sweep", "saturated", "rfc8219-latency", "pdv", "ipdv", "jitter", "mfr", "overload", "fib-learning", "bgp-convergence",
		"loss-rate", "back-to-back", "rfc9004-back-to-back", "recovery", "reset", "soak", "mlrsearch", "profile"}
	for _, m := range All() {
		untested[m.Name] = !slices.Contains(elsewhere, m.Name) && !m.Application
	}
	for _, tt := range tests {
		delete(untested, tt.method)
		t.Run(tt.method, func(t *testing.T) {
			env := simulated(t, dut)
			if tt.change != nil {
				env = tt.change(env)
			}
			env.Past = tt.past
			r := run(t, tt.method, env, Params{})
			if math.Abs(r.Value-tt.want) > (tt.within+1e-6)*tt.want || r.Lower > r.Value || r.Upper < r.Value {
				t.Errorf("value %v between %v and %v, want %v", r.Value, r.Lower, r.Upper, tt.want)
			}
			if r.Method != tt.method || r.Unit != tt.unit || r.Claim.Name != tt.claim || !r.Simulated || r.MeanSize != 64 {
				t.Errorf("result of %q in %q, claim %q, simulated %v, %v octets", r.Method, r.Unit, r.Claim.Name, r.Simulated, r.MeanSize)
			}
			if d := cmp.Diff(weir.Factors{"frame_size": 64}, r.Factors); d != "" {
				t.Errorf("factors:\n%s", d)
			}
			if over := r.SearchTime - float64(r.Trials); r.Trials < 1 || over < 0 || over > 1 || r.TrialSeconds != 1 { // an overload takes a second more
				t.Errorf("%d trials of %v s in %v s", r.Trials, r.TrialSeconds, r.SearchTime)
			}
			if r.Latency == nil || r.Latency.N != r.Ledger.Received || r.Ledger.Offered == 0 {
				t.Errorf("latency %+v and ledger %+v are not of one trial", r.Latency, r.Ledger)
			}
			if math.Abs(r.CPUShare-tt.cpu) > .01 {
				t.Errorf("CPU share %v, want %v", r.CPUShare, tt.cpu)
			}
			if tt.cpu > 0 && math.Abs(r.CPUPerFrame*float64(r.Ledger.Received)-2*r.CPUShare) > 1e-6 {
				t.Errorf("%v s of CPU time a frame and a share of %v do not agree", r.CPUPerFrame, r.CPUShare)
			}
		})
	}
	for name, is := range untested {
		if !is {
			continue
		}
		t.Errorf("method %s is not tested", name)
	}
}

func TestTable(t *testing.T) {
	for _, m := range All() {
		if m.Name == "" || m.Summary == "" || m.Defaults.Trial <= 0 && m.Defaults.Transfer.Files == 0 || m.Defaults.Trials <= 0 {
			t.Errorf("%+v is not complete", m)
		}
		if by, ok := ByName(m.Name); !ok || by.Summary != m.Summary {
			t.Errorf("%s is not found by name", m.Name)
		}
		p := m.Params(Params{Trials: 7})
		if p.Trials != 7 || p.Trial != m.Defaults.Trial {
			t.Errorf("parameters of %s: %+v", m.Name, p)
		}
	}
	if _, ok := ByName("nothing"); ok {
		t.Error("there is a method called nothing")
	}
}

func TestWarningsAreThoseOfTheDecidingTrials(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		switch {
		case trial.Intended > 5e6:
			r.Warnings = []weir.Warning{{Code: weir.StealTime}}
		case trial.Intended > 1e6:
			r.Warnings = []weir.Warning{{Code: weir.GeneratorStalled}}
		default:
			r.Warnings = []weir.Warning{{Code: weir.GeneratorStalled}, {Code: weir.BusyMachine}}
		}
		return r, err
	}
	r := run(t, "throughput", env, Params{})
	if d := cmp.Diff([]weir.WarningCode{weir.GeneratorStalled, weir.BusyMachine}, codes(r)); d != "" {
		t.Errorf("warnings:\n%s", d)
	}
}

// dead forwards nothing up to a load, per port.
func dead(env Env, above float64) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if trial.Maximum || trial.Intended > above {
			r.Received, r.Latency = 0, weir.Histogram{}
			r.Ledger = weir.Balance(r.Offered, 0, []weir.Drop{{Place: "dut no route", Count: r.Offered}})
		}
		return r, err
	}
	return env
}

func TestNothingForwarded(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	_, err := throughput.Run(t.Context(), dead(env, 0), Params{})
	var nothing *NothingForwardedError
	if !errors.As(err, &nothing) {
		t.Fatalf("error %v", err)
	}
	want := &NothingForwardedError{
		Loads:  []float64{sim.Ceiling, 1000},
		Ledger: weir.Ledger{Offered: 1000, Drops: []weir.Drop{{Place: "dut no route", Count: 1000}}},
	}
	if d := cmp.Diff(want, nothing); d != "" {
		t.Errorf("what was tried (-want +got):\n%s", d)
	}
	if text := "no frame came back at 20000000, nor at 1000 frames/s (of 1000 frames, 1000 at dut no route, 0 at no known counter)"; !strings.Contains(err.Error(), text) {
		t.Errorf("error %q does not say %q", err, text)
	}

	r := run(t, "throughput", dead(env, 50_000), Params{}) // collapses above
	if math.Abs(r.Value-50_000) > 500 {
		t.Errorf("a DUT that collapses above 50,000 frames/s has a throughput of %v", r.Value)
	}
	if _, err := frmol.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) {
		t.Errorf("FRMOL: error %v", err)
	}
	r = run(t, "frmol", dead(env, 50_000), Params{})
	if d := cmp.Diff([]weir.WarningCode{weir.NothingForwarded}, codes(r)); d != "" || r.Value != 0 {
		t.Errorf("FRMOL %v, warnings:\n%s", r.Value, d)
	}
	env.Past = []weir.Result{found("throughput", 1e6)}
	if _, err := latency.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) {
		t.Errorf("latency: error %v", err)
	}
	if _, err := selfTest.Run(t.Context(), dead(env, 0), Params{}); err == nil {
		t.Error("a tester that hears nothing passes the self-test")
	}
}

func TestErrors(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	lossy := found("throughput", 1e6)
	lossy.LossRatio = .005
	broken := errors.New("link down")
	for name, tt := range map[string]struct {
		method Method
		change func(*Env)
		want   string
	}{
		"latency first":           {latency, func(*Env) {}, "latency is measured at a share of the throughput, which is not known: put throughput with loss 0 before it"},
		"latency after lossy":     {latency, func(e *Env) { e.Past = []weir.Result{lossy} }, "latency is measured at a share of the throughput, which is not known: put throughput with loss 0 before it"},
		"latency without a rate":  {latency, func(e *Env) { e.Past = []weir.Result{found("throughput", 0)} }, "no load was forwarded"},
		"throughput without end":  {throughput, func(e *Env) { e.Ceiling = 0 }, "give a maximum"},
		"failing trial":           {throughput, func(e *Env) { e.Measure = failing(broken) }, "trial 1: link down"},
		"failing trial of others": {frmol, func(e *Env) { e.Measure = failing(broken) }, "trial 1: link down"},
	} {
		e := env
		tt.change(&e)
		if _, err := tt.method.Run(t.Context(), e, Params{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v does not say %q", name, err, tt.want)
		}
	}
	if _, err := throughput.Run(t.Context(), env, Params{Width: 3}); err == nil || !strings.Contains(err.Error(), "width 3") {
		t.Errorf("a width of 3: %v", err)
	}
}

func failing(err error) weir.Measurer {
	return func(context.Context, weir.Trial) (weir.TrialResult, error) { return weir.TrialResult{}, err }
}

// A cancelled campaign keeps what was found until then.
func TestCancelled(t *testing.T) {
	for _, m := range All() {
		ctx, cancel := context.WithCancel(t.Context())
		env := simulated(t, sim.Config{Capacity: 1e6})
		env.Past = []weir.Result{found("throughput", 1e6)}
		env.Events = sim.Events()
		env.Condition.Put(weir.RouteSet{Family: weir.IPv4, Count: 10, Via: "bgp"})
		measure, n := env.Measure, 0
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if n++; n == 2 {
				cancel()
			}
			return measure(ctx, trial)
		}
		results, err := m.Run(ctx, env, Params{Trials: 3})
		r := results[0]
		if !errors.Is(err, context.Canceled) || r.Trials != 1 {
			t.Errorf("%s: %d trials and %v", m.Name, r.Trials, err)
		}
		if m.Name == "throughput" && (err != context.Canceled || r.Claim.Name != "search not ended") {
			t.Errorf("%s: claim %q and %v", m.Name, r.Claim.Name, err)
		}
		n = 1
		results, err = m.Run(ctx, env, Params{})
		if r = results[0]; !errors.Is(err, context.Canceled) || r.Trials != 0 {
			t.Errorf("%s when cancelled before: %d trials and %v", m.Name, r.Trials, err)
		}
	}
}

func TestMedianTrial(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Noise: .1, Seed: 2})
	r := run(t, "frmol", env, Params{Trials: 4})
	if !(r.Lower < r.Value && r.Value < r.Upper) || r.Value != float64(r.Ledger.Received) || r.Trials != 4 {
		t.Errorf("value %v of %v to %v, ledger %+v", r.Value, r.Lower, r.Upper, r.Ledger)
	}
	if want := 1 - r.Value/sim.Ceiling; math.Abs(r.LossRatio-want) > 1e-9 {
		t.Errorf("loss ratio %v, want %v", r.LossRatio, want)
	}
}
