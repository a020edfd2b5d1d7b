package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

const ms = time.Millisecond

// apart reports a figure that is further from the truth than allowed.
func apart(t *testing.T, name string, got, want, allowed float64) {
	t.Helper()
	if !(math.Abs(got-want) <= allowed) {
		t.Errorf("%s is %v, want %v within %v", name, got, want, allowed)
	}
}

// The longest burst without loss is B / (1 - C / r) frames, at the rate that
// was asked for or at the tester's own.
func TestSimBurst(t *testing.T) {
	for name, tt := range map[string]struct {
		config Config
		trial  weir.Trial
		rate   float64 // over all ports
	}{
		"maximum":       {Config{Capacity: 1e6, Buffer: 5000}, weir.Trial{Maximum: true}, Ceiling},
		"medium":        {Config{Capacity: 1e6, Buffer: 5000}, weir.Trial{Intended: 1_488_095}, 1_488_095},
		"two ports":     {Config{Capacity: 1e6, Buffer: 5000}, both(weir.Trial{Intended: 1_488_095}), 2_976_190},
		"with livelock": {Config{Capacity: 1e6, Buffer: 5000, Livelock: .5}, weir.Trial{Intended: 2e6}, 2e6},
		"no buffer":     {Config{Capacity: 1e6}, weir.Trial{Maximum: true}, Ceiling},
	} {
		capacity := tt.config.Capacity * max(0, 1-tt.config.Livelock*(tt.rate/tt.config.Capacity-1))
		ports := float64(tt.trial.Traffic.Ports())
		longest := math.Floor(float64(tt.config.Buffer) / (1 - capacity/tt.rate) / ports)
		for _, n := range []float64{longest, longest + 1, 4 * (longest + 1)} {
			tt.trial.Count = uint64(n)
			if n == 0 {
				continue
			}
			r := measured(t, sim(t, tt.config), tt.trial)
			if lossless := r.Received == r.Offered; lossless != (n <= longest) || r.Offered != uint64(n*ports) {
				t.Errorf("%s: of a burst of %v frames %d of %d came back, and %v is the longest", name, n, r.Received, r.Offered, longest)
			}
			apart(t, name+": rate of the burst", r.OfferedRate(), tt.rate, tt.rate*1e-3)
		}
	}
}

// The first frame of an overload finds an empty buffer, and the last one a full one:
// what is between them is spread evenly.
func TestSimGrowingQueue(t *testing.T) {
	r := measured(t, sim(t, Config{Capacity: 1e6, Buffer: 5000, Latency: 20 * time.Microsecond}), load(1_010_000))
	l := r.Latency.Summary()
	apart(t, "least latency", l.Min, 20e-6, 1e-6)
	apart(t, "greatest latency", l.Max, 5.02e-3, 50e-6)
}

func TestSimTrafficOfBursts(t *testing.T) {
	c := Config{Capacity: 1e6, Buffer: 100}
	for burst, lossPerBurst := range map[int]float64{0: 0, 16: 0, 64: 0, 256: 256*.95 - 100, 1024: 1024*.95 - 100} {
		trial := load(500_000)
		trial.Traffic.Burst = burst
		r := measured(t, sim(t, c), trial)
		apart(t, "loss ratio of bursts", r.LossRatio(), lossPerBurst/max(float64(burst), 1), 1e-5)
		longest := min(float64(burst)*.95, 100) / 1e6
		apart(t, "longest queue", r.Latency.Quantile(1), longest, longest/10)
	}
}

// overloaded is a trial of which the second half is not.
func overloaded() weir.Trial {
	trial := load(110_000)
	trial.Then = &weir.Phase{Intended: 55_000, Duration: time.Second}
	trial.Resolution = time.Second / 110_000
	return trial
}

func TestSimRecovery(t *testing.T) {
	c := Config{Capacity: 100_000, Buffer: 1000, Recovery: 30 * ms}
	r := measured(t, sim(t, c), overloaded())
	if r.Offered != 165_000 || r.Sending != 2*time.Second {
		t.Errorf("%d frames in %v", r.Offered, r.Sending)
	}
	want := weir.Balance(165_000, 165_000-9000-1650, []weir.Drop{{Place: "sim buffer full", Count: 9000}, {Place: "sim outage", Count: 1650}})
	if d := cmp.Diff(want, r.Ledger); d != "" {
		t.Errorf("ledger (-want +got):\n%s", d)
	}
	gap := 1. / 55_000
	apart(t, "last loss", r.Timeline.LastLoss.Seconds(), 1.03, gap)
	apart(t, "first loss", r.Timeline.Episodes[0].From.Seconds(), .1, 1./110_000+1e-9)

	c.Recovery = 0
	if r := measured(t, sim(t, c), overloaded()); r.Received != 165_000-9000 || r.Timeline.LastLoss > time.Second {
		t.Errorf("without a recovery time %d frames came back, the last one was lost at %v", r.Received, r.Timeline.LastLoss)
	}
	// The queue of 1000 frames drains at 45,000 frames/s: what comes after that
	// does not wait.
	trial := overloaded()
	trial.Tags = weir.Tags{After: time.Second, Count: 9}
	c.Latency = 20 * time.Microsecond
	tagged := measured(t, sim(t, c), trial).Tagged
	if len(tagged) != 9 {
		t.Fatalf("%d tagged frames", len(tagged))
	}
	apart(t, "latency right after the overload", tagged[0].Seconds(), 1000/100e3+20e-6, 1e-5)
	apart(t, "latency once the queue is empty", tagged[8].Seconds(), 20e-6, 1e-9)
}

func TestSimReset(t *testing.T) {
	for _, name := range []string{"reset", "reset interface"} {
		trial := load(10_000)
		trial.Event = &weir.Event{Name: name, After: 250 * ms}
		trial.Resolution = 100 * time.Microsecond
		r := measured(t, sim(t, Config{Capacity: 1e6, Reset: 100 * ms}), trial)
		want := []weir.Episode{{From: 250 * ms, Until: 350 * ms, Lost: 1000}}
		if d := cmp.Diff(want, r.Timeline.Episodes); d != "" || r.Received != 9000 {
			t.Errorf("%d frames came back, episodes:\n%s", r.Received, d)
		}
		if d := cmp.Diff(&weir.Happened{Began: 250 * ms, Ended: 250 * ms}, r.Happened); d != "" {
			t.Error(d)
		}
	}
	for want, event := range map[string]weir.Event{
		`no event "explode"; it has: reset, reset interface, announce`: {Name: "explode"},
		"not within the trial": {Name: "reset", After: time.Second},
	} {
		trial := load(10_000)
		trial.Event = &event
		r := measured(t, sim(t, Config{Capacity: 1e6, Reset: 100 * ms}), trial)
		if !strings.Contains(r.Happened.Error, want) || r.Received != r.Offered {
			t.Errorf("event %+v: error %q, %d frames came back", event, r.Happened.Error, r.Received)
		}
	}
}

// In long trials steps are long, and what was lost is known to a frame all the
// same, to what was sent when.
func TestSimEdges(t *testing.T) {
	trial := load(1_000_000)
	trial.Duration, trial.Resolution = time.Minute, time.Microsecond
	trial.Event = &weir.Event{Name: "reset", After: 7*time.Second + 3*time.Microsecond}
	lasts := 1_234_567 * time.Microsecond
	r := measured(t, sim(t, Config{Capacity: 2e6, Reset: lasts}), trial)
	began := trial.Event.After
	want := []weir.Episode{{From: began - time.Microsecond, Until: began + lasts, Lost: 1_234_567, Precision: time.Microsecond}}
	if d := cmp.Diff(want, r.Timeline.Episodes); d != "" {
		t.Error(d)
	}
	if line := r.Timeline; line.LastLoss != began+lasts || line.Known() != time.Microsecond || line.Resolution < 50*time.Microsecond {
		t.Errorf("the last frame was lost before %v, known to %v in steps of %v, want %v", line.LastLoss, line.Known(), line.Resolution, began+lasts)
	}
	// From the first frame on, and to the end, there is none beside them.
	trial.Event.After = 0
	r = measured(t, sim(t, Config{Capacity: 2e6, Reset: lasts}), trial)
	want = []weir.Episode{{Until: lasts, Lost: 1_234_567, Precision: time.Microsecond}}
	if d := cmp.Diff(want, r.Timeline.Episodes); d != "" {
		t.Error(d)
	}
	r = measured(t, sim(t, Config{Capacity: 2e6, Reset: time.Hour}), trial)
	if line := r.Timeline; line.LastLoss < time.Minute || line.Precision != 0 || line.Longest().Precision != 0 {
		t.Errorf("lost until the end: %v, %+v, known to %v", line.LastLoss, line.Longest(), line.Known())
	}
}

func TestSimLearning(t *testing.T) {
	trial := load(100_000)
	trial.Condition.Put(weir.RouteSet{Count: 1000})
	trial.Event = &weir.Event{Name: "announce", After: 100 * ms}
	trial.Resolution = 10 * time.Microsecond
	c := Config{Capacity: 1e6, Learning: 2000}
	r := measured(t, sim(t, c), trial)
	// The last one is learnt half a second later; of that time half is lost.
	apart(t, "last loss", r.Timeline.LastLoss.Seconds(), .6, 1000./100_000)
	apart(t, "loss", r.LossRatio(), .1+.25, 1e-5)
	c.Learning = 0
	r = measured(t, sim(t, c), trial)
	apart(t, "last loss when all are learnt at once", r.Timeline.LastLoss.Seconds(), .1, 1e-5)
	trial.Event = nil
	if r := measured(t, sim(t, c), trial); r.Received != r.Offered {
		t.Errorf("routes that are installed lose %d frames", r.Offered-r.Received)
	}
}

func TestSimJitter(t *testing.T) {
	const jitter, base = 100e-6, 20e-6
	c := Config{Capacity: 1e6, Latency: 20 * time.Microsecond, Jitter: 100 * time.Microsecond, Seed: 3}
	trial := load(100_000)
	trial.Variation = true
	trial.Tags = weir.Tags{After: 500 * ms, Count: 1000}
	r := measured(t, sim(t, c), trial)
	for _, q := range []float64{0, .25, .5, .9, .99, .999, 1} {
		apart(t, "latency", r.Latency.Quantile(q), base+q*jitter, .005*jitter)
		apart(t, "absolute change of delay", r.Variation.Absolute().Quantile(q), jitter*(1-math.Sqrt(1-q)), .01*jitter)
	}
	apart(t, "mean change", r.Variation.Absolute().Mean(), jitter/3, .01*jitter)
	apart(t, "greatest change", r.Variation.Quantile(1), jitter, 1e-9)
	apart(t, "least change", r.Variation.Quantile(0), -jitter, 1e-9)
	if n := r.Variation.Longer.N + r.Variation.Shorter.N; n != 99_999 {
		t.Errorf("%d changes of delay", n)
	}
	slices.Sort(r.Tagged)
	apart(t, "least tagged latency", r.Tagged[0].Seconds(), base, .02*jitter)
	apart(t, "median tagged latency", r.Tagged[500].Seconds(), base+jitter/2, .05*jitter)
	apart(t, "greatest tagged latency", r.Tagged[999].Seconds(), base+jitter, .02*jitter)

	again := measured(t, sim(t, c), trial)
	slices.Sort(again.Tagged)
	if d := cmp.Diff(r, again, cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial")); d != "" {
		t.Errorf("the same trial again differs:\n%s", d)
	}
	c.Jitter = 0
	if v := measured(t, sim(t, c), both(trial)).Variation; v.Shorter.N != 0 || v.Longer.Max != 0 || v.Longer.N != 199_998 {
		t.Errorf("changes of delay without jitter: %+v", v)
	}
}

func TestSimCosts(t *testing.T) {
	c := Config{Capacity: 1e6, RouteCost: .1, FilterCost: .02}
	for _, tt := range []struct {
		condition weir.Condition
		want      uint64
	}{
		{weir.Condition{}, 1_000_000},
		{weir.ConditionOf(weir.Filters(25)), 666_666},
		{weir.ConditionOf(weir.RouteSet{Count: 1}), 1_000_000},
		{weir.ConditionOf(weir.RouteSet{Count: 1000}), 729_000},
	} {
		trial := load(2_000_000)
		trial.Condition = tt.condition
		if r := measured(t, sim(t, c), trial); r.Received != tt.want {
			t.Errorf("%v: %d frames came back, want %d", tt.condition, r.Received, tt.want)
		}
	}
}

func TestSimProbe(t *testing.T) {
	s := sim(t, Config{Capacity: 1e6, Livelock: .25})
	for _, tt := range []struct {
		load      float64
		lost      uint64
		echo, gap float64
		idle      time.Duration
	}{
		{500_000, 0, 100e-6, 5e-3, 500 * ms},
		{3_000_000, 50, 200e-6, 10e-3, 0}, // half of the capacity is lost
		{6_000_000, 100, math.NaN(), 1, 0},
	} {
		trial := load(tt.load)
		trial.Probe = true
		r := measured(t, s, trial)
		p := r.Probe
		if p.EchoSent != 100 || p.EchoLost != tt.lost || p.AcceptTried != 100 || p.AcceptFailed != tt.lost || r.DUTIdle != tt.idle {
			t.Errorf("at %v frames/s: %+v, idle for %v", tt.load, p, r.DUTIdle)
		}
		if got := p.Echo.Quantile(1); got != tt.echo && !(math.IsNaN(got) && math.IsNaN(tt.echo)) || p.Heartbeat.Seconds() != tt.gap {
			t.Errorf("at %v frames/s an echo took %v s, and the longest gap was %v", tt.load, got, p.Heartbeat)
		}
	}
	if r := measured(t, s, load(1)); r.Probe != nil || r.Timeline != nil || r.Variation != nil || r.Tagged != nil || r.Happened != nil {
		t.Errorf("what was not asked for: %+v", r)
	}
}

func TestSimTimeline(t *testing.T) {
	c := Config{Capacity: 1e6}
	long := load(1_100_000)
	long.Duration = 24 * time.Hour
	for asked, want := range map[time.Duration]time.Duration{
		1:             (24*time.Hour)/mostSteps + 1,
		time.Second:   time.Second,
		2 * time.Hour: time.Duration(math.Round(math.MaxUint32/1.1e6*1e9)) / 2, // frames in a step are counted in 32 bits
	} {
		long.Resolution = asked
		r := measured(t, sim(t, c), long)
		var sent, received uint64
		for _, v := range r.Timeline.Intervals {
			sent, received = sent+v.Sent, received+v.Received
		}
		if r.Timeline.Resolution != want || sent != r.Offered || received != r.Received {
			t.Errorf("asked for %v: resolution %v, %d frames sent and %d received, want %d and %d", asked, r.Timeline.Resolution, sent, received, r.Offered, r.Received)
		}
	}
	short := load(1_000_000)
	short.Resolution = 1
	if got := measured(t, sim(t, c), short).Timeline.Resolution; got != time.Microsecond {
		t.Errorf("resolution of %v at a frame each microsecond", got)
	}
}

func TestSimPorts(t *testing.T) {
	trial := both(load(300_000))
	trial.Traffic.Pairs = 2
	trial.Tags = weir.Tags{Count: 10}
	r := measured(t, sim(t, Config{Capacity: 1e6}), trial)
	var directions []string
	for _, s := range r.Streams {
		directions = append(directions, s.Direction)
	}
	if d := cmp.Diff([]string{"forward", "reverse", "forward", "reverse"}, directions); d != "" {
		t.Error(d)
	}
	if r.Offered != 1_200_000 || r.Received != 1_000_000 {
		t.Errorf("%d of %d frames came back", r.Received, r.Offered)
	}
	back := load(300_000)
	back.Traffic.Backward, back.Traffic.Pairs = true, 2
	r = measured(t, sim(t, Config{Capacity: 1e6}), back)
	if len(r.Streams) != 2 || r.Streams[0].Direction != "reverse" || r.Streams[1].Direction != "reverse" {
		t.Errorf("streams of two pairs backward: %+v", r.Streams)
	}
	if _, err := sim(t, Config{Capacity: 1e6}).Measure(t.Context(), both(back)); err == nil {
		t.Error("one way and both ways at once were measured")
	}
	trial.Bypass = true
	if r := measured(t, sim(t, Config{Capacity: 1}), trial); r.Received != 1_200_000 || len(r.Tagged) != 40 {
		t.Errorf("bypass: %d frames came back, %d of them tagged", r.Received, len(r.Tagged))
	}
}

func TestSimPhasesThatDoNotGoTogether(t *testing.T) {
	then := &weir.Phase{Intended: 1, Duration: time.Second}
	for name, trial := range map[string]weir.Trial{
		"after the maximum":     {Maximum: true, Duration: time.Second, Then: then},
		"after a burst":         {Intended: 1, Count: 1, Then: then},
		"without a load":        {Intended: 1, Duration: time.Second, Then: &weir.Phase{Duration: time.Second}},
		"without time":          {Intended: 1, Duration: time.Second, Then: &weir.Phase{Intended: 1}},
		"a burst without a gap": {Count: 1},
	} {
		if _, err := sim(t, Config{Capacity: 1}).Measure(t.Context(), trial); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Too little for a frame in the first second, and one in the second one.
	r := measured(t, sim(t, Config{Capacity: 100}), weir.Trial{Intended: .1, Duration: time.Second, Then: then, Resolution: 1})
	if r.Offered != 1 || r.Received != 1 || r.Sending != 2*time.Second {
		t.Errorf("%d of %d frames in %v", r.Received, r.Offered, r.Sending)
	}
}
