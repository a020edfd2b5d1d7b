package claim

import (
	"fmt"
	"slices"

	"weir"
)

// SuiteName is the top of the ladder: the name of a campaign.
const SuiteName = "RFC 2544 suite"

// tests are the six of RFC 2544 section 26.
var tests = []struct{ section, method, name string }{
	{"26.1", "throughput", "RFC 2544 throughput"},
	{"26.2", "latency", "RFC 2544 latency"},
	{"26.3", "loss-rate", "RFC 2544 frame loss rate"},
	{"26.4", "back-to-back", "RFC 2544 back-to-back"},
	{"26.5", "recovery", "RFC 2544 system recovery"},
	{"26.6", "reset", "RFC 2544 reset"},
}

// Trials are the trials of a campaign that were made for a result, attempts
// that were repeated included; none where the result does not know its trials.
func Trials(c weir.Campaign, r weir.Result) []weir.TrialResult {
	if r.First == 0 {
		return nil
	}
	return where(c.Trials, func(t weir.TrialResult) bool {
		return t.Trial.Number >= r.First && t.Trial.Number <= r.Last && t.Trial.Purpose == r.Method
	})
}

// Suite is the claim of a campaign: a suite where all six tests of RFC 2544
// have earned their names at all seven sizes, the reset at the smallest, without
// any modifying condition.
func Suite(c weir.Campaign) weir.Claim {
	earned := make(map[string][]weir.Size) // by name
	conditions := 0
	for _, r := range c.Results {
		trials := Trials(c, r)
		if len(trials) == 0 {
			continue
		}
		t := trials[0].Trial
		if t.Condition != (weir.Condition{}) || t.Traffic.Broadcast > 0 || t.Traffic.Burst > 0 || len(t.Traffic.Sizes) != 1 {
			conditions++
			continue
		}
		name := Check(r, trials).Name
		if name == "RFC 2544 throughput" && r.Method != "throughput" {
			continue // a goal of another search
		}
		earned[name] = append(earned[name], t.Traffic.Sizes[0])
	}
	var l checklist
	for _, test := range tests {
		wanted := Sizes()
		if test.method == "reset" {
			wanted = wanted[:1]
		}
		have := 0
		for _, s := range wanted {
			if slices.Contains(earned[test.name], s) {
				have++
			}
		}
		l = append(l, demand{source: "RFC 2544 section " + test.section, level: weir.Must,
			text: fmt.Sprintf("%q is earned at %s", test.name, plural(len(wanted), "size")), found: fmt.Sprintf("at %d", have), kept: have == len(wanted)})
	}
	l = append(l, demand{source: "RFC 2544 section 11", level: weir.Should, text: "the suite SHOULD be repeated under each of the modifying conditions",
		found: plural(conditions, "result") + " under conditions", kept: conditions > 0, beside: true})
	return l.claim(SuiteName, "no RFC 2544 suite")
}
