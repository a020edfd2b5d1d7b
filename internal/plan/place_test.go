package plan

import (
	"strings"
	"testing"

	"weir"
)

// What a plan asks for in vain is said with its place and the reason.
func TestPlacesOfWhatCannotBe(t *testing.T) {
	short := strings.Replace(strings.Replace(book, "throughput, claim", "throughput, within: 3m, claim", 1), ", link: 1G", "", 1)
	for text, want := range map[string][]string{
		short: {
			`plan.yaml:5:5: "RFC 2544 throughput" was asked for, and throughput with frames of 64 can earn by this plan "search not ended" only: within 3m0s is too short for it`,
			"\n  5 |   - {method: throughput, within: 3m, claim: RFC 2544 throughput}\n    |     ^",
		},
		strings.Replace(book, "profile: rfc2544\n", "", 1): {
			`plan.yaml:4:5: "RFC 2544 throughput" was asked for`,
			`only: RFC 2544 section 23 b: wait 2s after the learning frames`,
			"    |     ^\nit misses besides\n  - RFC 2544 section 23 d: wait 2s",
		},
	} {
		p := parsed(t, text)
		err := p.Unearnable()
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error does not say %q: %v", part, err)
			}
		}
	}
	p := parsed(t, strings.Replace(book, "method: reset,", "method: reset, event: explode,", 1))
	err := p.Impossible([]string{"reset"})
	const want = `plan.yaml:10:5: reset: this testbed has no event "explode"; what it can do to the DUT: reset`
	if err == nil || !strings.HasPrefix(err.Error(), want+"\n  10 |   - {method: reset, event: explode,") {
		t.Errorf("error %v", err)
	}
	p.Steps[5].At = weir.Place{}
	if err := p.Impossible([]string{"reset"}); err == nil || err.Error() != want[len("plan.yaml:10:5: "):] {
		t.Errorf("without a place: %v", err)
	}
}

// book is a plan by the book for one size, that asks for the names it gives.
const book = `profile: rfc2544
testbed: {kind: sim, link: 1G}
traffic: {sizes: [64]}
methods:
  - {method: throughput, claim: RFC 2544 throughput}
  - {method: latency, claim: RFC 2544 latency}
  - {method: loss-rate, claim: RFC 2544 frame loss rate}
  - {method: back-to-back, claim: RFC 2544 back-to-back}
  - {method: recovery, claim: RFC 2544 system recovery}
  - {method: reset, claim: RFC 2544 reset}
  - {method: rfc9004-back-to-back, claim: RFC 9004 back-to-back}
`
