package tester

import (
	"context"
	"errors"
	"testing"
	"time"

	"weir"
)

// What a trial can ask besides a load for a time, with every way of sending.
func doesAsAsked(t *testing.T, p *place, backend string) {
	t.Run("count", func(t *testing.T) { countsOut(t, p, backend) })
	t.Run("then", func(t *testing.T) { changesLoad(t, p, backend) })
	t.Run("bursts", func(t *testing.T) { sendsBursts(t, p, backend) })
	t.Run("watch", func(t *testing.T) { watches(t, p, backend) })
	t.Run("windows", func(t *testing.T) { keepsWindows(t, p, backend) })
}

// complete is measure, of a trial that is whole when all its frames were sent and have come
// back: on a busy machine some are not sent in time, or find a ring full.
func (p *place) complete(t *testing.T, trial weir.Trial, backend string) (r weir.TrialResult, whole bool) {
	t.Helper()
	r = p.measure(t, trial)
	sane(t, r, backend)
	missed := p.awaitAll(t, r)
	if r.Offered > trial.Frames() {
		t.Errorf("%d frames were offered of the %d that were intended", r.Offered, trial.Frames())
	}
	if r.Timeline != nil {
		if sent, received := frames(*r.Timeline); sent != r.Offered || !about(received, r) {
			t.Errorf("the timeline has %d frames sent and %d received of %d and %d", sent, received, r.Offered, r.Received)
		}
	}
	return r, missed == 0 && r.Offered == trial.Frames()
}

// frames are those of a timeline.
func frames(t weir.Timeline) (sent, received uint64) {
	for _, i := range t.Intervals {
		sent += i.Sent
		received += i.Received
	}
	return sent, received
}

// The number of frames is exact, whatever the duration says.
func countsOut(t *testing.T, p *place, backend string) {
	for name, change := range map[string]func(*weir.Trial){
		"rate":            nil,
		"maximum":         func(t *weir.Trial) { t.Maximum, t.Intended = true, 0 },
		"both directions": func(t *weir.Trial) { t.Traffic.Bidirectional = true },
		"backward":        func(t *weir.Trial) { t.Traffic.Backward = true },
		"bypass":          func(t *weir.Trial) { t.Bypass = true },
	} {
		t.Run(name, func(t *testing.T) {
			trial := slowTrial(traffic(nil))
			trial.Count, trial.Duration, trial.Resolution = 123, time.Microsecond, time.Millisecond
			if change != nil {
				change(&trial)
			}
			r, _ := p.complete(t, trial, backend)
			if trial.Maximum && r.Offered != trial.Frames() { // there is no end before they are sent
				t.Errorf("%d frames were offered, want %d", r.Offered, trial.Frames())
			}
		})
	}
}

// The second load begins when the first one's time is over.
func changesLoad(t *testing.T, p *place, backend string) {
	trial := slowTrial(traffic(func(t *weir.Traffic) { t.Bidirectional = true }))
	const ports, then = 2, slowly / 4
	trial.Then = &weir.Phase{Intended: then, Duration: 2 * briefly}
	trial.Resolution = time.Millisecond
	r, _ := p.complete(t, trial, backend)
	var halves [2]uint64
	for _, i := range r.Timeline.Intervals {
		// The first load ends up to a millisecond late, the timeline begins up to
		// a step early.
		if i.From < briefly+time.Millisecond+r.Timeline.Resolution {
			halves[0] += i.Sent
		} else {
			halves[1] += i.Sent
		}
	}
	want := [2]uint64{ports * uint64(slowly*briefly.Seconds()), ports * uint64(then*2*briefly.Seconds())}
	// Each port may have sent a frame of the second load until then, or as many more as
	// the timeline begins late with the first frame.
	early := 4 + uint64(ports*then*r.Pacing.LongestStall.Seconds())
	if halves[0] > want[0]+early || halves[1] > want[1] || halves[0]+halves[1] != r.Offered {
		t.Errorf("%v of %d frames were sent in the halves, want %v", halves, r.Offered, want)
	}
	if r.Offered == trial.Frames() && halves[0] < want[0] {
		t.Errorf("%d frames of the first load were sent in its time, want %d", halves[0], want[0])
	}
	if last := r.Timeline.Intervals[len(r.Timeline.Intervals)-1].From; last > trial.Length()+2*r.Timeline.Resolution {
		t.Errorf("the timeline lasts until %v, the trial for %v", last, trial.Length())
	}
}

// Frames may leave back to back in bursts alone, whose places in the schedule follow each
// other as the load asks: where no burst was late, there is none in fewer steps than that.
func sendsBursts(t *testing.T, p *place, backend string) {
	for _, burst := range []int{0, 16} {
		trial := slowTrial(traffic(func(t *weir.Traffic) { t.Burst = burst }))
		trial.Resolution = time.Millisecond
		r, _ := p.complete(t, trial, backend)
		if r.Pacing.Batch != max(burst, 1) {
			t.Errorf("%d frames may have left back to back, in bursts of %d", r.Pacing.Batch, burst)
		}
		busy := 0
		for _, i := range r.Timeline.Intervals {
			if i.Sent > 0 {
				busy++
			}
		}
		if bursts := (int(r.Offered) + burst - 1) / max(burst, 1); burst > 0 && r.Pacing.Stalls == 0 && busy < bursts {
			t.Errorf("%d bursts were sent in %d steps", bursts, busy)
		}
	}
}

// Windows follow each other, each at its load, through its ports, with what it is
// primed with; what came of each adds up to the whole. What one has not sent in
// its time is not sent in the next.
func keepsWindows(t *testing.T, p *place, backend string) {
	trial := weir.Trial{
		Traffic: traffic(func(t *weir.Traffic) { t.Bidirectional, t.Flows = true, 3 }),
		Waits:   weir.Waits{Residual: patience, Learning: time.Millisecond},
	}
	for i := range 40 {
		w := weir.Window{Intended: slowly * float64(1+i%3), Duration: 10 * time.Millisecond, Silence: time.Millisecond, Side: i % 3}
		if i%2 == 1 {
			w.Prime, w.Pause = &weir.Phase{Intended: 5000, Duration: 2 * time.Millisecond}, time.Duration(i)*10*time.Microsecond
		}
		trial.Windows = append(trial.Windows, w)
	}
	r := p.measure(t, trial)
	sane(t, r, backend)
	missed := p.awaitAll(t, r)
	if len(r.Windows) != len(trial.Windows) {
		t.Fatalf("%d windows, want %d", len(r.Windows), len(trial.Windows))
	}
	var sent, received uint64
	begin := time.Duration(0)
	for i, got := range r.Windows {
		w := trial.Windows[i]
		ports := uint64(2)
		if w.Side > 0 {
			ports = 1
		}
		want := weir.Trial{Intended: w.Intended, Duration: w.Duration}.Frames() * ports
		if got.Received > got.Sent || got.PrimeReceived > got.PrimeSent || missed == 0 && got.LostRun > 0 {
			t.Errorf("window %d has frames of another, or lost some: %+v", i, got)
		}
		// Who was late at the end has not sent the last ones, after one gap or several.
		if left := time.Duration(want - min(want, got.Sent)); got.Sent > want || left > 0 && r.Pacing.LongestStall < (left-1)*w.Duration/time.Duration(want) {
			t.Errorf("window %d sent %d frames, want %d, and the sender was late by %v at most: %+v", i, got.Sent, want, r.Pacing.LongestStall, got)
		}
		if got.Preempted < 0 && p.lab != nil || got.Preempted > 4*w.Duration { // of four threads at most, on one CPU as a rule
			t.Errorf("window %d: the DUT's threads waited for %v", i, got.Preempted)
		}
		if w.Prime == nil && got.PrimeSent > 0 || got.PrimeSent > 10*ports {
			t.Errorf("window %d was primed with %d frames, by %+v", i, got.PrimeSent, w.Prime)
		}
		if w.Prime != nil {
			begin += w.Prime.Duration + w.Pause
		}
		if got.Begin != begin {
			t.Errorf("window %d began at %v, want %v", i, got.Begin, begin)
		}
		begin += w.Duration + w.Silence
		sent, received = sent+got.Sent+got.PrimeSent, received+got.Received+got.PrimeReceived
	}
	if sent != r.Offered || !about(received, r) { // so that no window of a trial that lost nothing has lost a frame
		t.Errorf("the windows sent %d and received %d frames, the trial %d and %d", sent, received, r.Offered, r.Received)
	}
}

// Timeline, tagged frames and changes of delay agree with the counts and with
// the latencies.
func watches(t *testing.T, p *place, backend string) {
	for _, change := range []func(*weir.Traffic){
		nil, func(t *weir.Traffic) { t.Bidirectional = true }, func(t *weir.Traffic) { t.Backward = true },
	} {
		trial := slowTrial(traffic(change))
		trial.Traffic.Flows = 3
		trial.Variation, trial.Resolution = true, time.Millisecond
		trial.Tags = weir.Tags{After: briefly / 2, Count: 10}
		trial.Waits.Learning = time.Millisecond
		r, whole := p.complete(t, trial, backend)
		streams := uint64(trial.Traffic.Ports())

		_, received := frames(*r.Timeline)
		some := received < r.Offered
		if r.Timeline.Resolution != 1<<20 || len(r.Timeline.Episodes) > 0 != some || r.Timeline.LastLoss != 0 && !some {
			t.Errorf("without a loss the timeline has %v, last loss %v, in steps of %v", r.Timeline.Episodes, r.Timeline.LastLoss, r.Timeline.Resolution)
		}
		if n := uint64(len(r.Tagged)); n > 10*streams || (whole && n < 10*streams) {
			t.Errorf("%d tagged frames, want 10 of each of %d streams", len(r.Tagged), streams)
		}
		for _, l := range r.Tagged {
			if uint64(l) < r.Latency.Min || uint64(l) > r.Latency.Max {
				t.Errorf("a tagged frame took %v, all frames %d to %d ns", l, r.Latency.Min, r.Latency.Max)
			}
		}
		v := r.Variation
		// What the delay of a stream grew and shrank by is how the last frame's
		// differs from the first one's, and nothing is known of one after a lost frame.
		if n := v.Longer.N + v.Shorter.N; n > follow(r, 1) || n < follow(r, 1) && !some {
			t.Errorf("%d changes of delay of %d frames in %d streams", n, r.Received, streams)
		}
		if some {
			continue
		}
		if rest, most := int64(v.Longer.Sum-v.Shorter.Sum), int64((r.Latency.Max-r.Latency.Min)*streams); rest > most || -rest > most {
			t.Errorf("the delay grew by %d ns in all, latencies are between %d and %d ns", rest, r.Latency.Min, r.Latency.Max)
		}
	}
	r := p.measure(t, slowTrial(traffic(nil)))
	if r.Timeline != nil || r.Variation != nil || r.Tagged != nil {
		t.Errorf("kept unasked: %v %v %v", r.Timeline, r.Variation, r.Tagged)
	}
}

// A DUT that does not forward for a while makes one episode of that length, and
// what accompanies the trial knows when it was.
func seesAGap(t *testing.T, p *place, backend string) {
	const lasts = 100 * time.Millisecond
	forward := func(value string) (before, after time.Time) {
		before = time.Now()
		if err := p.lab.DUT().Host.WriteFile(t.Context(), "/proc/sys/net/ipv4/ip_forward", value); err != nil {
			t.Error(err)
		}
		return before, time.Now()
	}
	var off, on [2]time.Duration // before and after, since the start
	accompanied := 0
	p.tester.config.Accompany = func(context.Context, weir.Trial) (func(*weir.TrialResult), error) {
		accompanied++
		var times [4]time.Time
		done, over := make(chan struct{}), make(chan struct{})
		before := p.packets(t, 0, "rx")
		go func() {
			defer close(done)
			for ended := false; !ended && p.packets(t, 0, "rx") < before+20; { // frames are on their way
				select {
				case <-over:
					ended = true
				case <-time.After(time.Millisecond):
				}
			}
			times[0], times[1] = forward("0")
			time.Sleep(lasts)
			times[2], times[3] = forward("1")
		}()
		return func(r *weir.TrialResult) {
			close(over)
			<-done
			off = [2]time.Duration{times[0].Sub(r.Start), times[1].Sub(r.Start)}
			on = [2]time.Duration{times[2].Sub(r.Start), times[3].Sub(r.Start)}
			r.Happened = &weir.Happened{Began: off[0], Ended: on[1]}
		}, nil
	}
	defer func() { p.tester.config.Accompany = nil }()
	trial := slowTrial(traffic(nil))
	trial.Duration, trial.Resolution, trial.Event = 6*briefly, time.Millisecond, &weir.Event{Name: "stop forwarding"}
	trial.Waits = weir.Waits{Learning: time.Millisecond, Residual: briefly}
	r := p.measure(t, trial)
	sane(t, r, backend)
	if accompanied == 0 || r.Happened == nil || r.Happened.Ended != on[1] {
		t.Fatalf("accompanied %d times, with %+v", accompanied, r.Happened)
	}
	e, some := p.lone(t, r, off[1], on[0])
	slack := 2*r.Timeline.Resolution + time.Duration(r.Latency.Max) + r.Pacing.LongestStall
	// Frames that waited before the DUT when it stopped may have been sent long before.
	if some && (e.From > off[1]+slack || e.Until < min(on[0], r.Sending)-slack || e.Until > on[1]+slack) {
		t.Errorf("frames were lost from %v to %v, the DUT did not forward from %v to %v", e.From, e.Until, off, on)
	}
	// Where the sender was late, one of the two may be known to a step alone.
	if off := e.Until - r.Timeline.LastLoss; some && (e.Lost != r.Offered-r.Received || off.Abs() > r.Timeline.Resolution+r.Pacing.LongestStall) {
		t.Errorf("%d frames were lost, the last one until %v, in all %d", e.Lost, r.Timeline.LastLoss, r.Offered-r.Received)
	}
	trial.Event, trial.Bypass, accompanied = nil, true, 0
	if p.measure(t, trial); accompanied > 0 {
		t.Error("a trial without the DUT was accompanied")
	}
}

// follow is how many frames came back after another one of their stream to the
// same port, of streams that go to so many ports in turn: where the machine is
// busy a stream may have sent less than one to each.
func follow(r weir.TrialResult, ports uint64) (n uint64) {
	for _, s := range r.Streams {
		n += s.Received - min(s.Received, ports)
	}
	return n
}

// What several threads send adds up.
func addsUpThreads(t *testing.T, p *place) {
	if err := p.tester.unload(); err != nil {
		t.Fatal(err)
	}
	cpus := p.tester.config.CPUs.Generator
	p.tester.config.CPUs.Generator = []int{cpus[0], cpus[0], cpus[0]}
	p.tester.missing = backends[1].missing // senders that sleep can share a CPU
	defer func() {
		if err := p.tester.unload(); err != nil {
			t.Error(err)
		}
		p.tester.config.CPUs.Generator, p.tester.missing = cpus, nil
	}()
	trial := slowTrial(traffic(func(t *weir.Traffic) { t.Bidirectional = true }))
	trial.Count, trial.Variation, trial.Resolution = 200, true, time.Millisecond
	trial.Tags = weir.Tags{After: briefly / 2, Count: 5}
	r, whole := p.complete(t, trial, "afpacket")
	const streams = 3 * 2
	n, most := r.Variation.Longer.N+r.Variation.Shorter.N, follow(r, 1)
	if n > most || n < most && r.Received == r.Offered || len(r.Tagged) > 5*streams || (whole && len(r.Tagged) < 5*streams) {
		t.Errorf("%d changes of delay and %d tagged frames of %d streams", n, len(r.Tagged), streams)
	}
}

// The fates of all frames of a trial add up to what came back, thread by thread.
func keepsFates(t *testing.T, p *place, backend string) {
	trial := slowTrial(traffic(func(t *weir.Traffic) { t.Bidirectional = true }))
	trial.Tags = weir.Tags{Count: weir.MaxFates, Fates: true}
	r, _ := p.complete(t, trial, backend)
	var sent, back uint64
	ports := make(map[int]bool)
	for _, f := range r.Fates {
		sent, ports[f.Port] = sent+uint64(f.Sent), true
		for i := range f.Sent {
			if f.Returned(i) {
				back++
			}
		}
	}
	if back != r.Received || sent < r.Received || len(ports) != 2 || len(r.Tagged) > 0 {
		t.Errorf("fates of %d frames from %d ports, %d of them came back: the trial sent %d and received %d", sent, len(ports), back, r.Offered, r.Received)
	}
}

// What does not go together is an error, and so is what nobody would do.
func refusesNonsense(t *testing.T, p *place) {
	for name, change := range map[string]func(*weir.Trial){
		"a second load after the maximum": func(t *weir.Trial) { t.Maximum, t.Then = true, &weir.Phase{Intended: 1, Duration: 1} },
		"a second load after a number":    func(t *weir.Trial) { t.Count, t.Then = 5, &weir.Phase{Intended: 1, Duration: 1} },
		"a second load without a rate":    func(t *weir.Trial) { t.Then = &weir.Phase{Duration: 1} },
		"windows of no load":              func(t *weir.Trial) { t.Windows = make([]weir.Window, 2) },
		"windows beside a load": func(t *weir.Trial) {
			t.Windows = []weir.Window{{Intended: slowly, Duration: briefly}}
		},
		"tags at the maximum":          func(t *weir.Trial) { t.Maximum, t.Tags.Count = true, 1 },
		"too many tags":                func(t *weir.Trial) { t.Tags.Count = weir.MaxTags + 1 },
		"too many fates":               func(t *weir.Trial) { t.Tags = weir.Tags{Count: weir.MaxFates + 1, Fates: true} },
		"tags after the end":           func(t *weir.Trial) { t.Tags = weir.Tags{After: briefly, Count: 1} },
		"negative bursts":              func(t *weir.Trial) { t.Traffic.Burst = -1 },
		"one way, and both":            func(t *weir.Trial) { t.Traffic.Bidirectional, t.Traffic.Backward = true, true },
		"an event without an executor": func(t *weir.Trial) { t.Event = &weir.Event{Name: "reset"} },
		"a probe without a prober":     func(t *weir.Trial) { t.Probe = true },
	} {
		t.Run(name, func(t *testing.T) {
			trial := slowTrial(traffic(nil))
			change(&trial)
			if _, err := p.tester.Measure(t.Context(), trial); err == nil {
				t.Error("was measured")
			}
		})
	}
	// A hook that cannot begin is an error; one that has is told of the end.
	failure := errors.New("a hook's failure")
	p.tester.config.Accompany = func(context.Context, weir.Trial) (func(*weir.TrialResult), error) { return nil, failure }
	defer func() { p.tester.config.Accompany = nil }()
	if _, err := p.tester.Measure(t.Context(), slowTrial(traffic(nil))); !errors.Is(err, failure) {
		t.Errorf("measured without its hook: %v", err)
	}
}
