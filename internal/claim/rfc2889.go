package claim

import (
	"fmt"
	"time"

	"weir"
)

// switchTrial is how long RFC 2889 has a trial last.
const switchTrial = 30 * time.Second

// throughSwitch is what RFC 2889 section 5.6 asks of the maximum forwarding rate of a
// switch beyond its definition in RFC 2285.
func throughSwitch(e Evidence) checklist {
	const source = "RFC 2889 section 5.6"
	lossless := where(e.Trials, func(t weir.TrialResult) bool { return !lost(t, 0) && !t.Short() })
	most := where(e.Trials, func(t weir.TrialResult) bool { return t.Trial.Maximum || e.atMedium(t) })
	d := shortest(e.Trials)
	w := e.pauses().Learning
	return checklist{
		{id: "loads-varied", source: source, level: weir.Must, text: "the load is varied between the throughput and the maximum offered load", kept: len(lossless) > 0 && len(most) > 0,
			found: fmt.Sprintf("%s without loss, and %d at the maximum", plural(len(lossless), "trial"), len(most))},
		{id: "addresses-learnt", source: source, level: weir.Must, text: "the switch learns the addresses before the test frames are sent", kept: w > 0,
			found: fmt.Sprintf("the wait after the learning frames was %v, and none are sent without one", w)},
		{id: "switch-trial-length", source: source, level: weir.Should, text: "the recommended duration of a trial is 30 s", kept: d >= switchTrial, found: fmt.Sprintf("these lasted %v", d)},
	}
}
