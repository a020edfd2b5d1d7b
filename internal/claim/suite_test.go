package claim

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
)

// whole is a campaign of all tests at all sizes.
func whole(change func(r *weir.Result, trials []weir.TrialResult)) weir.Campaign {
	var c weir.Campaign
	for _, s := range Sizes() {
		for _, test := range tests {
			e := book(test.method)
			if test.method == "reset" && s != 64 {
				continue
			}
			first := len(c.Trials)
			e.each(func(t *weir.TrialResult) {
				t.Trial.Traffic.Sizes = []weir.Size{s}
				t.Trial.Number += first
			})
			e.Factors = weir.Factors{"frame_size": int(s)}
			e.First, e.Last = first+1, first+len(e.trials)
			change(&e.Result, e.trials)
			c.Trials = append(c.Trials, e.trials...)
			c.Results = append(c.Results, e.Result)
		}
	}
	return c
}

func TestSuite(t *testing.T) {
	if got := Suite(whole(func(*weir.Result, []weir.TrialResult) {}), checked); got.Name != "RFC 2544 suite" {
		t.Errorf("the whole is called %q: %q", got.Name, got.Missed)
	}
	for name, tt := range map[string]struct {
		change func(*weir.Result, []weir.TrialResult)
		missed string
	}{
		"one short trial": {func(r *weir.Result, trials []weir.TrialResult) {
			if t := &trials[len(trials)-1]; r.Method == "throughput" && t.Trial.Traffic.Sizes[0] == 512 {
				t.Trial.Duration, t.Sending, t.Offered, t.Received = time.Second, time.Second, rate, rate
			}
		}, `section 26.1: "RFC 2544 throughput" is earned at 7 sizes; at 6`},
		"under a condition": {func(r *weir.Result, trials []weir.TrialResult) {
			if r.Method == "reset" {
				trials[0].Trial.Condition.Put(weir.Filters(1))
			}
		}, `section 26.6: "RFC 2544 reset" is earned at 1 size; at 0`},
		"levels apart": {func(r *weir.Result, trials []weir.TrialResult) {
			if r.Method == "latency" && trials[0].Trial.Traffic.Sizes[0] >= 1024 {
				r.Factors["bidirectional"] = true
			}
		}, `section 26.2: "RFC 2544 latency" is earned at 7 sizes; at 4`},
		"trials unknown": {func(r *weir.Result, _ []weir.TrialResult) {
			if r.Method == "recovery" {
				r.First, r.Last = 0, 0
			}
		}, `section 26.5: "RFC 2544 system recovery" is earned at 7 sizes; at 0`},
	} {
		got := Suite(whole(tt.change), checked)
		if got.Name != "no RFC 2544 suite" || len(got.Missed) != 1 || !strings.Contains(got.Missed[0], tt.missed) {
			t.Errorf("%s: %q misses %q", name, got.Name, got.Missed)
		}
	}
}

func TestConditionsAreTold(t *testing.T) {
	e := book("throughput")
	e.each(func(t *weir.TrialResult) {
		t.Trial.Condition = weir.ConditionOf(weir.Filters(24), weir.Management(true), weir.Updates(true))
		r := &t.Trial.Traffic
		r.Broadcast, r.Burst, r.Bidirectional, r.Pairs, r.Flows = .01, 16, true, 2, 256
		r.Forward.Destination = weir.AddressSet{First: r.Forward.Destination.First, Count: 256, Stride: 256, Order: weir.Random}
		t.Offered, t.Received = 4*t.Offered, 4*t.Received
		t.Streams = []weir.StreamResult{{Late: 3}}
		t.Queries = &weir.Queries{Sent: 60, Answered: 60}
	})
	e.Lower, e.Upper, e.Value = 4*rate, 4.04*rate, 4*rate
	c := checked(e.Result, e.trials)
	if c.Name != "RFC 2544 throughput" {
		t.Errorf("%q misses %q", c.Name, c.Missed)
	}
	kept := map[string]bool{"10": true, "11.1": true, "11.2": true, "11.3": true, "11.4": false, "12": true, "14": true, "16": true, "21": true}
	for _, d := range c.Demands {
		section := strings.TrimPrefix(d.Source, "RFC 2544 section ")
		if want, ok := kept[section]; ok && d.Kept != want {
			t.Errorf("%+v", d)
		}
		delete(kept, section)
	}
	if len(kept) > 0 {
		t.Errorf("not told: %v", kept)
	}
	// A condition counts as kept by what the trials show of it.
	for name, change := range map[string]func(*weir.TrialResult){
		"11.2":   func(t *weir.TrialResult) { t.Queries = nil },
		"11.2 ":  func(t *weir.TrialResult) { t.Queries = &weir.Queries{Sent: 60, Answered: 59} },
		"11.2  ": func(t *weir.TrialResult) { t.Queries = &weir.Queries{Sent: 6, Answered: 6} },
		"11.3":   func(t *weir.TrialResult) { t.Warnings = []weir.Warning{{Code: weir.EventLate}} },
	} {
		changed := *e
		changed.trials = slices.Clone(e.trials)
		change(&changed.trials[1])
		for _, d := range checked(changed.Result, changed.trials).Demands {
			if d.Source == "RFC 2544 section "+strings.TrimSpace(name) && d.Kept {
				t.Errorf("kept, in spite of the trials: %+v", d)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for _, f := range Faults() {
		if f.Section == "" || f.Says == "" || f.Wrong == "" || f.Does == "" || f.Why == "" {
			t.Errorf("%+v is not complete", f)
		}
	}
	if got := RecoveryTime(60*time.Second, 61*time.Second); got != time.Second {
		t.Errorf("a last loss 1 s after the reduction is %v", got)
	}
	if got := RecoveryTime(60*time.Second, 40*time.Second); got != 0 {
		t.Errorf("no loss after the reduction is %v", got)
	}
	// The UDP lengths of RFC 2544 appendix C.2.6.4, by its total lengths.
	for total, printed := range map[int]int{0x2e: 0x1a, 0x6e: 0x5a, 0xee: 0x9a, 0x1ee: 0x19a, 0x2ee: 0x29a, 0x3ee: 0x39a, 0x4ee: 0x49a, 0x5dc: 0x5c8} {
		right := total == 0x2e || total == 0x6e || total == 0x5dc
		if (total-20 == printed) != right {
			t.Errorf("a packet of %#x octets has a datagram of %#x, and %#x is printed", total, total-20, printed)
		}
	}
}

// The documentation has every name, and every fault as it is decided.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Faults() {
		if row := "| " + f.Section + " | " + f.Wrong + " | " + f.Does + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/claims.md has no row %q", row)
		}
	}

}
