package claim

import (
	"net/netip"
	"slices"
	"time"

	"weir"
)

// rate is the throughput in all hand-made results, frames/s.
const rate = 100_000.

// plainTraffic is that of RFC 2544.
func plainTraffic() weir.Traffic {
	return weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1, Forward: weir.Stream{
		Source:          weir.AddressSet{First: netip.MustParseAddr("198.18.1.2"), Count: 1, Order: weir.Fixed},
		Destination:     weir.AddressSet{First: netip.MustParseAddr("198.19.1.2"), Count: 1, Order: weir.Fixed},
		SourcePort:      weir.PortSet{First: 0xc020, Last: 0xc020, Order: weir.Fixed},
		DestinationPort: weir.PortSet{First: EchoPort, Last: EchoPort, Order: weir.Fixed},
	}}
}

// evidenceOf is a result with its trials, by the book: nothing is missed.
type evidenceOf struct {
	weir.Result
	trials []weir.TrialResult
}

func (e *evidenceOf) add(t weir.Trial, lost uint64) *weir.TrialResult {
	t.Number, t.Purpose = len(e.trials)+1, e.Method
	if t.Traffic.Sizes == nil {
		t.Traffic = plainTraffic()
	}
	t.Waits = weir.Waits{Learning: LearningWait, Residual: ResidualWait, Settle: SettleWait}
	r := weir.TrialResult{Trial: t, Sending: t.Length(), Offered: t.Frames(), Received: t.Frames() - lost}
	if t.Maximum {
		r.Offered = max(t.Count, uint64(2*rate*t.Duration.Seconds()))
		r.Received = r.Offered - lost
	}
	r.Latency.Add(20_000, 1)
	e.trials = append(e.trials, r)
	e.First, e.Last = 1, t.Number
	return &e.trials[len(e.trials)-1]
}

// each changes all trials.
func (e *evidenceOf) each(change func(*weir.TrialResult)) {
	for i := range e.trials {
		change(&e.trials[i])
	}
}

func (e *evidenceOf) figure(name string, value float64) {
	e.Figures = append(e.Figures, weir.Figure{Name: name, Value: value})
}

// book is a result of a method that keeps all of its checklist.
func book(method string) *evidenceOf {
	e := &evidenceOf{Result: weir.Result{Method: method, Value: rate, Lower: rate, Upper: 1.01 * rate, Width: .01, Ledger: weir.Ledger{Offered: 1}}}
	stream := func(n int, t weir.Trial) {
		e.figure(Throughput, rate)
		e.Basis = &weir.Basis{Claim: "RFC 2544 throughput"}
		t.Intended = rate
		for range n {
			e.add(t, 0)
		}
	}
	switch method {
	case "self-test", "frmol":
		e.add(weir.Trial{Maximum: true, Duration: time.Second}, 10)
	case "sweep":
		e.TrialSeconds, e.LossRatio = .005, .005
		e.Sweep = &weir.Sweep{Windows: 500, Rounds: 3, Conditional: rate}
		e.add(weir.Trial{Intended: rate / 2, Duration: time.Second}, 0)
	case "saturated":
		e.TrialSeconds = .005
		e.figure(Windows, 100)
		e.figure(CountingWindows, 90)
		e.add(weir.Trial{Intended: 2 * rate, Duration: time.Second}, 1000)
	case "mfr":
		e.add(weir.Trial{Maximum: true, Duration: time.Second}, 170_000)
		e.add(weir.Trial{Intended: rate, Duration: time.Second}, 0)
		e.figure(weir.OfferedLoad, rate)
		e.Curve = []weir.Point{{Offered: 2 * rate, Forwarded: .3 * rate}, {Offered: rate, Forwarded: rate}}
	case "throughput", "mlrsearch":
		e.TrialSeconds, e.Sum = 60, 60
		e.add(weir.Trial{Intended: 1.01 * rate, Duration: FullTrial}, 1)
		e.add(weir.Trial{Intended: rate, Duration: FullTrial}, 0)
	case "latency":
		stream(FullRepeats, weir.Trial{Duration: FullStream, Tags: weir.Tags{After: TagAfter, Count: 1}})
		for i := range e.trials {
			e.trials[i].Tagged = []time.Duration{time.Duration(i+1) * time.Microsecond}
		}
		e.Value = 10.5e-6
	case "loss-rate":
		e.figure(TheoreticalMaximum, 1.2*rate)
		for _, share := range []float64{1, .9, .8, .7} {
			e.add(weir.Trial{Intended: share * 1.2 * rate, Duration: FullTrial}, uint64(max(0, (share*1.2-1)*rate*60)))
		}
	case "back-to-back", "rfc9004-back-to-back":
		e.Basis = &weir.Basis{Claim: "RFC 2544 throughput"}
		e.figure(Throughput, rate)
		e.figure(TheoreticalMaximum, 2*rate)
		e.figure(Repetitions, FullRepetitions)
		for _, name := range []string{ShortestBurst, LongestBurst, BurstDeviation, CorrectedBuffer} {
			e.figure(name, 1)
		}
		for range FullRepetitions {
			e.add(weir.Trial{Maximum: true, Count: 4 * rate}, 1).Sending = FullBurst
			e.add(weir.Trial{Maximum: true, Count: 1000}, 0).Sending = 5 * time.Millisecond
		}
	case "recovery":
		e.figure(Throughput, rate)
		e.Basis = &weir.Basis{Claim: "RFC 2544 throughput"}
		for range 3 {
			e.add(weir.Trial{Intended: 1.1 * rate, Duration: FullTrial, Then: &weir.Phase{Intended: .55 * rate, Duration: 10 * time.Second}}, 10).
				Timeline = &weir.Timeline{Resolution: time.Millisecond, LastLoss: FullTrial + 2*time.Millisecond,
				Episodes: []weir.Episode{{From: time.Second / 2, Until: FullTrial + 2*time.Millisecond, Lost: 10}}}
		}
		e.Value = .002
	case "reset":
		stream(1, weir.Trial{Duration: FullTrial, Event: &weir.Event{Name: "reset software", After: 10 * time.Second}})
		e.trials[0].Happened = &weir.Happened{Began: 10 * time.Second, Ended: 11 * time.Second}
		e.trials[0].Timeline = &weir.Timeline{Resolution: time.Millisecond, LastLoss: 12 * time.Second,
			Episodes: []weir.Episode{{From: 10 * time.Second, Until: 12 * time.Second, Lost: 2 * rate}}}
	case "rfc8219-latency":
		stream(FullRepeats, weir.Trial{Duration: FullStream, Tags: weir.Tags{After: TagAfter, Count: fullTags}})
		e.each(func(t *weir.TrialResult) {
			for i := range fullTags + 1 {
				t.Tagged = append(t.Tagged, time.Duration(i)*time.Microsecond)
			}
		})
		e.Value = 250e-6
	case "pdv":
		stream(FullRepeats, weir.Trial{Duration: FullTrial})
		e.Value = 0
	case "ipdv", "jitter":
		stream(FullRepeats, weir.Trial{Duration: FullTrial, Variation: true})
		e.each(func(t *weir.TrialResult) {
			t.Variation = &weir.Variation{}
			t.Variation.Longer.Add(3000, 1)
		})
		e.Value = 3e-6
	case "fib-learning", "bgp-convergence":
		t := plainTraffic()
		t.Routes, t.Flows = weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 3, Via: weir.ViaBGP}, 1000
		stream(10, weir.Trial{Duration: 10 * time.Second, Traffic: t, Condition: weir.ConditionOf(t.Routes)})
		e.each(func(t *weir.TrialResult) {
			t.Received -= 10
			t.Happened = &weir.Happened{Began: time.Second, Ended: 2 * time.Second}
			t.Timeline = &weir.Timeline{Resolution: time.Millisecond, LastLoss: 3 * time.Second, Intervals: []weir.Interval{
				{Sent: 10}, {From: 900 * time.Millisecond, Sent: 1e5, Received: 10}}}
		})
		e.Value = 2
		e.figure(Accuracy, .1)
		for _, name := range []string{"routes learnt", "mean of the trials", "standard deviation of the trials"} {
			e.figure(name, 1)
		}
	case "overload":
		e.TrialSeconds, e.Lower, e.Upper = .003, .98*rate, 1.01*rate
		e.Sweep = &weir.Sweep{Windows: 500, Rounds: 1}
		e.figure(MLFRRWindows, 12)
		windows := e.add(weir.Trial{Windows: slices.Repeat([]weir.Window{{Intended: rate, Duration: 3 * time.Millisecond}}, 12)}, 0)
		for range windows.Trial.Windows {
			windows.Windows = append(windows.Windows, weir.WindowResult{Sent: 30, Received: 30})
		}
		for i := range 10 {
			load := float64(i+1) / 10 * 2 * rate
			e.Curve = append(e.Curve, weir.Point{Branch: "up", Intended: load, LossRatio: max(0, 1-rate/load)})
		}
		for i := range 10 {
			p := e.Curve[9-i]
			p.Branch = "down"
			e.Curve = append(e.Curve, p)
		}
	case "soak":
		stream(1, weir.Trial{Duration: time.Hour})
	}
	if slices.Contains(transfers, method) {
		bookOfTransfer(e)
	}
	return e
}
