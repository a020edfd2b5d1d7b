package tester

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
	"weir/internal/xdp"
)

// openHalves are two testers of which each has one of the two ports of a place.
func openHalves(t *testing.T) (p *place, halves [2]*XDP) {
	t.Helper()
	p = openPairs(t, 1)
	if err := p.tester.Close(); err != nil {
		t.Fatal(err)
	}
	for own := range halves {
		half, err := OpenXDP(XDPConfig{
			Namespace: p.lab.Tester, Ports: p.lab.DUT().Ports, CPUs: p.lab.CPUs(), Verify: true,
			Elsewhere: func(port int) bool { return port%2 != own }, RoundTrip: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { half.Close() })
		halves[own] = half
	}
	return p, halves
}

// there is a value as another machine has it.
func there[T any](t *testing.T, v T) (out T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// longer is a trial that takes so many times as long.
func longer(trial weir.Trial, times time.Duration) weir.Trial {
	trial.Duration *= times
	trial.Windows = slices.Clone(trial.Windows)
	for i := range trial.Windows {
		trial.Windows[i].Duration *= times
		trial.Windows[i].Silence *= times
	}
	return trial
}

// apart measures a trial in one direction with two testers, anew and for longer where none of
// its frames was sent, as place.measure does.
func (p *place) apart(t *testing.T, from, to *XDP, trial weir.Trial, mark uint8, back uint32) (r weir.TrialResult) {
	t.Helper()
	for times := range testenv.Longer {
		p.before = p.counters(t)
		if r = apart(t, from, to, longer(trial, times), mark, back); r.Offered > 0 {
			break
		}
	}
	return r
}

// oneByOne is held for a request: a station takes one after the other.
var oneByOne sync.Mutex

// apart measures a trial in one direction with two testers.
func apart(t *testing.T, from, to *XDP, trial weir.Trial, mark uint8, back uint32) weir.TrialResult {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	trial = there(t, trial)
	out, said, err := from.Prepare(t.Context(), trial)
	must(err)
	must(to.Expect(trial, there(t, said)))
	// A receiver that takes longer to get ready is told of a later time.
	for lead := 50 * time.Millisecond; ; lead *= 2 {
		oneByOne.Lock()
		said, err = out.Order(xdp.Now()+lead, mark, back)
		var listens error
		if err == nil {
			said = there(t, said)
			listens = to.Listen(trial, said, 0)
		}
		oneByOne.Unlock()
		must(err)
		must(listens)
		if err = out.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "the receiver took that long") {
			break
		}
	}
	must(err)
	came, err := to.Await(t.Context(), trial, out.Frames(), said)
	must(err)
	came = there(t, came)
	left, err := out.Departed(t.Context(), 1, came.SentBack)
	must(err)
	way := OneWay{trial, said, there(t, left), came}
	r, err := way.Result()
	must(err)
	refused(t, way)
	return r
}

// Two testers that have a port each see what one sees that has both.
func TestHalves(t *testing.T) {
	testenv.NeedRoot(t)
	p, halves := openHalves(t)
	for i, change := range []func(*weir.Trial){
		func(*weir.Trial) {},
		func(trial *weir.Trial) { trial.Traffic.Backward = true },
		func(trial *weir.Trial) {
			trial.Waits.Learning, trial.Variation, trial.Resolution = time.Millisecond, true, time.Millisecond
			trial.Tags = weir.Tags{Count: 10}
		},
		func(trial *weir.Trial) {
			trial.Intended, trial.Duration = 0, 0
			for range 4 {
				trial.Windows = append(trial.Windows, weir.Window{Intended: slowly, Duration: briefly / 4, Silence: briefly / 4})
			}
		},
	} {
		trial := slowTrial(traffic(nil))
		change(&trial)
		from, to := halves[0], halves[1]
		if trial.Traffic.Backward {
			from, to = to, from
		}
		r := p.apart(t, from, to, trial, uint8(i+1), 0)
		p.awaitAt(t, r, to.allReceivers())
		if r.Offered > r.Trial.Frames() || !about(r.Latency.N, r) {
			t.Errorf("%d: %d of %d frames offered, %d received, %d with a latency", i, r.Offered, r.Trial.Frames(), r.Received, r.Latency.N)
		}
		if trial.Resolution > 0 && (r.Timeline == nil || r.Variation == nil || r.Received > 0 && len(r.Tagged) == 0) {
			t.Errorf("%d: timeline %v, variation %v, tagged %v", i, r.Timeline, r.Variation, r.Tagged)
		}
		var sum weir.WindowResult
		for _, w := range r.Windows {
			sum.Sent, sum.Received = sum.Sent+w.Sent, sum.Received+w.Received
		}
		if len(r.Windows) != len(trial.Windows) || len(r.Windows) > 0 && (sum.Sent != r.Offered || !about(sum.Received, r)) {
			t.Errorf("%d: %d windows with %d and %d frames, want %d and %d", i, len(r.Windows), sum.Sent, sum.Received, r.Offered, r.Received)
		}
		if now := Timeless(r); now.Latency.N > 0 || now.Received != r.Received {
			t.Errorf("%d: without a clock %v", i, now)
		}
	}
}

// Of frames that are sent back the round trip is known, and they count once.
func TestHalvesRoundTrip(t *testing.T) {
	testenv.NeedRoot(t)
	p, halves := openHalves(t)
	const every = 4
	for i := range 2 {
		trial := slowTrial(traffic(nil))
		trial.Traffic.Backward = i == 1
		r := p.apart(t, halves[i], halves[1-i], trial, uint8(i+1), every)
		missed := p.awaitAt(t, r, halves[1-i].allReceivers())
		if r.Offered > r.Trial.Frames() || len(r.Streams) != 1 {
			t.Errorf("%d: %d of %d frames offered, %d received, streams %v", i, r.Offered, r.Trial.Frames(), r.Received, r.Streams)
		}
		most, none := r.Received/every+1, r.RoundTrip.N == 0 // of few, or of some that found a ring full
		if none && missed+p.refused(t) == 0 && r.Received > every || r.RoundTrip.N > most || !none && r.RoundTrip.Min < r.Latency.Min {
			t.Errorf("%d: %d round trips of at most %d, the least %d ns where one way takes %d, %v", i, r.RoundTrip.N, most, r.RoundTrip.Min, r.Latency.Min, r.Warnings)
		}
		if now := Timeless(r); now.RoundTrip.N != r.RoundTrip.N {
			t.Errorf("%d: without a common clock there are %d round trips of %d", i, now.RoundTrip.N, r.RoundTrip.N)
		}
	}
}

// Both directions at once add up.
func TestHalvesBothWays(t *testing.T) {
	testenv.NeedRoot(t)
	p, halves := openHalves(t)
	var whole weir.Trial
	var ways [2]weir.TrialResult
	for times := range testenv.Longer {
		p.before = p.counters(t)
		whole = longer(slowTrial(traffic(nil)), times)
		whole.Traffic.Bidirectional = true
		var group sync.WaitGroup
		for i := range ways {
			trial := whole
			trial.Traffic.Bidirectional, trial.Traffic.Backward = false, i == 1
			group.Go(func() { ways[i] = apart(t, halves[i], halves[1-i], trial, 1, 0) })
		}
		group.Wait()
		if ways[0].Offered > 0 && ways[1].Offered > 0 {
			break
		}
	}
	r := Both(whole, ways[0], ways[1])
	p.awaitAt(t, r, append(halves[0].allReceivers(), halves[1].allReceivers()...))
	if r.Offered > whole.Frames() || len(r.Streams) != 2 || !about(r.Latency.N, r) {
		t.Errorf("%d of %d frames offered, %d received, streams %v", r.Offered, whole.Frames(), r.Received, r.Streams)
	}
	if r.Streams[0].Stream == r.Streams[1].Stream || r.Streams[0].Direction == r.Streams[1].Direction {
		t.Errorf("the directions are not told apart: %v", r.Streams)
	}
}

// refused looks whether words of a side that are not of the trial are an error each, and no
// end of this process.
func refused(t *testing.T, way OneWay) {
	t.Helper()
	for name, spoil := range map[string]func(*OneWay){
		"steps":                func(o *OneWay) { o.Announced.Grid.Steps += 1 << 40 },
		"a step":               func(o *OneWay) { o.Announced.Grid.Shift++ },
		"begins":               func(o *OneWay) { o.Announced.Begins = append(slices.Clone(o.Announced.Begins), 0) },
		"tags":                 func(o *OneWay) { o.Announced.Tagged = o.Trial.Tags.Count + 1 },
		"fewer than no tags":   func(o *OneWay) { o.Announced.Tagged = -1 },
		"threads":              func(o *OneWay) { o.Departed.Sent = make([]xdp.Sent, xdp.Streams+1) },
		"loads":                func(o *OneWay) { o.Departed.Sent[0].Loads = make([]xdp.Departed, len(loads(o.Trial))+1) },
		"steps of a thread":    func(o *OneWay) { o.Departed.Sent[0].Steps = make([]uint32, grid(o.Trial).Steps+1) },
		"a time before all":    func(o *OneWay) { o.Departed.Sent[0].First = -1 },
		"a time after all":     func(o *OneWay) { o.Departed.Sent[0].Last = math.MaxInt64 },
		"steps that arrived":   func(o *OneWay) { o.Arrived.Steps = make([]uint32, grid(o.Trial).Steps+1) },
		"windows that arrived": func(o *OneWay) { o.Arrived.Windows = make([]xdp.Arrived, 10000) },
		"no window that arrived": func(o *OneWay) {
			if o.Arrived.Windows = nil; len(o.Trial.Windows) == 0 {
				o.Announced.Begins = make([]time.Duration, 1)
			}
		},
	} {
		spoiled := way
		spoiled.Departed.Sent = slices.Clone(way.Departed.Sent)
		spoil(&spoiled)
		if _, err := spoiled.Result(); err == nil || !strings.Contains(err.Error(), "is its weir another one?") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
