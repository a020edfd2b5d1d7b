package figures

import (
	"testing"

	"weir"
)

// A demand on which no name depends does not look as if the name were wrong.
func TestChecklistStates(t *testing.T) {
	e := Earned{Claim: weir.Claim{Missed: []string{"RFC 2544 section 24: trials last at least 60 s; these lasted 1s"}, Demands: []weir.Demand{
		{Source: "RFC 2544 section 13", Text: "a routing update MUST be sent"},
		{Source: "RFC 2544 section 24", Text: "trials last at least 60 s", Found: "these lasted 1s"},
		{Source: "RFC 2544 section 23 b", Text: "wait 2s", Kept: true},
	}}}
	for i, want := range []string{"beside", "no", "yes"} {
		if got := e.Lines()[i].State; got != want {
			t.Errorf("demand %d is %s, want %s", i, got, want)
		}
	}
}
