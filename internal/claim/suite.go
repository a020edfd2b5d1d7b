package claim

import (
	"fmt"
	"maps"
	"slices"

	"weir"
)

// SuiteName is the top of the ladder: the name of a campaign.
const SuiteName = "RFC 2544 suite"

// suiteTest is a test of RFC 2544 section 26: its method, and the name that this earns.
type suiteTest struct{ section, method, name string }

// tests are the six of them.
var tests = []suiteTest{
	{"26.1", "throughput", "RFC 2544 throughput"},
	{"26.2", "latency", "RFC 2544 latency"},
	{"26.3", "loss-rate", "RFC 2544 frame loss rate"},
	{"26.4", "back-to-back", "RFC 2544 back-to-back"},
	{"26.5", "recovery", "RFC 2544 system recovery"},
	{"26.6", "reset", "RFC 2544 reset"},
}

// SixTests are the methods of the six tests of RFC 2544 section 26, in its order.
func SixTests() []string {
	var out []string
	for _, t := range tests {
		out = append(out, t.method)
	}
	return out
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
// any modifying condition. Levels are not taken together: one has to have all. check
// is the claim of a result from its trials.
func Suite(c weir.Campaign, check func(weir.Result, []weir.TrialResult) weir.Claim) weir.Claim {
	var best weir.Claim
	conditions := 0
	levels := make(map[string]map[string][]weir.Size) // by name, by level
	for _, r := range c.Results {
		trials := Trials(c, r)
		if len(trials) == 0 {
			continue
		}
		t := trials[0].Trial
		if !t.Condition.IsZero() || t.Traffic.Broadcast > 0 || t.Traffic.Burst > 0 || len(t.Traffic.Sizes) != 1 {
			conditions++
			continue
		}
		name := check(r, trials).Name
		if name == "RFC 2544 throughput" && r.Method != "throughput" {
			continue // a goal of another search
		}
		level := levelOf(r)
		if levels[level] == nil {
			levels[level] = make(map[string][]weir.Size)
		}
		levels[level][name] = append(levels[level][name], t.Traffic.Sizes[0])
	}
	if len(levels) == 0 {
		return suite(nil, conditions)
	}
	for i, level := range slices.Sorted(maps.Keys(levels)) {
		if s := suite(levels[level], conditions); i == 0 || len(s.Missed) < len(best.Missed) {
			best = s
		}
	}
	return best
}

// levelOf is where a result was measured, but for the frame size.
func levelOf(r weir.Result) string {
	f := maps.Clone(r.Factors)
	delete(f, "frame_size")
	return fmt.Sprint(f) // with its keys in order
}

// suite is the claim of one level, at which names were earned.
func suite(earned map[string][]weir.Size, conditions int) weir.Claim {
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
		l = append(l, demand{id: test.method, source: "RFC 2544 section " + test.section, level: weir.Must,
			text: fmt.Sprintf("%q is earned at %s", test.name, plural(len(wanted), "size")), found: fmt.Sprintf("at %d", have), kept: have == len(wanted)})
	}
	l = append(l, demand{id: "conditions", source: "RFC 2544 section 11", level: weir.Should, text: "the suite SHOULD be repeated under each of the modifying conditions",
		found: plural(conditions, "result") + " under conditions", kept: conditions > 0, optional: true})
	return l.claim(SuiteName, "no RFC 2544 suite")
}
