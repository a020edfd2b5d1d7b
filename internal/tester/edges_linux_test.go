package tester

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv"
	"weir/internal/xdp"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// lossy is a timeline of 10 steps of 1 ms with frames each 10 us, of which
// these were lost in the 3rd to the 5th step, and one in the 8th.
func lossy() weir.Timeline {
	sent, received := make([]uint32, 10), make([]uint32, 10)
	for i := range sent {
		sent[i], received[i] = 100, 100
	}
	received[3], received[4], received[5], received[8] = 60, 0, 80, 99
	return weir.NewTimeline(ms, sent, received)
}

// The last loss and the edges of an episode are those of the frames beside
// them, since the first frame, when these agree with the steps. What does not
// is not used.
func TestEdges(t *testing.T) {
	const zero = 5 * time.Second
	gap := func(missing uint64, before, after time.Duration) xdp.Gap {
		return xdp.Gap{Missing: missing, Before: zero + before, After: zero + after}
	}
	first := 300 * us // after the begin of the first step
	coarse := lossy()
	episode := func(from, until time.Duration, precision time.Duration) weir.Episode {
		return weir.Episode{From: from - first, Until: until - first, Lost: 160, Precision: precision}
	}
	exact := gap(160, 3600*us, 5210*us)
	single := gap(1, 8400*us, 8420*us)
	for name, tt := range map[string]struct {
		gaps     []xdp.Gaps
		episode  weir.Episode
		lastLoss time.Duration // with a precision of 10 us
	}{
		"both": {[]xdp.Gaps{{Missing: 161, Longest: exact, Last: single}}, episode(3600*us, 5210*us, 10*us), 8420*us - first},
		"two streams": {[]xdp.Gaps{
			{Missing: 80, Longest: gap(80, 3610*us, 5220*us), Last: gap(80, 3610*us, 5220*us)},
			{Missing: 81, Longest: gap(80, 3600*us, 5210*us), Last: single},
		}, episode(3600*us, 5220*us, 19876*time.Nanosecond), 8420*us - first},
		"not all that was lost":          {[]xdp.Gaps{{Missing: 160, Longest: exact, Last: exact}}, coarse.Episodes[0], 0},
		"more than was lost":             {[]xdp.Gaps{{Missing: 162, Longest: exact, Last: single}}, coarse.Episodes[0], 0},
		"the last one in another step":   {[]xdp.Gaps{{Missing: 161, Longest: exact, Last: gap(1, 7400*us, 7420*us)}}, episode(3600*us, 5210*us, 10*us), 0},
		"the last one beyond its step":   {[]xdp.Gaps{{Missing: 161, Longest: exact, Last: gap(1, 9010*us, 9030*us)}}, episode(3600*us, 5210*us, 10*us), 0},
		"a sender that was late":         {[]xdp.Gaps{{Missing: 161, Longest: exact, Last: gap(1, 6400*us, 8420*us)}}, episode(3600*us, 5210*us, 10*us), 0},
		"an episode of several gaps":     {[]xdp.Gaps{{Missing: 161, Longest: gap(150, 3600*us, 5110*us), Last: single}}, coarse.Episodes[0], 8420*us - first},
		"an episode that begins earlier": {[]xdp.Gaps{{Missing: 161, Longest: gap(160, 2900*us, 5210*us), Last: single}}, coarse.Episodes[0], 8420*us - first},
		"an episode that begins later":   {[]xdp.Gaps{{Missing: 161, Longest: gap(160, 4100*us, 5710*us), Last: single}}, coarse.Episodes[0], 8420*us - first},
		"an episode that ends later":     {[]xdp.Gaps{{Missing: 161, Longest: gap(160, 3600*us, 6200*us), Last: single}}, coarse.Episodes[0], 8420*us - first},
		"frames on both sides of a step": {[]xdp.Gaps{{Missing: 161, Longest: gap(160, 2995*us, 5605*us), Last: gap(1, 8985*us, 9005*us)}}, episode(3000*us, 5605*us, 16211*time.Nanosecond), 9000*us - first},
	} {
		line := lossy()
		edges{gaps: tt.gaps, zero: zero, first: zero + first, apart: 10 * us}.refine(&line)
		want := lossy()
		want.Episodes[0] = tt.episode
		if tt.lastLoss > 0 {
			want.LastLoss, want.Precision = tt.lastLoss, 10*us
		}
		if d := cmp.Diff(want.Episodes[0], line.Episodes[0]); d != "" {
			t.Errorf("%s: episode (-want +got):\n%s", name, d)
		}
		if line.LastLoss != want.LastLoss || line.Precision != want.Precision {
			t.Errorf("%s: last loss %v, known to %v, want %v, known to %v", name, line.LastLoss, line.Precision, want.LastLoss, want.Precision)
		}
	}
}

// A DUT that does not forward for a while: the gap that the frames say is
// within the steps in which they were missing, and as long as the frames that
// are missing need. Only what the sender was late with may leave it at the steps.
func TestEdgesOfAGap(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPairs(t, 2)
	for name, change := range map[string]func(*weir.Traffic){
		"one way": nil, "both ways": func(t *weir.Traffic) { t.Bidirectional = true }, "two pairs": func(t *weir.Traffic) { t.Pairs = 2 },
		"backward": func(t *weir.Traffic) { t.Backward, t.Pairs = true, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			r, took := interrupted(t, p, traffic(change))
			p.agrees(t, r, took)
		})
	}
	t.Run("packet sockets", func(t *testing.T) {
		p.tester.missing = backends[1].missing
		r, took := interrupted(t, p, traffic(nil))
		p.agrees(t, r, took)
	})
}

// interrupted is a trial in which the DUT did not forward for a while. The kernel tells
// one port after the other, so that pairs of ports may stop and begin apart by as long
// as took.
func interrupted(t *testing.T, p *place, tr weir.Traffic) (r weir.TrialResult, took time.Duration) {
	t.Helper()
	p.tester.config.Accompany = func(context.Context, weir.Trial) (func(*weir.TrialResult), error) {
		done := make(chan struct{})
		var times [2]time.Time
		go func() {
			defer close(done)
			for i, value := range []string{"0", "1"} {
				time.Sleep(80 * ms)
				begin := time.Now()
				times[1] = begin // before it forwards again
				if err := p.lab.DUT().Host.WriteFile(t.Context(), "/proc/sys/net/ipv4/ip_forward", value); err != nil {
					t.Error(err)
				}
				took += time.Since(begin)
				if i == 0 {
					times[0] = time.Now() // after it has stopped
				}
			}
		}()
		return func(r *weir.TrialResult) {
			<-done
			r.Happened = &weir.Happened{Began: times[0].Sub(r.Start), Ended: times[1].Sub(r.Start)}
		}, nil
	}
	defer func() { p.tester.config.Accompany = nil }()
	r = p.measure(t, weir.Trial{
		Traffic: tr, Intended: 2 * slowly, Duration: 300 * ms, Resolution: 10 * ms, Event: &weir.Event{Name: "stop forwarding"},
		Waits: weir.Waits{Learning: ms, Residual: 30 * ms},
	})
	return r, took
}

// lone is the only episode of a trial whose DUT forwarded nothing from a time
// until another. It may be none when no frame met that: because the sender was
// late, frames waited before the DUT, or the trial was over. There may be others where
// a ring was full, or where frames came back after the trial.
func (p *place) lone(t *testing.T, r weir.TrialResult, from, until time.Duration) (e weir.Episode, some bool) {
	t.Helper()
	all, stall, waited := r.Timeline.Episodes, r.Pacing.LongestStall, time.Duration(r.Latency.Max)
	if n := p.refused(t); n > 0 {
		t.Logf("episodes %v, but not of what the DUT did alone: rings were full %d times", all, n)
		return e, false
	}
	if n := len(all); n > 1 && all[n-1].Until >= r.Sending-r.Timeline.Resolution {
		all = all[:n-1]
	}
	if met := min(until, r.Sending) - max(from, 0); len(all) > 1 || len(all) == 0 && met > stall+waited+r.Timeline.Resolution {
		t.Fatalf("episodes %v, want one: the DUT did not forward from %v to %v; the sender was late by %v at most, frames took up to %v", all, from, until, stall, waited)
	}
	if len(all) == 0 {
		t.Logf("nothing was lost while the DUT did not forward, from %v to %v: the sender was late by %v, frames took up to %v", from, until, stall, waited)
		return e, false
	}
	return all[0], true
}

// agrees compares the refined times of a trial with its intervals, each of
// which is one step.
func (p *place) agrees(t *testing.T, r weir.TrialResult, took time.Duration) {
	t.Helper()
	line, step := r.Timeline, r.Timeline.Resolution
	stall, apart := r.Pacing.LongestStall, spacing(r.Trial, 1)
	var lost uint64
	for _, e := range line.Episodes {
		lost += e.Lost
	}
	if lost != r.Offered-r.Received {
		t.Errorf("%d frames were lost in episodes, %d in the trial", lost, r.Offered-r.Received)
	}
	e, some := p.lone(t, r, r.Happened.Began, r.Happened.Ended)
	if !some {
		return
	}
	if e.Precision == 0 || line.Precision == 0 || e.Precision >= step || line.LastLoss != e.Until {
		// What was lost until the end is before no other frame.
		if stall < apart && r.Happened.Ended < r.Sending-step {
			t.Errorf("last loss %v known to %v, episode %+v in steps of %v: want them known to some frames %v apart, the sender was late by %v at most", line.LastLoss, line.Known(), e, step, apart, stall)
		}
		t.Logf("known to steps of %v: the sender was late by %v with frames %v apart", step, stall, apart)
	}
	var from, until time.Duration // of the steps in which frames were lost
	for _, v := range line.Intervals {
		if v.Sent > v.Received {
			if until == 0 {
				from = v.From
			}
			until = v.From + step
		}
	}
	// The steps begin up to one of them before the first frame.
	if e.From > from+step || e.From < from-step || e.Until > until || e.Until < until-2*step {
		t.Errorf("refined to %+v, lost in the steps from %v to %v", e, from, until)
	}
	// A frame keeps its place in the schedule, however late it leaves.
	needs := time.Duration(float64(e.Lost+1) / (r.Trial.Intended * float64(r.Trial.Traffic.Ports())) * float64(time.Second))
	known := e.Precision
	if known == 0 {
		known = step
	}
	if off := e.Until - e.From - needs; off.Abs() > 2*known+2*stall+2*apart+took {
		t.Errorf("%d frames were lost in %v, want %v; the sender was late by %v at most, and the DUT was told in %v", e.Lost, e.Until-e.From, needs, stall, took)
	}
}
