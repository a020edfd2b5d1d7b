package method

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

func TestRecovery(t *testing.T) {
	for _, truth := range []time.Duration{0, 100 * time.Microsecond, 30 * time.Millisecond, time.Second} {
		for name, change := range map[string]func(Env) Env{"one direction": nil, "both": bidirectional} {
			env := simulated(t, sim.Config{Capacity: 1e4, Buffer: 50, Latency: 20 * time.Microsecond, Recovery: truth})
			if change != nil {
				env = change(env)
			}
			env.Past = []weir.Result{found("throughput", 1e4)}
			r := run(t, "recovery", env, Params{})
			near(t, name+": recovery time", r.Value, truth.Seconds(), 1/5500.)
			near(t, "overload", figure(t, r, "overload"), 1.1e4, 1e-6)
			near(t, "load after it", figure(t, r, "load after the overload"), 5.5e3, 1e-6)
			if figure(t, r, claim.Throughput) != 1e4 || r.Trials != 3 || r.SearchTime != 21 || r.Unit != "s" || r.Verdict != "" || len(r.Warnings) > 0 {
				t.Errorf("%s: %+v", name, r)
			}
			if r.Latency == nil || r.Latency.N != r.Ledger.Received || r.Ledger.Offered == r.Ledger.Received || r.LossRatio == 0 {
				t.Errorf("%s: ledger %+v and latency %+v are not of one trial with an overload", name, r.Ledger, r.Latency)
			}
		}
	}
}

func TestRecoveryAtTheEdges(t *testing.T) {
	run2 := func(dut sim.Config, throughput float64, change func(*Env), p Params) weir.Result {
		t.Helper()
		env := simulated(t, dut)
		env.Past = []weir.Result{found("throughput", throughput)}
		if change != nil {
			change(&env)
		}
		return run(t, "recovery", env, p)
	}
	limited := []weir.WarningCode{weir.SearchLimit}
	r := run2(sim.Config{Capacity: 1e5, Recovery: time.Minute}, 1e5, nil, Params{})
	if r.Verdict != notRecovered || r.Value < 1.999 || !cmp.Equal(codes(r), limited) {
		t.Errorf("a DUT that does not recover: %q, %v s, %v", r.Verdict, r.Value, r.Warnings)
	}
	r = run2(sim.Config{Capacity: 2e5, Recovery: time.Minute}, 1e5, nil, Params{})
	if r.Verdict != notOverloaded || r.Value != 0 || !cmp.Equal(codes(r), limited) {
		t.Errorf("a DUT that is not overloaded: %q, %v s, %v", r.Verdict, r.Value, r.Warnings)
	}
	// The medium may limit the overload (RFC 2544 section 26.5), the tester not.
	short := Params{Trial: time.Second, Trials: 1}
	r = run2(sim.Config{Capacity: 1e5, Recovery: time.Millisecond}, 1e5, func(e *Env) { e.MediaRate = 105_000 }, short)
	near(t, "overload", figure(t, r, "overload"), 105_000, 1e-6)
	if len(r.Warnings) > 0 {
		t.Errorf("limited by the medium: %v", r.Warnings)
	}
	r = run2(sim.Config{Capacity: 1e5, Recovery: time.Millisecond}, 1e5, func(e *Env) { e.Ceiling = 105_000 }, short)
	near(t, "recovery time", r.Value, 1e-3, 1/52_500.)
	if !cmp.Equal(codes(r), []weir.WarningCode{weir.TesterLimited}) || r.Claim.Name == "RFC 2544 system recovery" {
		t.Errorf("limited by the tester: %v, claim %q", r.Warnings, r.Claim.Name)
	}
}

func TestReset(t *testing.T) {
	for _, truth := range []time.Duration{200 * time.Microsecond, 40 * time.Millisecond, 3 * time.Second} {
		for name, change := range map[string]func(Env) Env{"one direction": nil, "both": bidirectional} {
			env := simulated(t, sim.Config{Capacity: 1e4, Latency: 20 * time.Microsecond, Reset: truth})
			env.Events = sim.Events()
			env.Past = []weir.Result{found("throughput", 1e4)}
			if change != nil {
				env = change(env)
			}
			r := run(t, "reset", env, Params{Trials: 2})
			near(t, name+": reset time", r.Value, truth.Seconds(), 1e-4+1e-12)
			near(t, "frames lost", figure(t, r, "frames lost"), truth.Seconds()*1e4, 1)
			near(t, "time until the first loss", figure(t, r, "from the event to the first loss"), 0, 1e-4)
			if r.Unit != "s" || r.Trials != 2 || r.Verdict != "" || len(r.Warnings) > 0 || r.Latency.N != r.Ledger.Received {
				t.Errorf("%s: %+v", name, r)
			}
			if figure(t, r, "resolution") > 1.0001e-4 || figure(t, r, "standard deviation of the trials") != 0 {
				t.Errorf("%s: figures %+v", name, r.Figures)
			}
		}
	}
	env := simulated(t, sim.Config{Capacity: 1e4})
	env.Events = sim.Events()
	env.Past = []weir.Result{found("throughput", 1e4)}
	if r := run(t, "reset", env, Params{Phases: Phases{Event: "reset interface"}}); r.Value != 0 || r.Verdict != nothingLost {
		t.Errorf("a reset that loses nothing: %v s, verdict %q", r.Value, r.Verdict)
	}
}

// A minute at a million frames a second makes steps of many frames; recovery
// and reset are known to one of them all the same.
func TestLongOutagesAreExact(t *testing.T) {
	for _, truth := range []time.Duration{0, 7 * time.Microsecond, 1234567 * time.Microsecond, 5 * time.Second} {
		for name, change := range map[string]func(Env) Env{"one direction": nil, "both": bidirectional} {
			env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 50, Recovery: truth, Reset: truth})
			env.Events = sim.Events()
			if change != nil {
				env = change(env)
			}
			env.Past = []weir.Result{found("throughput", 1e6)}
			for _, tt := range []struct {
				method string
				params Params
				gap    float64
			}{
				{"recovery", recovery.ByTheBook(Params{Trials: 1}), 1 / .55e6},
				{"reset", Params{Trial: time.Minute, Phases: Phases{Settled: 10 * time.Second}}, 1 / 1e6},
			} {
				r := run(t, tt.method, env, tt.params)
				near(t, name+": time of "+tt.method, r.Value, truth.Seconds(), tt.gap+1e-9)
				if truth > 0 {
					near(t, name+": resolution of "+tt.method, figure(t, r, "resolution"), tt.gap, 2e-9)
				}
			}
		}
	}
}

// Losses before the event, and short ones after it, are not the reset's.
func TestResetAmongOtherLosses(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e5})
	env.Events = []string{"flap", "reset daemon"}
	env.Past = []weir.Result{found("throughput", 1e5)}
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		const ms = time.Millisecond
		r.Timeline = &weir.Timeline{Resolution: ms, LastLoss: 1500 * ms, Episodes: []weir.Episode{
			{From: 100 * ms, Until: 900 * ms, Lost: 9}, {From: 1001 * ms, Until: 1002 * ms, Lost: 1},
			{From: 1010 * ms, Until: 1060 * ms, Lost: 5000}, {From: 1499 * ms, Until: 1500 * ms, Lost: 2},
		}}
		r.Happened = &weir.Happened{Began: trial.Event.After, Ended: trial.Event.After + 3*ms}
		if trial.Event.Name != "reset daemon" {
			r.Happened.Error = "not that one"
		}
		return r, err
	}
	r := run(t, "reset", env, Params{})
	near(t, "reset time", r.Value, .05, 1e-12)
	near(t, "time of the event", figure(t, r, "time that the event took"), .003, 1e-12)
	near(t, "time until the first loss", figure(t, r, "from the event to the first loss"), .01, 1e-12)
}

func TestOutageErrors(t *testing.T) {
	past := func(dut sim.Config) Env {
		env := simulated(t, dut)
		env.Past = []weir.Result{found("throughput", 1e4)}
		env.Events = sim.Events()
		return env
	}
	plain := sim.Config{Capacity: 1e4}
	with := func(change func(*Env)) Env {
		env := past(plain)
		change(&env)
		return env
	}
	fast := past(sim.Config{Capacity: 9e5, Reset: time.Millisecond})
	fast.Past = []weir.Result{found("throughput", 1e6)} // of trials that its buffer helped
	var nothing *NothingForwardedError
	for _, m := range []Method{recovery, reset} {
		if _, err := m.Run(t.Context(), with(func(e *Env) { e.Past = nil }), Params{}); err == nil || !strings.Contains(err.Error(), "put throughput with loss 0 before") {
			t.Errorf("%s without a throughput: %v", m.Name, err)
		}
		if _, err := m.Run(t.Context(), dead(past(plain), 0), Params{}); !errors.As(err, &nothing) {
			t.Errorf("%s of a DUT that forwards nothing: %v", m.Name, err)
		}
		if _, err := m.Run(t.Context(), timeless(past(plain)), Params{}); !errors.Is(err, errNoTimeline) {
			t.Errorf("%s without timelines: %v", m.Name, err)
		}
	}
	for name, tt := range map[string]struct {
		env    Env
		params Params
		want   string
	}{
		"no events":         {with(func(e *Env) { e.Events = nil }), Params{}, "cannot reset the DUT; what it can do to the DUT: nothing"},
		"other events":      {with(func(e *Env) { e.Events = []string{"announce"} }), Params{}, "cannot reset the DUT; what it can do to the DUT: announce"},
		"an unknown event":  {past(plain), Params{Phases: Phases{Event: "power"}}, `no event "power"; what it can do to the DUT: reset, reset interface, announce`},
		"a late event":      {past(plain), Params{Phases: Phases{Settled: time.Minute}}, "the reset would come 1m0s after the start (settled), and a trial lasts 10s"},
		"a long outage":     {past(sim.Config{Capacity: 1e4, Reset: time.Minute}), Params{}, "not forwarded again when a trial of 10s ended"},
		"less than asked":   {fast, Params{Trial: time.Minute}, "forwarded again, and lost 10 % of the frames until the trial of 1m0s ended: it does not hold this load, 1000000 frames/s"},
		"a tester that may": {with(func(e *Env) { e.Measure = eventless(e.Measure) }), Params{}, "this tester does nothing to the DUT"},
	} {
		if r, err := reset.Run(t.Context(), tt.env, tt.params); err == nil || !strings.Contains(err.Error(), tt.want) || r[0].Value != 0 {
			t.Errorf("%s: error %v does not say %q", name, err, tt.want)
		}
	}
}

func eventless(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		r.Happened = nil
		return r, err
	}
}

// With what their texts demand, and a DUT that does as they expect, these
// methods earn their full names.
func TestBookEarnsTheFullNames(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e4, Buffer: 50, Latency: 20 * time.Microsecond, Recovery: time.Millisecond, Reset: time.Millisecond})
	first := netip.MustParseAddr("198.18.0.2")
	set := weir.AddressSet{First: first, Count: 1, Order: weir.Fixed}
	port := weir.PortSet{First: 7, Last: 7, Order: weir.Fixed}
	env.Traffic.Forward = weir.Stream{Source: set, Destination: set, SourcePort: port, DestinationPort: port}
	env.Traffic.Reverse = env.Traffic.Forward
	env = bidirectional(env)
	env.Waits = weir.Waits{Learning: 2 * time.Second, Residual: 2 * time.Second, Settle: 5 * time.Second}
	env.MediaRate = 14_881
	env.Events = sim.Events()
	env.Past = []weir.Result{found("throughput", 1e4)}
	for method, name := range map[string]string{
		"loss-rate":            "RFC 2544 frame loss rate",
		"back-to-back":         "RFC 2544 back-to-back",
		"rfc9004-back-to-back": "RFC 9004 back-to-back",
		"recovery":             "RFC 2544 system recovery",
		"reset":                "RFC 2544 reset",
		"soak":                 "soak",
	} {
		m, _ := ByName(method)
		if r := run(t, method, env, m.ByTheBook(Params{})); r.Claim.Name != name || len(r.Claim.Missed) > 0 {
			t.Errorf("%s is called %q and misses %v", method, r.Claim.Name, r.Claim.Missed)
		}
	}
}
