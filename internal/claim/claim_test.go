package claim

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// By the book each method earns its strongest name.
func TestByTheBook(t *testing.T) {
	for method, want := range map[string]string{
		"self-test": "tester ceiling", "frmol": "FRMOL", "mfr": "maximum forwarding rate", "throughput": "RFC 2544 throughput",
		"mlrsearch": "RFC 2544 throughput", "latency": "RFC 2544 latency", "loss-rate": "RFC 2544 frame loss rate",
		"back-to-back": "RFC 2544 back-to-back", "rfc9004-back-to-back": "RFC 9004 back-to-back", "recovery": "RFC 2544 system recovery",
		"reset": "RFC 2544 reset", "rfc8219-latency": "RFC 8219 latency", "pdv": "RFC 8219 PDV", "ipdv": "RFC 8219 IPDV", "jitter": "jitter",
		"fib-learning": "RFC 3222 learning time", "bgp-convergence": "RFC 7747 convergence", "overload": "overload curve", "soak": "soak",
		"sweep": WindowsName, "saturated": SaturatedName,
		"tcp": "TCP goodput", "iperf3": "TCP goodput", "iperf": "TCP goodput", "netperf": "TCP goodput", "udp": "UDP goodput",
		"connections": "connection rate", "loaded-latency": "latency under load", "rfc6349": "RFC 6349 TCP throughput",
		"pppoe-setup": "PPPoE session rate", "pppoe-flood": "PPPoE set-up under flood",
		"ftp": "file transfer", "smb": "file transfer", "http": "file transfer", "sftp": "file transfer", "rsync": "file transfer", "pipe": "file transfer",
	} {
		e := book(method)
		c := checked(e.Result, e.trials)
		if c.Name != want {
			t.Errorf("%s is called %q and not %q: it misses %q", method, c.Name, want, c.Missed)
		}
		if len(c.Missed) > 0 && method != "frmol" && method != "jitter" {
			t.Errorf("%s misses %q", method, c.Missed)
		}
		demandsAreWhole(t, method, c)
	}
}

// demandsAreWhole reports demands of a claim that do not say all, or of which another one has the
// identity.
func demandsAreWhole(t *testing.T, what string, c weir.Claim) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range c.Demands {
		if d.Source == "" || d.Text == "" || d.Found == "" || d.Level == "" || d.ID == "" || seen[d.ID] {
			t.Errorf("%s: %+v is not complete, or another one has its id", what, d)
		}
		seen[d.ID] = true
	}
}

// What is changed of a result by the book, what it is called then, and parts of
// what it misses.
func TestWhatIsMissed(t *testing.T) {
	long := func(d time.Duration) func(*evidenceOf) {
		return func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) {
				t.Offered, t.Received = uint64(float64(t.Offered)*d.Seconds()/t.Trial.Duration.Seconds()), uint64(float64(t.Received)*d.Seconds()/t.Trial.Duration.Seconds())
				t.Trial.Duration, t.Sending = d, d
			})
		}
	}
	traffic := func(change func(*weir.Traffic)) func(*evidenceOf) {
		return func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { change(&t.Trial.Traffic) }) }
	}
	six := traffic(func(t *weir.Traffic) {
		t.Family = weir.IPv6
		t.Forward.Source.First, t.Forward.Destination.First = netip.MustParseAddr("2001:2::2"), netip.MustParseAddr("2001:2:0:8000::2")
	})
	tests := []struct {
		method string
		change func(*evidenceOf)
		name   string
		missed []string
	}{
		{"frmol", func(e *evidenceOf) { e.trials[0].Trial.Maximum = false }, "forwarding rate", []string{"0 of 1 trial", "26.1"}},
		{"mfr", func(e *evidenceOf) { e.Value /= 2; e.Figures, e.Curve = nil, nil }, "forwarding rate", []string{"3.5.2", "highest of", "must be cited"}},

		{"throughput", long(time.Second), "throughput, short trials", []string{"section 24: the final determination SHOULD be made with trials of at least 60 s; these lasted 1s"}},
		{"throughput", func(e *evidenceOf) { e.ExceedRatio = .2 }, "throughput, exceed ratio 20 %", []string{"20 % of the trials"}},
		{"throughput", func(e *evidenceOf) { e.LossRatio, e.ExceedRatio = .005, .5; e.trials[0].Received /= 2 }, "rate at 0.5 % loss, exceed ratio 50 %", []string{"a loss of 0.5 %", "50 %"}},
		{"throughput", func(e *evidenceOf) { e.Upper = e.Lower }, "throughput, at least", []string{"the tester's own ceiling"}},
		{"throughput", func(e *evidenceOf) { e.Upper = e.Lower; e.figure(PlanMaximum, rate) }, "throughput, at least", []string{"the plan's maximum"}},
		{"throughput", func(e *evidenceOf) { e.Upper = e.Lower; e.figure(TheoreticalMaximum, rate) }, "RFC 2544 throughput", nil},
		{"throughput", func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) { t.Trial.Waits = weir.Waits{Residual: time.Second} })
		}, "throughput, short waits", []string{"wait 2s after the learning frames; the wait was 0s", "2s for residual frames; the wait was 1s", "5s for the DUT"}},
		{"throughput", func(e *evidenceOf) { e.trials[0].Trial.Waits.Settle = 0 }, "throughput, short waits", []string{"5s for the DUT"}},
		{"throughput", func(e *evidenceOf) { e.trials[1].Received-- }, "rate, not confirmed by its trials", []string{"here frames were lost"}},
		{"throughput", func(e *evidenceOf) { e.trials[1].Received++ }, "rate, not confirmed by its trials", []string{"more came back"}},
		{"throughput", func(e *evidenceOf) { e.Lower /= 2 }, "rate, not confirmed by its trials", []string{"at least 60 s; there are none", "no trial at this load"}},
		{"throughput", func(e *evidenceOf) { e.Verdict = NotEnded }, "search not ended", nil},
		{"throughput", func(e *evidenceOf) { e.Lower = 0 }, "no load met the goal", nil},
		{"throughput", func(e *evidenceOf) { e.trials[1].Sending = 30 * time.Second }, "throughput, short trials", []string{"these lasted 30s"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.VLANs = []weir.VLAN{{}} }), "throughput, other test frames", []string{"1 VLAN tag"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Sessions = 3 }), "throughput, other test frames", []string{"through 3 PPPoE sessions"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Sizes = []weir.Size{65} }), "throughput, other test frames", []string{"section 9.1"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Sizes = []weir.Size{64, 570} }), "throughput, other test frames", []string{"a mix"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Replay = &weir.Replay{} }), "throughput, other test frames", []string{"of a capture", "of a capture", "of a capture"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Forward.Source.First = netip.MustParseAddr("192.18.0.1") }), "throughput, other test frames", []string{"198.18.0.0/15"}},
		{"throughput", traffic(func(t *weir.Traffic) {
			t.Forward.DestinationPort.Order = weir.Increment
			t.Forward.DestinationPort.Last = 9
		}),
			"throughput, other test frames", []string{"RFC 4814 section 4.5"}},
		{"throughput", traffic(func(t *weir.Traffic) {
			t.Forward.SourcePort, t.Forward.DestinationPort = weir.PortSet{First: 1024, Last: 65535, Order: weir.Random}, weir.PortSet{First: 1, Last: 49151, Order: weir.Random}
		}), "RFC 2544 throughput", nil},
		{"throughput", six, "RFC 5180 throughput", nil},
		{"throughput", traffic(func(t *weir.Traffic) { t.Family = weir.IPv6 }), "throughput, other test frames", []string{"2001:2::/48"}},
		{"throughput", both(six, traffic(func(t *weir.Traffic) { t.Sizes = []weir.Size{1522} })), "RFC 5180 throughput", nil},
		{"throughput", both(six, traffic(func(t *weir.Traffic) {
			t.Extensions, t.Extended = []weir.Extension{weir.HopByHop, weir.RoutingHeader}, .1
		})),
			"throughput, other test frames", []string{"MUST NOT contain hop-by-hop"}},
		{"throughput", both(six, traffic(func(t *weir.Traffic) { t.Extensions, t.Extended = []weir.Extension{weir.HopByHop}, .5 })), "RFC 5180 throughput", nil},
		{"throughput", both(six, traffic(func(t *weir.Traffic) { t.Blend = &weir.Blend{Share: .3} })), "throughput, other test frames", []string{"10, 50 or 90 %"}},

		{"mlrsearch", func(e *evidenceOf) { e.ExceedRatio, e.Sum = .5, 120 }, "MLRsearch goal 60s/120s/0 %/50 %", []string{"50 %"}},
		{"mlrsearch", func(e *evidenceOf) { e.ExceedRatio, e.Sum = .5, 180 }, "rate, not confirmed by its trials", []string{"whatever further trials", "50 %"}},
		{"mlrsearch", both(long(time.Second), func(e *evidenceOf) {
			e.TrialSeconds, e.Sum, e.ExceedRatio, e.LossRatio = 1, 1, .5, .005
			e.trials[0].Received /= 2
		}),
			"MLRsearch goal 1s/1s/0.5 %/50 %", []string{"these lasted 1s", "0.5 %", "50 %"}},
		{"mlrsearch", func(e *evidenceOf) { e.Irregular = true }, "MLRsearch goal 60s/60s/0 %/0 %, irregular", nil},
		{"mlrsearch", func(e *evidenceOf) { e.Sum = 30 }, "MLRsearch goal 60s/30s/0 %/0 %", []string{"less than one final trial"}},

		{"latency", long(time.Second), "latency, short stream", []string{"SHOULD be at least 120 s"}},
		{"latency", func(e *evidenceOf) { e.Figures = nil }, "latency, other load", []string{"the throughput is not known"}},
		{"latency", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Trial.Intended /= 2 }) }, "latency, other load", []string{"50 % of it"}},
		{"latency", func(e *evidenceOf) { e.trials = e.trials[:19]; e.Value = 10e-6 }, "latency", []string{"MUST be repeated at least 20 times; the number of trials was 19"}},
		{"latency", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Tagged = nil }) }, "latency", []string{"no frame was tagged", "the median of all frames"}},
		{"latency", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Trial.Tags.After = 59 * time.Second }) }, "latency", []string{"after 59s"}},
		{"latency", func(e *evidenceOf) { e.trials[3].Tagged = nil }, "latency", []string{"not every stream of every trial", "another figure"}},
		{"latency", func(e *evidenceOf) { e.Value = 1 }, "latency", []string{"another figure"}},

		{"loss-rate", func(e *evidenceOf) { e.trials = e.trials[1:] }, "loss curve", []string{"SHOULD be run at 100 %"}},
		{"loss-rate", func(e *evidenceOf) { e.trials = e.trials[:3] }, "loss curve", []string{"two successive trials"}},
		{"loss-rate", func(e *evidenceOf) { e.trials = append(e.trials[:1], e.trials[2:]...) }, "loss curve", []string{"MUST be 10 %"}},
		{"loss-rate", func(e *evidenceOf) { e.trials[1], e.trials[2] = e.trials[2], e.trials[1] }, "loss curve", []string{"two successive", "does not fall"}},
		{"loss-rate", func(e *evidenceOf) { e.Figures = nil }, "RFC 2544 frame loss rate", nil},
		{"loss-rate", func(e *evidenceOf) { e.Figures[0].Name = PlanMaximum }, "loss curve", []string{"the plan's maximum"}},
		{"loss-rate", long(time.Second), "loss curve, short trials", []string{"section 24"}},
		{"loss-rate", six, "RFC 5180 frame loss rate", nil},

		{"back-to-back", func(e *evidenceOf) { e.Figures[2].Value = 49 }, "back-to-back", []string{"at least 50 times"}},
		{"back-to-back", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Sending = time.Second }) }, "back-to-back, short trials", []string{"at least 2 s"}},
		{"back-to-back", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Received = t.Offered }) }, "back-to-back, at least", []string{"no burst lost"}},
		{"back-to-back", func(e *evidenceOf) { e.trials[0].Trial.Maximum = false }, "back-to-back", []string{"minimum gap"}},
		{"back-to-back", six, "back-to-back", []string{"no longer recommended for IPv6"}},
		{"rfc9004-back-to-back", func(e *evidenceOf) { e.Figures = e.Figures[2:] }, "back-to-back", []string{"zero-loss", "link speeds", "no limit"}},
		{"rfc9004-back-to-back", func(e *evidenceOf) { e.Figures[1].Value = rate }, "back-to-back", []string{"less than the maximum"}},
		{"rfc9004-back-to-back", func(e *evidenceOf) { e.Figures = e.Figures[:5] }, "back-to-back", []string{"standard deviation of the repetitions and corrected buffer time"}},
		{"rfc9004-back-to-back", func(e *evidenceOf) { e.Figures[2].Value = 1 }, "back-to-back", []string{"N reported"}},

		{"recovery", func(e *evidenceOf) { e.Figures[0].Value *= 1.1 }, "recovery time, other load", []string{"110 %"}},
		{"recovery", func(e *evidenceOf) { e.figure(TheoreticalMaximum, 1.05*rate) }, "recovery time, other load", []string{"110 %"}},
		{"recovery", func(e *evidenceOf) { e.figure(TheoreticalMaximum, 1.1*rate) }, "RFC 2544 system recovery", nil},
		{"recovery", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Trial.Then.Intended = .5 * rate }) }, "recovery time, other load", []string{"reduced to 45.5 %"}},
		{"recovery", func(e *evidenceOf) { e.Value = 1 }, "recovery time", []string{"not the average"}},
		{"recovery", func(e *evidenceOf) { e.trials = e.trials[:1] }, "recovery time", []string{"a number of times"}},
		{"recovery", func(e *evidenceOf) { e.trials[1].Timeline.LastLoss = 70 * time.Second }, "recovery time", []string{"until the end"}},
		{"recovery", func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) {
				t.Trial.Duration = time.Second
				t.Timeline.LastLoss = 1002 * time.Millisecond
			})
		},
			"recovery time, short trials", []string{"at least 60 s"}},
		{"reset", func(e *evidenceOf) { e.trials[0].Timeline.Episodes = nil }, "reset time", []string{"interrupts the forwarding"}},
		{"reset", func(e *evidenceOf) { e.trials[0].Happened.Error = "no" }, "reset time", []string{"did not take place"}},
		{"reset", func(e *evidenceOf) { e.trials[0].Timeline.LastLoss = FullTrial }, "reset time", []string{"not forwarded again"}},
		{"reset", traffic(func(t *weir.Traffic) { t.Sizes[0] = 128 }), "reset time, other test frames", []string{"minimum size"}},
		{"reset", traffic(func(t *weir.Traffic) { t.Routes.Count = 5 }), "reset time, other test frames", []string{"directly connected", "those of the routes"}},
		{"throughput", traffic(func(t *weir.Traffic) { t.Routes.Count = 10_000 }), "throughput, other test frames", []string{"those of the routes"}},

		{"rfc8219-latency", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Tagged = t.Tagged[1:400] }) }, "typical latency", []string{"500 frames", "another figure"}},
		{"rfc8219-latency", func(e *evidenceOf) { e.trials = e.trials[:1] }, "typical latency", []string{"20 times"}},
		{"pdv", func(e *evidenceOf) { e.Value = 1 }, "PDV", []string{"median of the trials"}},
		{"ipdv", long(time.Second), "IPDV, short stream", []string{"at least 60 s"}},
		{"ipdv", traffic(func(t *weir.Traffic) { t.Sizes[0] = 768 }), "RFC 8219 IPDV", nil},

		{"fib-learning", func(e *evidenceOf) { e.trials[0].Happened = nil }, "learning time", []string{"no announcement", "no frames are on record"}},
		{"fib-learning", func(e *evidenceOf) { e.trials[0].Trial.Condition.Put(weir.RouteSet{Count: 2000}) }, "learning time", []string{"distributed over all prefixes"}},
		{"bgp-convergence", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Timeline.Intervals[0].Received = 1 }) }, "convergence time", []string{"initially no traffic"}},
		{"bgp-convergence", func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) {
				t.Trial.Traffic.Routes.Via = "netlink"
				t.Trial.Condition.Put(t.Trial.Traffic.Routes)
			})
		}, "convergence time", []string{"as a BGP neighbour"}},
		{"bgp-convergence", func(e *evidenceOf) { e.trials[0].Trial.Intended++ }, "convergence time", []string{"MUST remain the same"}},
		// What was not sent is no loss of the DUT.
		{"throughput", unsent(0), "throughput, at least", []string{"the tester could not send a faster one"}},
		{"throughput", unsent(1), "rate, not confirmed by its trials", []string{"the tester sent less than this load"}},
		{"throughput", both(unsent(0), func(e *evidenceOf) { e.Lower = 0 }), "no load could be offered", nil},
		{"throughput", func(e *evidenceOf) { e.trials = e.trials[1:] }, "throughput, at least", []string{"no trial at a faster one"}},
		{"throughput", func(e *evidenceOf) {
			e.add(weir.Trial{Intended: rate, Duration: FullTrial}, 0)
			unsent(2)(e)
		}, "RFC 2544 throughput", nil},
		{"mlrsearch", func(e *evidenceOf) {
			e.add(weir.Trial{Intended: rate, Duration: FullTrial}, 0)
			unsent(2)(e)
		}, "RFC 2544 throughput", nil},
		{"loss-rate", unsent(0), "loss curve", []string{"there is a load that the tester could not send"}},
		{"back-to-back", func(e *evidenceOf) {
			for i := 0; i < len(e.trials); i += 2 {
				unsent(i)(e)
			}
		}, "back-to-back, at least", []string{"the medium could carry more", "no burst lost"}},
		{"back-to-back", func(e *evidenceOf) { e.add(weir.Trial{Maximum: true, Count: 2 * rate}, 0).Sending = 2 * time.Second }, "back-to-back, at least",
			[]string{"the tester could not send a longer one"}},
		{"back-to-back", func(e *evidenceOf) {
			e.Lower, e.Upper = 1000, 1000
			e.each(func(t *weir.TrialResult) {
				if t.Trial.Count == 1000 {
					t.Sending *= 2
				}
			})
		}, "back-to-back", []string{"held up by the tester"}},

		{"latency", unfit, "latency, other load", []string{"its search had not ended"}},
		{"latency", func(e *evidenceOf) { e.Basis = nil }, "latency, other load", []string{"the throughput is not known"}},
		{"latency", func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) {
				t.Streams, t.Tagged = make([]weir.StreamResult, 2), append(t.Tagged, t.Tagged...)
			})
		}, "RFC 2544 latency", nil},
		{"latency", unsent(1), "latency, other load", []string{"the tester sent less in 1 of 20 trials"}},
		{"rfc8219-latency", unsent(1), "typical latency, other load", []string{"the tester sent less in 1 of 20 trials"}},
		{"recovery", unsent(1), "recovery time, other load", []string{"the tester sent less in 1 of"}},
		{"recovery", unfit, "recovery time, other load", []string{"its search had not ended"}},
		{"back-to-back", func(e *evidenceOf) { e.Figures[1].Value *= 10 }, "back-to-back, other load", []string{"the medium could carry more"}},
		{"rfc9004-back-to-back", func(e *evidenceOf) { e.Figures[1].Value *= 10 }, "back-to-back, other load", []string{"computed with the rate of the bursts", "the medium could carry more"}},
		{"mfr", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Received = t.Offered }) }, "forwarding rate, at least", []string{"this is another one", "beyond what the DUT forwards"}},
		{"overload", func(e *evidenceOf) {
			e.Limited = "tester"
			for i := range e.Curve {
				e.Curve[i].LossRatio = 0
			}
		}, "overload, at least", []string{"the tester ended the loads", "beyond what the DUT forwards"}},
		{"overload", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Windows = t.Windows[:5] }) }, "overload", []string{"12 windows count, and 5 lost nothing"}},
		{"overload", func(e *evidenceOf) { e.Figures = nil }, "overload", []string{"0 windows count"}},
		{"overload", func(e *evidenceOf) { e.Curve[0].LossRatio = .001 }, "overload", []string{"at a load below it most windows lost frames"}},
		{"overload", func(e *evidenceOf) { e.Value = 0 }, NotEnded, nil},
		{"rfc9004-back-to-back", unfit, "back-to-back", []string{"the rate is no throughput: its search had not ended"}},

		{"recovery", func(e *evidenceOf) { e.trials[2].Timeline.Episodes = nil }, "recovery time", []string{"none was lost"}},
		{"recovery", func(e *evidenceOf) {
			e.figure(TheoreticalMaximum, 1.1*rate)
			e.trials[2].Timeline.Episodes = nil
		}, "RFC 2544 system recovery", nil},
		{"reset", func(e *evidenceOf) { e.trials[0].Happened.Began = FullTrial }, "reset time", []string{"did not take place", "interrupts the forwarding"}},
		{"reset", both(six, traffic(func(t *weir.Traffic) { t.Sizes[0] = 128 })), "RFC 5180 reset", nil},
		{"fib-learning", traffic(func(t *weir.Traffic) { t.Flows = 100 }), "learning time", []string{"distributed over all prefixes"}},
		{"fib-learning", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Received = t.Offered }) }, "learning time", []string{"nothing to learn"}},
		{"fib-learning", func(e *evidenceOf) { e.each(func(t *weir.TrialResult) { t.Timeline.Intervals[0].Received = 1 }) }, "learning time", []string{"forwarded before"}},
		{"fib-learning", func(e *evidenceOf) { e.Value = .2 }, "learning time", []string{"well above the accuracy"}},
		{"fib-learning", func(e *evidenceOf) { e.Verdict = AtMost }, "learning time", []string{"at most the accuracy"}},
		{"fib-learning", func(e *evidenceOf) { e.trials = e.trials[:1] }, "learning time, few trials", []string{"at least 3 times"}},
		{"frmol", func(e *evidenceOf) { e.trials[0].Trial.Duration /= 5; e.trials[0].Sending /= 5 }, "FRMOL, short trials", []string{"at least 1 s", "26.1"}},
		{"mfr", long(time.Second / 5), "forwarding rate, short trials", []string{"at least 1 s"}},
		{"jitter", long(time.Second / 5), "jitter, short trials", []string{"3.2.4", "at least 1 s"}},
		{"mfr", func(e *evidenceOf) { e.Verdict = NotEnded }, "search not ended", nil},
		{"overload", func(e *evidenceOf) { e.Verdict = NotEnded }, "search not ended", nil},
		{"overload", func(e *evidenceOf) { e.Limited = "tester" }, "overload, at least", []string{"the tester ended the loads"}},
		{"overload", func(e *evidenceOf) { e.Curve = e.Curve[1:] }, "overload", []string{"at least 10 loads"}},
		{"soak", long(time.Minute), "short soak", []string{"at least an hour"}},
	}
	for _, tt := range tests {
		e := book(tt.method)
		tt.change(e)
		c := checked(e.Result, e.trials)
		demandsAreWhole(t, tt.method+", "+tt.name, c)
		if c.Name != tt.name || len(c.Missed) != len(tt.missed) {
			t.Errorf("%s is called %q, want %q; it misses %q", tt.method, c.Name, tt.name, c.Missed)
			continue
		}
		for i, part := range tt.missed {
			if !strings.Contains(c.Missed[i], part) {
				t.Errorf("%s: %q does not say %q", tt.name, c.Missed[i], part)
			}
		}
	}
}

func both(a, b func(*evidenceOf)) func(*evidenceOf) { return func(e *evidenceOf) { a(e); b(e) } }

// unsent makes a trial one of which a half was not sent, and nothing lost.
func unsent(i int) func(*evidenceOf) {
	return func(e *evidenceOf) {
		e.trials[i].Offered /= 2
		e.trials[i].Received = e.trials[i].Offered
	}
}

func unfit(e *evidenceOf) { e.Basis.Unfit = "its search had not ended" }

// What keeps a rate from being the throughput that others take a share of.
func TestUnfit(t *testing.T) {
	for _, tt := range []struct {
		change func(*evidenceOf)
		want   string
	}{
		{func(*evidenceOf) {}, ""},
		{func(e *evidenceOf) { e.Verdict = NotEnded }, "its search had not ended"},
		{func(e *evidenceOf) { e.ExceedRatio = .5 }, "50 % of the trials at one load may lose frames"},
		{func(e *evidenceOf) { e.LossRatio = .005 }, "it allows a loss of 0.5 %"},
		{func(e *evidenceOf) { e.Upper = e.Lower }, "it is at least that: no faster one was tried because of the tester's own ceiling"},
		{func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) { t.Trial.Waits = weir.Waits{} })
			e.Upper = e.Lower
		}, "it is at least that: no faster one was tried because of the tester's own ceiling"},
		{func(e *evidenceOf) { e.trials[1].Received-- }, "its trials do not confirm it"},
	} {
		e := book("throughput")
		tt.change(e)
		e.Claim = checked(e.Result, e.trials)
		if got := Unfit(e.Result); got != tt.want {
			t.Errorf("%q is unfit because %q, want %q", e.Claim.Name, got, tt.want)
		}
	}
}

// The vectors of RFC 9971 for one load.
func TestPessimisticExceedRatio(t *testing.T) {
	var trials []weir.TrialResult
	add := func(n int, d time.Duration, loss float64) {
		for range n {
			trials = append(trials, weir.TrialResult{Trial: weir.Trial{Duration: d}, Offered: 1e6, Received: uint64(1e6 * (1 - loss))})
		}
	}
	add(60, time.Second, 0)
	add(60, time.Second, .01)
	add(1, time.Minute, .001)
	add(1, time.Minute, 0)
	for _, tt := range []struct {
		goal goal
		want float64
	}{
		{goal{60 * time.Second, 60 * time.Second, 0, 0}, 120. / 180},
		{goal{60 * time.Second, 120 * time.Second, 0, .5}, .5},
		{goal{time.Second, 120 * time.Second, .005, .5}, .25},
		{goal{60 * time.Second, 60 * time.Second, .005, .2}, 45. / 165},
	} {
		if got := tt.goal.pessimistic(trials); !alike(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.goal, got, tt.want)
		}
	}
}

// A method sees the attempts that counted, the store has all of them; the
// claim is the same.
func TestRepeatedAttempts(t *testing.T) {
	e := book("throughput")
	low := e.trials[1]
	lossy := low
	lossy.Trial.Number, lossy.Received, lossy.Attempts = 2, lossy.Received-7, 1
	low.Trial.Number, low.Attempts = 3, 2
	again := low // another trial at the same load, whose first attempt is number 4
	again.Trial.Number = 5
	failed := lossy
	failed.Trial.Number = 4
	other := weir.TrialResult{Trial: weir.Trial{Number: 1, Purpose: "probe"}}
	seen := checked(e.Result, []weir.TrialResult{e.trials[0], low, again})
	stored := checked(e.Result, []weir.TrialResult{other, e.trials[0], lossy, low, failed, again})
	if d := cmp.Diff(seen, stored); d != "" || seen.Name != "RFC 2544 throughput" {
		t.Errorf("%q, and from the store:\n%s", seen.Name, d)
	}
	if got := checked(e.Result, []weir.TrialResult{e.trials[0], low, lossy}).Name; got == "RFC 2544 throughput" {
		t.Error("a lossy trial after one that counted is not seen")
	}
}

// What was written to a store and read back has the same claim.
func TestRoundTrip(t *testing.T) {
	for method := range checklists {
		e := book(method)
		var r weir.Result
		var trials []weir.TrialResult
		for to, from := range map[any]any{&r: e.Result, &trials: e.trials} {
			text, err := json.Marshal(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, to); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(checked(e.Result, e.trials), checked(r, trials), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s:\n%s", method, d)
		}
	}
}

// A name is read as what it was made of: people write it, and stores of before have it alone.
func TestRead(t *testing.T) {
	for name, e := range map[string]weir.Earned{
		"FRMOL":                    {What: "FRMOL"},
		"RFC 2544 throughput":      {What: "RFC 2544 throughput"},
		"throughput, short trials": {What: throughputName, Label: shortTrials},
		"throughput, at least, exceed ratio 50 %":     {What: throughputName, Label: atLeast, Exceed: .5},
		"rate at 0.5 % loss":                          {What: rateName, Loss: .005},
		"rate at 0.5 % loss, exceed ratio 1 %":        {What: rateName, Loss: .005, Exceed: .01},
		"rate, not confirmed by its trials":           {What: unconfirmed},
		"MLRsearch goal":                              {What: goalName},
		"MLRsearch goal 1s/21s/0.5 %/50 %":            {What: goalName, Final: 1, Sum: 21, Loss: .005, Exceed: .5},
		"MLRsearch goal 1s/21s/0.5 %/50 %, irregular": {What: goalName, Label: irregular, Final: 1, Sum: 21, Loss: .005, Exceed: .5},
		"capacity, windows, at least":                 {What: WindowsName, Label: atLeast},
		"rate at P % loss":                            {What: "rate at P % loss"},
	} {
		if got := Read(name); got != e {
			t.Errorf("%q is read as %+v", name, got)
		}
		if got := nameOf(e); got != name {
			t.Errorf("%+v is called %q", e, got)
		}
	}
	c := weir.Claim{Name: "capacity, windows, at least"}
	if !AtLeast(c) || Exactly(c) != WindowsName || AtLeast(Named(WindowsName)) {
		t.Errorf("%q is %q", c.Name, Exactly(c))
	}
}
