package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// pppoeFlood measures what a flood of PADIs from made-up addresses does to others:
// subscribers come, evenly spread over a trial, without the flood and then with it.
// Meanwhile 500 others have sessions, with a keep-alive each second, and datagrams go
// through the session of the end host itself.
var pppoeFlood = ofSubscribers(Method{
	Name: "pppoe-flood", Title: "PPPoE flood", Summary: "set-up of PPPoE sessions, and what established ones lose, while PADIs from made-up addresses come",
	Means: "median time of a session's set-up while the flood comes",
	Check: claim.CheckFlood, Earns: [][]string{{"PPPoE set-up under flood, short trials", "PPPoE set-up under flood"}}, Takes: []string{"flood"},
	Defaults: Params{Trial: 10 * time.Second, Trials: 1, Transfer: weir.Transfer{Sessions: 200, Flood: 100_000}},
	Quick:    Params{Trial: 2 * time.Second, Trials: 1, Transfer: weir.Transfer{Sessions: 50}},
}, underFlood)

// underFlood is the median set-up while the flood comes.
func underFlood(Params) measure {
	return measure{
		unit: "s",
		of:   func(t weir.Transferred) float64 { return counted(t, weir.SetUpUnderFlood) },
		lacks: func(t weir.Transferred) string {
			if counted(t, weir.SetUpUnderFlood) > 0 {
				return ""
			}
			return "no subscriber had a session while the flood came"
		},
	}
}
