package figures

import (
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/internal/testenv/samples"
)

func TestHeadlineReserves(t *testing.T) {
	tester := samples.CutShort(0, 1e6)
	tester.Results[0].Verdict, tester.Results[0].Claim.Name = "", "throughput, at least"
	tester.Results[0].Warnings = []weir.Warning{weir.Warn(weir.SearchLimit, "the tester ends the search there")}
	frmol := samples.CutShort(0, 0)
	frmol.Results = append(frmol.Results, weir.Result{Method: "frmol", Unit: "frames/s", Value: 3e6, Factors: weir.Factors{"frame_size": 64}})
	ended := samples.CutShort(0, 0, 5e5)
	ended.Results[0].Verdict, ended.Results[0].Claim.Name = "", "no load met the goal"
	unsent := samples.CutShort(0, 0)
	unsent.Results[0].Verdict, unsent.Results[0].Claim.Name = "", claim.NoOffer
	stalled := samples.CutShort(8, 1e6)
	for i := range stalled.Trials {
		stalled.Trials[i].Warnings[0].Code = weir.GeneratorStalled
	}
	for name, c := range map[string]struct {
		campaign weir.Campaign
		want     string
	}{
		"cut short": {samples.CutShort(0, 1e6), "This box forwards at least 1,000 kpps of 64-octet frames without loss, at 1 s trials. The search had not ended."},
		"hardly":    {samples.CutShort(1, 1e6), "This box forwards at least 1,000 kpps of 64-octet frames without loss, at 1 s trials. The search had not ended."},
		"busy":      {samples.CutShort(5, 1e6), "This box forwards at least 1,000 kpps of 64-octet frames without loss, at 1 s trials. The search had not ended, and the machine was busy in 5 of 8 trials."},
		"stalled":   {stalled, "This box forwards at least 1,000 kpps of 64-octet frames without loss, at 1 s trials. The search had not ended, and the generator was kept from sending for a while in 8 of 8 trials."},
		"the edge":  {tester, "This box forwards at least 1,000 kpps of 64-octet frames without loss, at 1 s trials. The search ended at the edge of its range."},
		"nothing for some": {samples.CutShort(0, 0, 5e5, 0),
			"This box forwards at least 500 kpps of 512-octet frames without loss, at 1 s trials. The search had not ended. No throughput was found for 64 and 1518."},
		"nothing at all": {samples.CutShort(8, 0), "Nothing is known of 64-octet frames yet. The search had not ended, and the machine was busy in 8 of 8 trials."},
		"0 is not first": {ended, "This box forwards at least 500 kpps of 512-octet frames without loss, at 1 s trials. The search had not ended. No throughput was found for 64."},
		"not even tried": {unsent, "Nothing is known of 64-octet frames yet."},
		"another result": {frmol, "This box forwards 3,000 kpps of 64-octet frames at the maximum offered load. No throughput was found for 64."},
	} {
		if got := Headline(c.campaign, GridOf(c.campaign)).String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Trials that were repeated are spent, and do not count.
func TestRepeatedTrialsDoNotCount(t *testing.T) {
	c := weir.Campaign{Results: []weir.Result{{Method: "latency", Unit: "s", Factors: weir.Factors{"frame_size": 64}, TrialSeconds: 1, Trials: 2, SearchTime: 2, First: 1, Last: 2}}}
	for n := range 2 {
		c.Trials = append(c.Trials, weir.TrialResult{Trial: weir.Trial{Number: n + 1, Purpose: "latency"}, Attempts: n + 1})
	}
	const want = "2 trials of 1 s for 1 result (1 of them counts: the other 1 lost frames while disturbed and was measured again), 2 s in all"
	if got := Procedures(c, GridOf(c))[0].String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
