package weir

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimeline(t *testing.T) {
	const ms = time.Millisecond
	//                   0  1  2  3  4  5  6  7  8
	sent := []uint32{2, 2, 0, 2, 2, 2, 2, 0, 2}
	received := []uint32{2, 1, 0, 0, 2, 2, 2, 0, 1}
	line := NewTimeline(ms, sent, received)
	want := []Episode{
		{From: 1 * ms, Until: 4 * ms, Lost: 3}, // a step in which nothing was sent does not end it
		{From: 8 * ms, Until: 9 * ms, Lost: 1},
	}
	if d := cmp.Diff(want, line.Episodes); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
	if line.LastLoss != 9*ms || line.Longest() != want[0] || len(line.Intervals) != len(sent) || line.More != 0 {
		t.Errorf("%+v", line)
	}
}

// Times are known to the resolution unless the timeline says better.
func TestWhatIsKnown(t *testing.T) {
	line := Timeline{Resolution: time.Millisecond}
	if line.Known() != time.Millisecond || line.KnownEdges(Episode{}) != time.Millisecond {
		t.Errorf("known to %v, edges to %v", line.Known(), line.KnownEdges(Episode{}))
	}
	line.Precision = time.Microsecond
	if line.Known() != time.Microsecond || line.KnownEdges(Episode{Precision: 3}) != 3 {
		t.Errorf("known to %v, edges to %v", line.Known(), line.KnownEdges(Episode{Precision: 3}))
	}
}

func TestTimelineIsBounded(t *testing.T) {
	const steps = 10_001
	sent, received := make([]uint32, steps), make([]uint32, steps)
	for i := range sent {
		sent[i], received[i] = 3, uint32(3-i%2)
	}
	line := NewTimeline(time.Microsecond, sent, received)
	if len(line.Intervals) > MaxIntervals || len(line.Episodes) != MaxEpisodes || line.More != 4000 {
		t.Errorf("%d intervals, %d episodes and %d more", len(line.Intervals), len(line.Episodes), line.More)
	}
	var sum Interval
	for _, v := range line.Intervals {
		sum.Sent, sum.Received = sum.Sent+v.Sent, sum.Received+v.Received
	}
	if sum.Sent != 3*steps || sum.Received != 3*steps-5000 {
		t.Errorf("the intervals hold %d frames of %d, and %d that came back of %d", sum.Sent, 3*steps, sum.Received, 3*steps-5000)
	}
	received[steps-1], received[steps-2] = 0, 0
	if e := NewTimeline(time.Microsecond, sent, received).Longest(); e.Lost != 6 || e.Until != steps*time.Microsecond {
		t.Errorf("the longest episode is the last one, and was %+v", e)
	}
	if none := NewTimeline(time.Second, nil, nil); none.Longest() != (Episode{}) || none.LastLoss != 0 {
		t.Errorf("a timeline of nothing: %+v", none)
	}
}

func TestFramesOfATrial(t *testing.T) {
	both := Traffic{Bidirectional: true}
	for _, c := range []struct {
		name  string
		trial Trial
		want  uint64
	}{
		{"a load", Trial{Intended: 1000, Duration: 2 * time.Second}, 2000},
		{"both ways", Trial{Intended: 1000, Duration: 2 * time.Second, Traffic: both}, 4000},
		{"three pairs", Trial{Intended: 1000, Duration: time.Second, Traffic: Traffic{Pairs: 3}}, 3000},
		{"maximum", Trial{Maximum: true, Duration: time.Second}, 0},
		{"a burst", Trial{Maximum: true, Count: 700, Duration: time.Second}, 700},
		{"a burst both ways", Trial{Intended: 5, Count: 700, Traffic: both}, 1400},
		{"two phases", Trial{Intended: 1000, Duration: time.Second, Then: &Phase{Intended: 10, Duration: 3 * time.Second}}, 1030},
	} {
		if got := c.trial.Frames(); got != c.want {
			t.Errorf("%s: %d frames, want %d", c.name, got, c.want)
		}
	}
	burst := TrialResult{Trial: Trial{Maximum: true, Count: 1000, Duration: time.Second}, Offered: 900, Received: 900, Sending: time.Millisecond}
	if !burst.Short() || burst.LossRatio() != .1 || burst.ForwardingRate() != 900e3 {
		t.Errorf("a burst that fell short: %v, loss %v, %v frames/s", burst.Short(), burst.LossRatio(), burst.ForwardingRate())
	}
}

func TestCondition(t *testing.T) {
	for want, c := range map[string]Condition{
		"plain":    {},
		"1 filter": ConditionOf(Filters(1)),
		"25 filters, management queries, 10000 ipv4 routes by bgp, NAPI softirq": ConditionOf(Softirq,
			RouteSet{Family: IPv4, Count: 10_000, Via: "bgp"}, Management(true), Filters(25)),
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
