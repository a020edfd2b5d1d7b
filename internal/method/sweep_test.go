package method

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
	"weir/sweep"
)

// A sweep finds the capacity of a simulated router: in one direction and in both,
// with a machine that disturbs it and without, and so does one whose rounds are
// steps of a campaign.
func TestSweepFindsTheKnee(t *testing.T) {
	const capacity = 700e3
	plain := sim.Config{Capacity: capacity, Buffer: 256, Latency: 20 * time.Microsecond}
	shared := plain
	shared.SharedWave, shared.Interruptions, shared.WindowNoise, shared.Seed = .08, 8, .02, 3
	for _, c := range []struct {
		name   string
		dut    sim.Config
		change func(Env) Env
		rounds int
		within float64
	}{
		{name: "quiet", dut: plain, within: .02},
		{name: "both directions", dut: plain, change: bidirectional, within: .02},
		{name: "rounds", dut: plain, rounds: 3, within: .02},
		{name: "a shared machine", dut: shared, within: .12}, // five per cent of which is the wave's mean
		{name: "rounds on a shared machine", dut: shared, rounds: 3, within: .12},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := simulated(t, c.dut)
			env.Ring = 256
			if c.change != nil {
				env = c.change(env)
			}
			r := inRounds(t, env, c.rounds)
			for name, b := range map[string]weir.Bounds{"knee": {Value: r.Value, Lower: r.Lower, Upper: r.Upper}, "knee at loss 0": r.KneeZero, "saturated": r.Saturated} {
				if math.Abs(b.Value-capacity) > c.within*capacity || b.Lower > b.Value || b.Upper < b.Value {
					t.Errorf("%s: %+v, want %v", name, b, capacity)
				}
			}
			if r.Unit != "frames/s" || r.Claim.Name != claim.WindowsName || r.LossRatio != .005 || len(r.Curve) < 10 || r.Rounds != 3 {
				t.Errorf("%s, claim %+v, %d points, %d rounds", r.Unit, r.Claim, len(r.Curve), r.Rounds)
			}
			if r.Latency == nil || math.Abs(r.Latency.P50-20e-6) > 1e-6 || math.Abs(r.CPUShare*2-.5) > .1 {
				t.Errorf("latency %+v, CPU share %v: want those at half of the knee", r.Latency, r.CPUShare)
			}
		})
	}
}

// A sweep of a router that jumps between three speeds finds all of them, is about the
// fastest where it held for as long as the others, and measures the latency at a load that overloads none.
func TestSweepOfSeveralSpeeds(t *testing.T) {
	const capacity = 700e3
	dut := sim.Config{Capacity: capacity, Buffer: 256, Latency: 20 * time.Microsecond, Interruptions: 8, WindowNoise: .02, Seed: 3,
		Speeds: [sim.MaxSpeeds]float64{1, .73, .46}, SpeedTime: 300 * time.Millisecond}
	env := simulated(t, dut)
	env.Ring = 256
	r := inRounds(t, env, 3)
	if len(r.Speeds) != 3 || len(r.Track) < 10 || !r.Speeds[0].Lead || r.Limited != "" || r.Claim.Name != claim.WindowsName {
		t.Fatalf("speeds %+v, limited by %q, claim %q", r.Speeds, r.Limited, r.Claim.Name)
	}
	for i, s := range r.Speeds {
		if math.Abs(s.Capacity/capacity/dut.Speeds[i]-1) > .03 || s.Share < .1 {
			t.Errorf("speed %d is %+v", i+1, s)
		}
	}
	if math.Abs(r.Value/capacity-1) > .03 || r.Lower > capacity || r.Upper < capacity || r.Upper-r.Lower > .4*capacity {
		t.Errorf("%v (%v to %v), want %v", r.Value, r.Lower, r.Upper, capacity)
	}
	if r.Latency == nil || r.Latency.P50 > 25e-6 {
		t.Errorf("latency %+v: want that of an idle DUT", r.Latency)
	}
}

// A DUT that gets slower all the time has one speed, and its result says that it is the
// middle of what there was.
func TestSweepOfASinkingDUT(t *testing.T) {
	const capacity, sinks = 700e3, .04 // of it, a second
	env := simulated(t, sim.Config{Capacity: 2 * capacity, Buffer: 256, Latency: 20 * time.Microsecond})
	env.Ring, env.Ceiling = 256, 1.6e6
	measure, now := env.Measure, 0.
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		out, err := measure(ctx, trial)
		for i, w := range trial.Windows {
			left := capacity * math.Exp(-sinks*now)
			out.Windows[i].Received = min(out.Windows[i].Received, uint64(left*w.Duration.Seconds()))
			if w.Prime != nil {
				out.Windows[i].PrimeReceived = min(out.Windows[i].PrimeReceived, uint64(left*w.Prime.Duration.Seconds()))
			}
			now += w.Length().Seconds()
		}
		return out, err
	}
	r := inRounds(t, env, 3)
	if text := warningOf(r, weir.NoisyResult); !strings.Contains(text, "and in one direction: the result is the middle of that") {
		t.Errorf("it says %q", text)
	}
	if last := capacity * math.Exp(-sinks*now); len(r.Speeds) > 0 || r.Value < last || r.Value > capacity {
		t.Errorf("%.0f, speeds %+v: the DUT had from %.0f down to %.0f", r.Value, r.Speeds, capacity, last)
	}
}

// Sweeps of several sizes in the rounds of a campaign share what they know of the
// machine: one that met its slower speed alone knows of the fastest, or is a lower bound. What
// was recorded of earlier rounds is asked for again as it was then.
func TestSweepsOfOneMachine(t *testing.T) {
	const capacity, rounds = 700e3, 3
	env := simulated(t, sim.Config{Capacity: capacity, Buffer: 256, Latency: 20 * time.Microsecond, WindowNoise: .02, Seed: 5,
		Speeds: [sim.MaxSpeeds]float64{1, .46}, SpeedTime: 5 * time.Second})
	env.Ring, env.Rounds = 256, rounds
	earlier, last, number := map[string][]weir.TrialResult{}, map[string]weir.Result{}, 0
	params := Params{Windows: Windows{Time: 1500 * time.Millisecond}}
	measure, limited := env.Measure, 0
	for env.Round = 1; env.Round <= rounds; env.Round++ {
		for _, size := range []string{"64", "512", "1518"} {
			step := env
			step.Factors, step.Earlier = weir.Factors{"frame_size": size}, earlier[size]
			step.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
				number++
				trial.Number = number
				out, err := measure(ctx, trial)
				earlier[size] = append(earlier[size], out)
				return out, err
			}
			last[size] = run(t, sweepName, step, params)
			env.Others = append(env.Others, last[size])
		}
	}
	for size, r := range last {
		if r.Limited == sweep.BySpeed {
			limited++
		} else if math.Abs(r.Speeds[0].Capacity/capacity-1) > .05 || min(math.Abs(r.Value/capacity-1), math.Abs(r.Value/capacity/.46-1)) > .05 {
			t.Errorf("frames of %s: %.0f, of %+v: the machine had %.0f and 0.46 times that", size, r.Value, r.Speeds, capacity)
		}
		s := &swept{windowed: &windowed{session: begin(env, sweeping.Params(params))}}
		s.env.Factors, s.env.Method.Name = r.Factors, sweepName
		maximum, _ := s.limit()
		s.goal = s.sought(maximum)
		s.recall(earlier[size])
		n := 0
		for _, done := range earlier[size] {
			if len(done.Trial.Windows) == 0 {
				continue
			}
			if n >= len(s.passes) || !reflect.DeepEqual(s.passes[n].Windows, done.Trial.Windows) {
				t.Errorf("frames of %s: pass %d of %d is recalled as another one", size, n+1, len(s.passes))
			}
			n++
		}
	}
	if limited == 0 || limited == len(last) {
		t.Errorf("%d of %d sizes met slower speeds alone: the test shows nothing", limited, len(last))
	}
}

// inRounds performs a sweep in so many steps of a campaign; 0: in one.
func inRounds(t *testing.T, env Env, rounds int) (r weir.Result) {
	t.Helper()
	measure, number := env.Measure, 0
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		number++
		trial.Number = number
		out, err := measure(ctx, trial)
		env.Earlier = append(env.Earlier, out)
		return out, err
	}
	env.Rounds = rounds
	for env.Round = min(rounds, 1); ; env.Round++ {
		step := env
		r = run(t, sweepName, step, Params{Windows: Windows{Time: 4 * time.Second}})
		if r.Round != env.Round {
			t.Errorf("round %d says %d", env.Round, r.Round)
		}
		length := 0.
		for _, done := range env.Earlier {
			length += done.Trial.Length().Seconds()
		}
		if r.Trials != len(env.Earlier) || math.Abs(r.SearchTime-length) > 1e-6 || r.Last != number || r.First != number-len(env.Earlier)+len(step.Earlier)+1 {
			t.Errorf("round %d says %d trials of %v s, from %d to %d; there are %d of %v s", env.Round, r.Trials, r.SearchTime, r.First, r.Last, len(env.Earlier), length)
		}
		if env.Round >= rounds {
			return r
		}
	}
}

// A trickle of an earlier round is none of its trials at half of the knee.
func TestSweepRecallsNoTrickle(t *testing.T) {
	s := &swept{windowed: &windowed{session: &session{}}}
	s.recall([]weir.TrialResult{{Trial: weir.Trial{Purpose: trickle}}, {Trial: weir.Trial{Purpose: sweepName}}})
	if len(s.rested) != 1 || s.rested[0].Trial.Purpose != sweepName {
		t.Errorf("the trials at half of the knee are %+v", s.rested)
	}
}

// A router of which nothing can be said has no number, and a reason for that.
func TestSweepWithoutANumber(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256, Stalls: 150, Stall: [2]time.Duration{time.Millisecond, 3 * time.Millisecond}})
	r := run(t, sweepName, env, Params{Windows: Windows{Time: 2 * time.Second}})
	if r.Value != 0 || r.Limited == "" || r.LeftOutShare < .4 || len(r.Warnings) == 0 || r.Claim.Name != claim.NotEnded {
		t.Errorf("knee %v of a tester that stands still, limited by %q, %v left out, %v, %q", r.Value, r.Limited, r.LeftOutShare, codes(r), r.Claim.Name)
	}
	env = simulated(t, sim.Config{Capacity: 50e6, Buffer: 256})
	if r := run(t, sweepName, env, Params{Maximum: 1e6, Windows: Windows{Time: 2 * time.Second}}); r.Limited == "" || r.Value < .9e6 {
		t.Errorf("knee %v of a router that forwards all, limited by %q", r.Value, r.Limited)
	}
	env.Ceiling = 0
	if _, err := runSweep(t.Context(), env, Params{}); err == nil {
		t.Error("nothing limits the load, and it was swept")
	}
}

// What was measured until a sweep was interrupted is kept, without an interval where
// there were few blocks, whatever their windows lost.
func TestSweepInterrupted(t *testing.T) {
	for name, lossy := range map[string]bool{"quiet": false, "most windows lose frames": true} {
		env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256})
		ctx, cancel := context.WithCancel(t.Context())
		measure, fine := env.Measure, 0
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if fine == 1 {
				cancel()
				return weir.TrialResult{}, ctx.Err()
			}
			out, err := measure(ctx, trial)
			if len(trial.Windows) > 0 && trial.Windows[0].Prime != nil {
				fine++
				for i := range out.Windows {
					if lossy && i%3 > 0 {
						out.Windows[i].Received -= out.Windows[i].Received / 10
					}
				}
			}
			return out, err
		}
		r, err := runSweep(ctx, env, Params{})
		if !errors.Is(err, context.Canceled) || math.Abs(r.Value-1e6) > .2e6 {
			t.Errorf("%s: knee %v, %v", name, r.Value, err)
		}
		if r.Sweep.Rounds > 1 || r.Lower != 0 || r.Upper != 0 || r.KneeZero.Upper != 0 || r.Saturated.Upper != 0 {
			t.Errorf("%s: %d rounds have the interval %v to %v, %+v, %+v", name, r.Sweep.Rounds, r.Lower, r.Upper, r.KneeZero, r.Saturated)
		}
		cancel()
	}
}

// A sweep that is interrupted in its first pass has no number, and says that it has not ended.
func TestSweepInterruptedAtOnce(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256})
	ctx, cancel := context.WithCancel(t.Context())
	env.Measure = func(context.Context, weir.Trial) (weir.TrialResult, error) {
		cancel()
		return weir.TrialResult{}, context.Canceled
	}
	r, err := runSweep(ctx, env, Params{})
	if !errors.Is(err, context.Canceled) || r.Value != 0 || len(r.Curve) > 0 || len(r.Speeds) > 0 || r.Claim.Name == claim.WindowsName {
		t.Errorf("knee %v with %d points, claim %q, %v", r.Value, len(r.Curve), r.Claim.Name, err)
	}
}

// Of a pass that is interrupted the blocks that are whole count.
func TestSweepInterruptedInAPass(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256})
	measure, passes := env.Measure, 0
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		out, err := measure(ctx, trial)
		if passes++; passes < 3 || err != nil {
			return out, err
		}
		for i := range out.Windows {
			if w := &out.Windows[i]; i == len(out.Windows)/2 {
				w.Sent, w.Received = w.Sent/2, w.Received/2
			} else if i > len(out.Windows)/2 {
				*w = weir.WindowResult{GeneratorGap: time.Second}
			}
		}
		return out, context.Canceled
	}
	r, err := runSweep(t.Context(), env, Params{})
	if !errors.Is(err, context.Canceled) || math.Abs(r.Value-1e6) > .05e6 || r.Sweep.Windows < 200 || r.LeftOutShare > 0 {
		t.Errorf("knee %v of %d windows, %.2f left out, %v", r.Value, r.Sweep.Windows, r.LeftOutShare, err)
	}
}

// A maximum that is more than the tester can send is said with what it sends, and
// the knee is that of the loads below.
func TestSweepBeyondTheTester(t *testing.T) {
	const capacity, reach = 600e3, 1.2e6
	for name, c := range map[string]struct {
		maximum, ceiling, media, capacity float64
		says, limit                       string
	}{
		"a maximum within reach": {1.1e6, 2e6, 0, capacity, "", ""},
		"no maximum":             {0, 2e6, 0, capacity, "", ""},
		"above the ceiling":      {1e12, 1.1e6, 0, capacity, "the plan asks for up to 1,000,000,000,000 frames/s from each port, and the tester sends at most 1,100,000:", ""},
		"above the medium":       {1e12, 2e6, 1e6, capacity, "and the medium carries 1,000,000: no more was sent; lower the maximum", ""},
		"beside the DUT":         {4e6, 4e6, 0, capacity, "the plan asks for up to 4,000,000 frames/s from each port, and the tester sends at most ", ""},
		"of its own":             {0, 6e6, 0, capacity, "the tester sends 6,000,000 frames/s from each port by itself, and at most ", ""},
		"no knee":                {4e6, 4e6, 0, 20e6, "the tester sends at most ", limitTester},
	} {
		env := simulated(t, sim.Config{Capacity: c.capacity, Buffer: 256, Latency: 20 * time.Microsecond})
		env.Ring, env.Ceiling, env.MediaRate = 256, c.ceiling, c.media
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			out, err := measure(ctx, trial)
			for i, w := range trial.Windows { // what this tester cannot send is not sent
				if most := uint64(reach * w.Duration.Seconds()); out.Windows[i].Sent > most {
					out.Windows[i].Sent, out.Windows[i].Received = most, min(most, out.Windows[i].Received)
				}
			}
			return out, err
		}
		r := run(t, sweepName, env, Params{Maximum: c.maximum, Windows: Windows{Time: 4 * time.Second}})
		if got := warningOf(r, weir.BeyondTester); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: it says %q, want %q", name, got, c.says)
		}
		if got := warningOf(r, weir.SearchLimit); (got == "") != (c.limit == "") || !strings.Contains(got, c.limit) {
			t.Errorf("%s: of the limit it says %q, want %q", name, got, c.limit)
		}
		if want := min(c.capacity, reach); math.Abs(r.Value-want) > .25*want || c.limit == "" && math.Abs(r.Value-want) > .02*want {
			t.Errorf("%s: knee %v, want %v", name, r.Value, want)
		}
	}
}

// Passes know how far apart they began, for the waves between them.
func TestPassesKnowWhenTheyBegan(t *testing.T) {
	w := &windowed{}
	first := time.Now()
	for _, after := range []time.Duration{0, 2 * time.Second, 22 * time.Second} {
		var p sweep.Pass
		w.put(&p, weir.TrialResult{Start: first.Add(after), Windows: []weir.WindowResult{{Sent: 1}}})
		if p.Start != after || len(p.Results) != 1 {
			t.Errorf("a pass %v after the first one began %v after it, with %d windows", after, p.Start, len(p.Results))
		}
	}
}
