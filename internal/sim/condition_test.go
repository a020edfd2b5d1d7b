package sim

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/schema"
)

var update = flag.Bool("update", false, "write the table of docs/plans.md anew")

// forwards is how many frames/s a simulated DUT without a buffer forwards in a
// trial of a run.
func forwards(t *testing.T, s *Router, run int, c weir.Condition) float64 {
	t.Helper()
	trial := load(10e6)
	trial.Run, trial.Condition = run, c
	return measured(t, s, trial).ForwardingRate()
}

func TestSimRuns(t *testing.T) {
	const runs = 2000
	of := func(c Config) (out []float64) {
		c.Capacity = 1e6
		s := sim(t, c)
		for n := range runs {
			out = append(out, forwards(t, s, n+1, weir.Condition{}))
		}
		return out
	}
	noisy := of(Config{RunNoise: .05, Seed: 7})
	var sum, squares float64
	for _, v := range noisy {
		sum += v
		squares += (v - 1e6) * (v - 1e6)
	}
	apart(t, "mean of the runs", sum/runs, 1e6, 4*50_000/math.Sqrt(runs))
	apart(t, "deviation of the runs", math.Sqrt(squares/runs), 50_000, 4000)
	if cmp.Equal(noisy, of(Config{RunNoise: .05, Seed: 8})) {
		t.Error("another seed gives the same runs")
	}

	wave, drift := of(Config{Wave: .1}), of(Config{Drift: -.001})
	for n := range 20 {
		apart(t, "capacity in a wave", wave[n], 1e6*(1+.1*math.Sin(2*math.Pi*float64(n+1)/5)), 2)
		apart(t, "capacity that drifts", drift[n], 1e6*math.Pow(.999, float64(n)), 2)
	}
	var period float64
	for _, v := range wave[:5] {
		period += v / 5
	}
	apart(t, "mean of a period", period, 1e6, 2)
	if all := of(Config{Drift: .9}); all[runs-1] > 20e6 || math.IsInf(all[runs-1], 0) {
		t.Errorf("a drift of 90%% ends at %v", all[runs-1])
	}
}

// Trials of one run share what is drawn for it, whatever their numbers; those
// of no run know nothing of runs.
func TestSimTrialsOfARun(t *testing.T) {
	s := sim(t, Config{Capacity: 1e6, RunNoise: .1, Wave: .1, Drift: .01, Seed: 3})
	of := func(number, run int) float64 {
		trial := load(10e6)
		trial.Number, trial.Run = number, run
		return measured(t, s, trial).ForwardingRate()
	}
	if of(1, 4) != of(99, 4) || of(0, 4) != of(1, 4) {
		t.Error("trials of one run differ")
	}
	if of(1, 4) == of(1, 5) {
		t.Error("two runs are alike")
	}
	if of(1, 0) != 1e6 {
		t.Errorf("a trial of no run forwards %v frames/s", of(1, 0))
	}
}

func TestSimConditions(t *testing.T) {
	s := sim(t, Config{Capacity: 1e6, FirewallCost: .25, FilterCost: .02, RouteCost: .1, NAPICost: .25})
	firewall := func(kind weir.FirewallKind, rules int) weir.Condition {
		return weir.ConditionOf(weir.Firewall{Kind: kind, Rules: rules, With: weir.IPTables})
	}
	xdp := weir.ConditionOf(weir.PathXDP)
	for _, tt := range []struct {
		condition weir.Condition
		want      float64
	}{
		{weir.ConditionOf(weir.PathStack, weir.Softirq), 1e6},
		{weir.ConditionOf(weir.Threaded), 8e5},
		{weir.ConditionOf(weir.BusyPoll), 1e6 / .75},
		{firewall(weir.Stateless, 0), 1e6 / 1.25},
		{firewall(weir.Stateful, 0), 1e6 / 1.5},
		{firewall(weir.NAT, 25), 1e6 / (1.75 + .5)},
		{xdp, 2e6},
		{weir.ConditionOf(weir.PathXDP, weir.Tuning{Name: "xdp_gain", Value: "3"}, weir.Tuning{Name: "capacity", Value: "500000"}), 1.5e6},
		{weir.ConditionOf(weir.Firewall{Kind: weir.Stateful}, weir.Tuning{Name: "firewall_cost", Value: "0.5"}), 5e5},
	} {
		if got := forwards(t, s, 0, tt.condition); math.Abs(got-tt.want) > 1 {
			t.Errorf("%v: %v frames/s, want %v", tt.condition, got, tt.want)
		}
		if err := Cannot(s.config, tt.condition); err != nil {
			t.Errorf("%v: %v", tt.condition, err)
		}
	}
	if got := forwards(t, sim(t, Config{Capacity: 1e6, XDPGain: 4}), 0, xdp); got != 4e6 {
		t.Errorf("with a gain of 4: %v frames/s", got)
	}
}

// Each tuning changes its parameter, and no two the same.
func TestSimTunings(t *testing.T) {
	truth := Config{
		Capacity: 1, Buffer: 1, Latency: 1, Jitter: 1, Livelock: 1, Noise: 1, Recovery: 1, Reset: 1, Learning: 1,
		RouteCost: .5, FilterCost: 1, FirewallCost: 1, NAPICost: .5, MTU: 9000, XDPGain: 1, Seed: 5,
	}
	all := truth
	for _, info := range Tunings() {
		name := info.Name
		c, err := truth.tuned([]weir.Tuning{{Name: name, Value: "0"}})
		if err != nil || c == truth {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if all, err = all.tuned([]weir.Tuning{{Name: name, Value: "0"}}); err != nil {
			t.Error(err)
		}
	}
	if want := (Config{Seed: 5}); all != want {
		t.Errorf("all of them set to 0 leave %+v", all)
	}
	trial := load(500_000)
	trial.Condition = weir.ConditionOf(weir.Tuning{Name: "latency", Value: "20000"}, weir.Tuning{Name: "buffer", Value: "10"})
	r := measured(t, sim(t, Config{Capacity: 1e6, Latency: time.Millisecond}), trial)
	apart(t, "latency", r.Latency.Quantile(1), 20e-6, 1e-6)
}

func TestSimCannot(t *testing.T) {
	s := sim(t, Config{Capacity: 1e6})
	for want, c := range map[string]weir.Condition{
		"a simulated DUT has no setting gro: it has capacity, buffer, ": weir.ConditionOf(weir.Tuning{Name: "gro", Value: "off"}),
		"no setting command": weir.ConditionOf(weir.Tuning{Name: "command", Value: "true", Undo: "true"}),
		`the setting capacity of a simulated DUT: "1.1M" is no plain number`: weir.ConditionOf(weir.Tuning{Name: "capacity", Value: "1.1M"}),
		`the setting latency of a simulated DUT: "20us" is no plain number`:  weir.ConditionOf(weir.Tuning{Name: "latency", Value: "20us"}),
		"capacity: 0 is not above 0":                                         weir.ConditionOf(weir.Tuning{Name: "capacity", Value: "0"}),
		"livelock: NaN is not 0 or more":                                     weir.ConditionOf(weir.Tuning{Name: "livelock", Value: "NaN"}),
		`no firewall "pf"`:                                                   weir.ConditionOf(weir.Firewall{Kind: "pf"}),
		`does not forward by "dpdk"`:                                         weir.ConditionOf(weir.Path("dpdk")),
	} {
		trial := load(1000)
		trial.Condition = c
		_, err := s.Measure(t.Context(), trial)
		for what, err := range map[string]error{"measured": err, "asked": Cannot(s.config, c)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %s: error %v, want %q", c, what, err, want)
			}
		}
		trial.Bypass = true
		measured(t, s, trial) // without the DUT
	}
	both := weir.ConditionOf(weir.PathXDP, weir.Firewall{Kind: weir.Stateless})
	if err := Cannot(s.config, both); err == nil {
		t.Error("a firewall that no frame comes to was taken")
	}
}

// docs/plans.md has the parameters as they are: go test ./internal/sim -update writes them.
func TestParametersAreDocumented(t *testing.T) {
	const name, head = "../../docs/plans.md", "A testbed of kind `sim` is a model with a known truth:\n\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no %q", name, head)
	}
	_, after, _ := strings.Cut(rest, "|\n\n")
	var fields []schema.Described
	for _, p := range Parameters {
		fields = append(fields, p.Described)
	}
	if want := before + head + schema.Table("plans.md", fields) + "\n" + after; want != string(text) {
		if !*update {
			t.Fatalf("%s has another table of parameters: go test ./internal/sim -update", name)
		}
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
