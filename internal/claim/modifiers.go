package claim

import (
	"fmt"
	"slices"

	"weir"
)

// burstSizes are those of RFC 2544 section 21.
var burstSizes = []int{16, 64, 256, 1024}

// traffic are the demands of RFC 2544 sections 9 to 21 for what is sent. But
// for the sizes no name depends on them: they are conditions, and a result
// says under which of them it was measured.
func traffic(e Evidence) checklist {
	t, c := e.traffic(), e.Trials[0].Trial.Condition
	l := checklist{sizes(e)}
	add := func(id, section string, level weir.Level, text, found string, kept bool) {
		l = append(l, demand{id: id, source: "RFC 2544 section " + section, level: level, text: text, found: found, kept: kept, optional: true})
	}
	if n := len(e.Trials[len(e.Trials)-1].Streams); n > 0 {
		var late, duplicate uint64
		for _, r := range e.Trials {
			for _, s := range r.Streams {
				late, duplicate = late+s.Late, duplicate+s.Duplicate
			}
		}
		add("sequence-numbers", "10", weir.Should, "frames SHOULD have sequence numbers, which tell reordered and duplicate ones",
			fmt.Sprintf("%d came late and %d twice", late, duplicate), true)
	}
	if t.Broadcast > 0 {
		add("broadcast", "11.1", weir.Should, "the stream SHOULD be augmented with 1 % frames to the hardware broadcast address",
			"the tester was asked for "+percent(t.Broadcast)+" %, which it does not count", t.Broadcast == .01)
	}
	if c.Management() {
		found, kept := queried(e)
		add("queries", "11.2", weir.Should, "a management query SHOULD be the first frame of each second", found, kept)
	}
	if c.Updates() {
		late := where(e.Trials, func(t weir.TrialResult) bool { return weir.HasWarning(t.Warnings, weir.EventLate) })
		add("updates", "11.3", weir.Should, "a routing update SHOULD be the first frame of the trial",
			fmt.Sprintf("one in each trial, and in %d of %d it was late", len(late), len(e.Trials)), len(late) == 0)
	}
	if c.Filters() > 0 {
		add("filters", "11.4", weir.Should, fmt.Sprintf("one filter SHOULD be configured, and then %d, of which the last permits the test frames", Filters),
			plural(c.Filters(), "filter")+" when the trials began", c.Filters() == 1 || c.Filters() == Filters)
	}
	if d := t.Forward.Destination; t.Routes.Count == 0 && t.Replay == nil {
		networks := d.Order == weir.Random && d.Count >= 256 && d.Stride >= 32 && t.Flows >= 256
		found := fmt.Sprintf("%s in %s", plural(t.Flows, "flow"), plural(max(d.Count, 1), "destination"))
		add("destinations", "12", weir.Should, "the addresses SHOULD be one pair, and then random destinations in 256 networks", found, t.Flows <= 1 || networks)
	}
	if !c.Updates() {
		add("update-each-trial", "13", weir.Must, "a routing update MUST be sent at the start of each trial", "the routes were installed before the trials, and stayed", false)
	}
	if t.Bidirectional {
		add("both-directions", "14", weir.Should, "the series SHOULD be run with the same rate offered from each direction", "both directions, at one rate", true)
	}
	if t.Pairs > 1 {
		add("all-ports", "16", weir.Should, "half of the ports SHOULD send, each to all output ports in sequence", plural(t.Pairs, "pair")+" of ports", true)
	}
	if t.Burst > 0 {
		add("burst-size", "21", weir.Should, "bursts SHOULD have 16, 64, 256 and 1024 frames", "the tester was asked for "+plural(t.Burst, "frame"), slices.Contains(burstSizes, t.Burst))
	}
	return l
}

// queried says how many management queries there were, and whether there was
// one each second and each was answered.
func queried(e Evidence) (found string, kept bool) {
	var sent, answered uint64
	kept = true
	for _, t := range e.Trials {
		q := t.Queries
		if q == nil {
			return "no trial says whether there were any", false
		}
		sent, answered = sent+q.Sent, answered+q.Answered
		kept = kept && q.Sent > 0 && q.Sent+1 >= uint64(t.Trial.Length().Seconds()) && q.Answered == q.Sent && !weir.HasWarning(t.Warnings, weir.EventLate)
	}
	return fmt.Sprintf("%d were sent in %v, and %d were answered", sent, e.sent(), answered), kept
}
