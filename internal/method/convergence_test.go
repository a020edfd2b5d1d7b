package method

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

func learningEnv(t *testing.T, c sim.Config, routes int) Env {
	env := simulated(t, c)
	env.Past = []weir.Result{found("throughput", 1e6)}
	env.Events = []string{"announce"}
	env.Condition.Put(weir.RouteSet{Family: weir.IPv4, Count: routes, Via: "bgp"})
	return env
}

func TestConvergenceFindsTheTruth(t *testing.T) {
	const routes, rate = 10_000, 20_000. // learnt within 0.5 s
	for _, name := range []string{"fib-learning", "bgp-convergence"} {
		env := learningEnv(t, sim.Config{Capacity: 1e6, Learning: rate}, routes)
		r := run(t, name, env, Params{Trial: 3 * time.Second})
		accuracy, _ := r.Figure("accuracy")
		if want := routes / rate; math.Abs(r.Value-want) > accuracy || accuracy != .02 {
			t.Errorf("%s: %v s to %v s, want %v", name, r.Value, accuracy, want)
		}
		if got, _ := r.Figure("mean over the routes, from the frames lost"); math.Abs(got-routes/rate/2) > accuracy {
			t.Errorf("%s: %v s for a route, want %v", name, got, routes/rate/2)
		}
		if got, _ := r.Figure("routes learnt"); math.Abs(got-rate) > .05*rate {
			t.Errorf("%s: %v prefixes/s, want %v", name, got, rate)
		}
	}
}

func TestConvergenceSaysWhatItNeeds(t *testing.T) {
	dut := sim.Config{Capacity: 1e6, Learning: 20_000}
	for _, c := range []struct {
		name   string
		method Method
		change func(*Env)
		want   string
	}{
		{"no routes", learning, func(e *Env) { e.Condition = nil }, "needs routes to learn"},
		{"no such event", learning, func(e *Env) { e.Events = []string{"reset"} }, "cannot announce routes during a trial; what it can do to the DUT: reset"},
		{"routes of the kernel", convergence, func(e *Env) { e.Condition.Put(weir.RouteSet{Family: weir.IPv4, Count: 10_000, Via: "netlink"}) }, `come through "netlink"`},
		{"no throughput", learning, func(e *Env) { e.Past = nil }, "put throughput with loss 0 before it"},
		{"too short", learning, func(e *Env) { e.Condition.Put(weir.RouteSet{Family: weir.IPv4, Count: 100_000, Via: "bgp"}) }, "were not learnt within the trial of 3s"},
		{"event fails", learning, func(e *Env) {
			measure := e.Measure
			e.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
				r, err := measure(ctx, trial)
				r.Happened = &weir.Happened{Error: "the neighbour is gone"}
				return r, err
			}
		}, "the neighbour is gone"},
	} {
		env := learningEnv(t, dut, 10_000)
		c.change(&env)
		if _, err := c.method.Run(t.Context(), env, Params{Trial: 3 * time.Second}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A time that is less than what can be told apart is no measurement of it.
func TestConvergenceBelowTheAccuracy(t *testing.T) {
	env := learningEnv(t, sim.Config{Capacity: 1e6, Learning: 1e9}, 10_000)
	r := run(t, "fib-learning", env, Params{Trial: 3 * time.Second})
	accuracy, _ := r.Figure(claim.Accuracy)
	if _, told := r.Figure("routes learnt"); told || r.Verdict != claim.AtMost || r.Value != accuracy || r.Lower != 0 || r.Claim.Name != "learning time, few trials" {
		t.Errorf("verdict %q, %v of %v s, claim %q, figures %+v", r.Verdict, r.Value, accuracy, r.Claim.Name, r.Figures)
	}
}

// What is lost in each step at the usual load, as on a disturbed machine, is no route
// that is not learnt where half of the load loses nothing.
func TestConvergenceAtHalfTheLoad(t *testing.T) {
	env := learningEnv(t, sim.Config{Capacity: 300e3, Buffer: 256, Learning: 100_000}, 10_000)
	env.Past = []weir.Result{found(throughputName, 800e3)} // of a better minute
	r := run(t, "fib-learning", env, Params{Trial: 3 * time.Second})
	if learnt, _ := r.Figure("routes learnt"); r.Trials != 2 || math.Abs(learnt/100_000-1) > .3 {
		t.Errorf("%d trials, %v s, figures %+v", r.Trials, r.Value, r.Figures)
	}
}

// Where there is no throughput, the knee of a sweep says at which load routes
// are learnt.
func TestConvergenceAtAShareOfAKnee(t *testing.T) {
	s := &session{env: Env{Method: learning}, kneeDoes: true}
	s.env.Past = []weir.Result{{Method: sweepName, Sweep: &weir.Sweep{KneeZero: weir.Bounds{Value: 7e5}}}, {Method: sweepName, Sweep: &weir.Sweep{}}}
	if rate, err := s.rateWithoutLoss(); rate != 7e5 || err != nil {
		t.Errorf("%v, %v", rate, err)
	}
	s.env.Past = append(s.env.Past, found(throughputName, 6e5))
	if rate, err := s.rateWithoutLoss(); rate != 6e5 || err != nil {
		t.Errorf("with a throughput: %v, %v", rate, err)
	}
	s.env.Past = nil
	if _, err := s.rateWithoutLoss(); err == nil {
		t.Error("nothing is known")
	}
}
