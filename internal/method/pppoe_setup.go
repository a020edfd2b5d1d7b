package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// ofSubscribers is a method that has PPPoE subscribers come to the concentrator of an
// access line.
func ofSubscribers(m Method, of func(Params) measure) Method {
	m.Application, m.Line = true, true
	m.Takes = append([]string{"trial", "sessions"}, m.Takes...)
	m.Measure = single(transfer{m.Name, of}.run)
	return m
}

// pppoeSetup measures how many PPPoE sessions a concentrator sets up in a second: all
// subscribers come at once, at most 50 of them at a time, each with an address and a
// secret of its own, and a session is up when both network protocols are. A trial is for
// how long they stay then, and answer keep-alives, before all of them leave.
var pppoeSetup = ofSubscribers(Method{
	Name: "pppoe-setup", Title: "PPPoE set-up", Summary: "PPPoE sessions of many subscribers that are set up in a second, held with keep-alives, and ended",
	Means: "sessions that were set up, over the time from the first PADI until the last of them was up",
	Check: claim.CheckSubscribers, Earns: [][]string{{"PPPoE session rate, short trials", "PPPoE session rate"}},
	Defaults: Params{Trial: 10 * time.Second, Trials: 1, Transfer: weir.Transfer{Sessions: 1000}},
	Quick:    Params{Trial: 2 * time.Second, Trials: 1, Transfer: weir.Transfer{Sessions: 200}},
	Book:     Params{Trial: 60 * time.Second, Transfer: weir.Transfer{Sessions: 10_000}},
}, func(Params) measure { return perSecond("sessions/s") })
