package campaign

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weir"
	"weir/internal/plan"
	"weir/internal/sim"
)

// book is a plan by the book for one size, that asks for the names it gives.
const book = `defaults: rfc2544
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

func TestProfileEarnsItsNames(t *testing.T) {
	p := parsed(t, book)
	if err := p.Unearnable(); err != nil {
		t.Fatalf("by the book, and refused: %v", err)
	}
	lab := simulated(t)
	lab.LinkRate = p.Testbed.Link
	c, err := Run(t.Context(), p, lab, &memory{}, nil)
	if err != nil || c.Ended != "complete" || len(c.Results) != 7 {
		t.Errorf("ended %q with %d results: %v", c.Ended, len(c.Results), err)
	}
	whole := parsed(t, "defaults: rfc2544\n")
	var sizes, methods []string
	for _, tr := range whole.Levels[0].Traffic {
		sizes = append(sizes, tr.Name)
	}
	for _, s := range whole.Steps {
		methods = append(methods, s.Method.Name)
	}
	if got := strings.Join(sizes, " "); got != "64 128 256 512 1024 1280 1518" {
		t.Errorf("sizes %s", got)
	}
	if got := strings.Join(methods, " "); got != "throughput latency loss-rate back-to-back recovery reset" {
		t.Errorf("methods %s", got)
	}
	if d := whole.Traffic[0].Forward.DestinationPort; d.First != 7 || d.Last != 7 {
		t.Errorf("destination port %+v", d)
	}
}

// A claim that the plan cannot earn is refused before anything is measured.
func TestClaimsThatCannotBeEarned(t *testing.T) {
	for text, missed := range map[string]string{
		strings.Replace(book, "throughput, claim", "throughput, trial: 1s, claim", 1): "these lasted 1s",
		strings.Replace(book, "latency, claim", "latency, trials: 3, claim", 1):       "the number of trials was 3",
		strings.Replace(book, "defaults: rfc2544\n", "", 1):                           "wait 2s after the learning frames",
		strings.Replace(book, "[64]", "[{imix: aaad}]", 1):                            "this is a mix of sizes",
	} {
		c, err := Run(t.Context(), parsed(t, text), simulated(t), &memory{}, nil)
		var unearned *plan.UnearnedError
		if !errors.As(err, &unearned) || unearned.Measured || !strings.Contains(err.Error(), missed) || len(c.Trials) > 0 {
			t.Errorf("%d trials, error %v, want one with %q", len(c.Trials), err, missed)
		}
	}
}

// A claim that a plan could have earned and did not is a warning of its result,
// and the error of a campaign that is complete.
func TestClaimsThatWereNotEarned(t *testing.T) {
	p := parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods:\n  - {method: throughput, claim: \"throughput, short trials\", maximum: 500k}\n  - frmol\n")
	p.Steps[0].Claim = "throughput, short trials"
	nothing := func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := wire(ctx, trial)
		if trial.Purpose == "throughput" { // however low the load
			r.Received /= 2
		}
		return r, err
	}
	c, err := Run(t.Context(), p, Lab{Measure: nothing, SelfTest: true, Events: sim.Events()}, &memory{}, nil)
	var unearned *plan.UnearnedError
	if !errors.As(err, &unearned) || !unearned.Measured || c.Ended != "complete" || len(c.Results) != 2 {
		t.Fatalf("ended %q with %d results: %v", c.Ended, len(c.Results), err)
	}
	if !weir.HasWarning(c.Results[0].Warnings, weir.ClaimNotEarned) || weir.HasWarning(c.Results[1].Warnings, weir.ClaimNotEarned) {
		t.Errorf("warnings %v and %v", c.Results[0].Warnings, c.Results[1].Warnings)
	}
}
