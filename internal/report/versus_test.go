package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weir"
	"weir/internal/result"
)

// twoArms is a campaign of weir versus: six builds of A, A again and B, of which B
// forwards so much of what A does, as deviations of 0.3 % have it.
func twoArms(share float64, change func(r *weir.Result)) weir.Campaign {
	random := rand.New(rand.NewPCG(3, 5))
	c := weir.Campaign{ID: "1", Name: "versus", Ended: "complete", Manifest: weir.Manifest{Experiment: &weir.Experiment{
		Factors: []weir.Factor{{Name: "command", Levels: []string{"A", "B"}}}, Arms: []string{"command A", "command B"},
		Levels:   map[string][]weir.ArmLevel{"command A": {{Factor: "command", Name: "A", Named: true}}, "command B": {{Factor: "command", Name: "B", Named: true}}},
		Schedule: weir.Abreast, Same: true, Confidence: .95, Runs: 6,
	}}}
	for block := range 6 {
		for i, arm := range []string{"command A", "command A", "command B"} {
			r := weir.Result{Method: "saturated", Unit: "frames/s", Value: 800e3 * math.Exp(.003*random.NormFloat64()), Trials: 1,
				Run: weir.Run{Number: 3*block + i + 1, Block: block + 1, Arm: arm, Again: i == 1}, Factors: weir.Factors{"frame_size": 64, "command": strings.TrimPrefix(arm, "command ")}}
			if i == 2 {
				r.Value *= share
			}
			if change != nil {
				change(&r)
			}
			c.Results = append(c.Results, r)
		}
	}
	return c
}

// The gate of a CI job, by the interval of the difference.
func TestVersusGate(t *testing.T) {
	isB := func(r *weir.Result) bool { return r.Run.Arm == "command B" }
	nothing := func(r *weir.Result, code weir.WarningCode) {
		r.Value, r.Warnings = 0, weir.AddWarning(nil, weir.Warn(code, "made up"))
	}
	for _, c := range []struct {
		name     string
		share    float64
		limit    float64
		change   func(*weir.Result)
		want     Gate
		sentence string
	}{
		{"far more than allowed", .92, .02, nil, Fails, "B forwards 8"},
		{"about what is allowed", .98, .02, nil, Unknown, "B forwards 2"},
		{"less than allowed", .98, .05, nil, Passes, "B forwards 2"},
		{"no loss", 1, .02, nil, Passes, "No difference between A and B is proven over 6 builds"},
		{"more", 1.1, .02, nil, Passes, "B forwards 10"},
		{"without a limit", .9, 0, nil, Passes, "B forwards 10"},
		{"B forwards nothing", 1, .02, func(r *weir.Result) {
			if isB(r) {
				nothing(r, weir.NothingForwarded)
			}
		}, Fails, "B forwards nothing under overload, in 6 of 6 builds, where A forwards "},
		{"B forwards nothing, once", 1, .02, func(r *weir.Result) {
			if isB(r) && r.Run.Block == 2 {
				nothing(r, weir.NothingForwarded)
			}
		}, Unknown, "No difference between A and B is proven over 5 builds"},
		{"B forwards nothing, in half of the builds", 1, .02, func(r *weir.Result) {
			if isB(r) && r.Run.Block%2 == 0 {
				nothing(r, weir.NothingForwarded)
			}
		}, Fails, "B forwards nothing under overload, in 3 of 6 builds"},
		{"nobody knows what B forwards", 1, .02, func(r *weir.Result) {
			if isB(r) {
				nothing(r, weir.BusyMachine)
			}
		}, Unknown, "Whether B forwards more or less than A is not known"},
		{"A forwards nothing", 1, .02, func(r *weir.Result) {
			if !isB(r) {
				nothing(r, weir.NothingForwarded)
			}
		}, Unknown, "Whether B forwards more or less than A is not known"},
	} {
		v, err := VersusOf(twoArms(c.share, c.change), false, c.limit)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := v.Gate(); got != c.want || !strings.HasPrefix(v.Sentence(), c.sentence) {
			t.Errorf("%s: %s, want %s; %s", c.name, got, c.want, v.Sentence())
		}
		var junit strings.Builder
		if err := v.Write(&junit, "junit", Options{}); err != nil {
			t.Fatal(err)
		}
		for tag, gate := range map[string]Gate{"<failure": Fails, "<error": Unknown} {
			if strings.Contains(junit.String(), tag) != (c.want == gate) {
				t.Errorf("%s: %s", c.name, junit.String())
			}
		}
	}
	for name, c := range map[string]weir.Campaign{
		"nothing": {},
		"two sizes": twoArms(.9, func(r *weir.Result) {
			if r.Run.Block > 3 {
				r.Factors["frame_size"] = 512
			}
		}),
		"times": twoArms(.9, func(r *weir.Result) { r.Unit = "s" }),
	} {
		if v, err := VersusOf(c, false, .02); err == nil {
			t.Errorf("%s: %s", name, v.Sentence())
		}
	}
}

// Where the tester could send no more than one of the two forwards, one bound is known, and
// the gate asks for no other. Changes have their intervals, or are not there.
func TestVersusAtLeast(t *testing.T) {
	limited := func(arm string) func(*weir.Result) {
		return func(r *weir.Result) {
			r.Latency, r.CPUPerFrame = &weir.Latency{P50: 20e-6 + r.Value*1e-12, P99: 90e-6}, 1/r.Value
			if r.Run.Arm == arm {
				r.Claim.Name = "saturated rate, windows, at least"
				r.Warnings = weir.AddWarning(nil, weir.Warn(weir.TesterLimited, "made up"))
			} else {
				r.Claim.Name = "saturated rate, windows"
			}
		}
	}
	for _, c := range []struct {
		name     string
		share    float64
		arm      string
		want     Gate
		sentence string
		row      string
	}{
		{"B is faster than the tester", 1.2, "command B", Passes, "B forwards at least 19", "at least +19"},
		{"A is faster than the tester", .8, "command A", Fails, "B forwards at least 19", "at most -19"},
		{"B seems slower", .8, "command B", Unknown, "Whether B forwards more or less than A is not known", ""},
		{"neither", .9, "", Fails, "B forwards 10", "(-10"},
	} {
		v, err := VersusOf(twoArms(c.share, limited(c.arm)), false, .05)
		if err != nil {
			t.Fatal(c.name, err)
		}
		got := v.Gate()
		if got != c.want || !strings.HasPrefix(v.Sentence(), c.sentence) {
			t.Errorf("%s: %s, want %s; %s", c.name, got, c.want, v.Sentence())
		}
		if gated := v.gated(); (got == Unknown) != strings.Contains(gated, "the tester is the limit") || strings.Contains(gated, "would tell") {
			t.Errorf("%s: the gate says %q", c.name, gated)
		}
		rows := v.table().Rows
		if got := rows[0][3].Text; !strings.Contains(got, c.row) {
			t.Errorf("%s: the change is %q, want %q", c.name, got, c.row)
		}
		if got := rows[2][3].Text; got != "-" {
			t.Errorf("%s: the change of the 99th percentile is %q, and it has no interval", c.name, got)
		}
		if got := rows[3][3].Text; c.arm == "" && !strings.Contains(got, " to ") {
			t.Errorf("%s: the change of the CPU time is %q", c.name, got)
		}
	}
}

// Two DUTs are judged by the goodput of streams, and by their latency, of which more is worse.
func TestVersusAspects(t *testing.T) {
	goodput := func(r *weir.Result) { r.Method, r.Unit = "tcp", "bit/s" }
	slower := func(r *weir.Result) {
		r.Latency = &weir.Latency{P50: 20e-6 * 800e3 / r.Value, P99: 90e-6}
	}
	for _, c := range []struct {
		name      string
		share     float64
		change    func(*weir.Result)
		byLatency bool
		want      Gate
		sentence  string
		gate      string
	}{
		{"goodput", .9, goodput, false, Fails, "The goodput of B is 10", "a loss of goodput of more than 2 % is proven"},
		{"the same goodput", 1, goodput, false, Passes, "No difference between A and B is proven over 6 builds: the goodput of B is 0", "a loss of goodput of more than 2 % is out of"},
		{"latency", .9, slower, true, Fails, "The median latency of B is 1", "a rise of the latency of more than 2 % is proven"},
		{"less latency", 1.1, slower, true, Passes, "The median latency of B is ", "a rise of the latency of more than 2 % is out of"},
	} {
		v, err := VersusOf(twoArms(c.share, c.change), c.byLatency, .02)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := v.Gate(); got != c.want || !strings.HasPrefix(v.Sentence(), c.sentence) || !strings.HasPrefix(v.gated(), c.gate) {
			t.Errorf("%s: %s, want %s; %s; %s", c.name, got, c.want, v.Sentence(), v.gated())
		}
		if head := v.table().Rows[0][0].Text; c.byLatency != strings.HasPrefix(head, "forwards, kpps") {
			t.Errorf("%s: the first row is %q", c.name, head)
		}
	}
	if v, err := VersusOf(twoArms(1, nil), true, 0); err == nil {
		t.Errorf("latency that nobody measured: %s", v.Sentence())
	}
}

// A change is that of the columns beside it, however much builds differ: they are geometric means of
// what was compared.
func TestVersusColumns(t *testing.T) {
	random, product := rand.New(rand.NewPCG(7, 11)), map[string]float64{"command A": 1, "command B": 1}
	c := twoArms(.9, func(r *weir.Result) {
		p50 := 30e-6 * math.Exp(.4*random.NormFloat64())
		product[r.Run.Arm] *= p50
		r.Latency, r.CPUPerFrame = &weir.Latency{P50: p50, P99: 3 * p50}, 1e-6*math.Exp(.2*random.NormFloat64())
	})
	v, err := VersusOf(c, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"value", "latency_p50", "dut_cpu_seconds_per_frame"} {
		a, b, change := v.found(result.Named(id))
		if change == nil || math.Abs(b/a-1-change.Estimate) > 1e-9 {
			t.Fatalf("%s: %v and %v, and a change of %v", id, a, b, change)
		}
		if id != "latency_p50" {
			continue
		}
		wantA, wantB := math.Pow(product["command A"], 1./12), math.Pow(product["command B"], 1./6)
		if math.Abs(a/wantA-1) > .001 || math.Abs(b/wantB-1) > .001 {
			t.Errorf("the latencies are %v and %v, want the geometric means %v and %v", a, b, wantA, wantB)
		}
	}
}
