package claim

import (
	"fmt"
	"slices"

	"weir"
)

// Names of the results of PPPoE subscribers.
const (
	sessionsName = "PPPoE session rate"
	floodName    = "PPPoE set-up under flood"
)

// CheckSubscribers is the checklist of sessions that are set up in a second.
func CheckSubscribers(e Evidence) weir.Claim {
	return subscribed(e, sessionsName, "the value is the sessions that were set up in a second", weir.Transferred.PerSecond,
		none(e, "sessions-up", "each subscriber has a session", weir.SessionsFailed),
		none(e, "sessions-kept", "each session is there until it is told to end", weir.SessionsLost),
		none(e, "keep-alives", "each keep-alive is answered", weir.KeepAlivesMissed),
		none(e, "sessions-ended", "each session ends at the concentrator, too", weir.SessionsLeft))
}

// CheckFlood is that of sessions that are set up while a flood comes.
func CheckFlood(e Evidence) weir.Claim {
	value := func(t weir.Transferred) float64 { return figureOf(t, weir.SetUpUnderFlood) }
	return subscribed(e, floodName, "the value is the median set-up while the flood came", value,
		none(e, "sessions-up", "each subscriber has a session", weir.SessionsFailed),
		none(e, "sessions-kept", "each established session is there until the end", weir.SessionsLost),
		none(e, "keep-alives", "each of their keep-alives is answered", weir.KeepAlivesMissed),
		none(e, "datagrams", "each datagram in an established session arrives", weir.SessionDatagramsLost), flooded(e))
}

// leastFlood is the share of a flood that is to come.
const leastFlood = .95

// flooded is the demand that the flood was the one that was asked for.
func flooded(e Evidence) demand {
	d := demand{id: "flood-came", source: "weir", level: weir.Should, text: "as many PADIs come in a second as are asked for", optional: true, kept: true}
	for _, t := range e.Trials {
		if t.Transferred == nil || t.Trial.Transfer == nil {
			continue
		}
		came, asked := figureOf(*t.Transferred, weir.FloodRate), t.Trial.Transfer.Flood
		if d.found == "" || came < leastFlood*asked {
			d.kept, d.found = came >= leastFlood*asked, fmt.Sprintf("%.0f of %.0f came", came, asked)
		}
	}
	return d
}

// none is the demand that a figure is 0. What a concentrator loses is a result: no name
// depends on it.
func none(e Evidence, id, text, figure string) demand {
	d := demand{id: id, source: "weir", level: weir.Should, text: text, optional: true, kept: true}
	lost := 0.
	for _, t := range e.Trials {
		if t.Transferred != nil {
			lost += figureOf(*t.Transferred, figure)
		}
	}
	d.kept, d.found = lost == 0, fmt.Sprintf("%.0f %s", lost, figure)
	return d
}

// figureOf is a figure of a transfer; 0 where it has none.
func figureOf(t weir.Transferred, name string) float64 {
	if i := slices.IndexFunc(t.Figures, func(f weir.Figure) bool { return f.Name == name }); i >= 0 {
		return t.Figures[i].Value
	}
	return 0
}

// subscribed is the checklist of subscribers that stay as long as they are asked to.
func subscribed(e Evidence, name, text string, value func(weir.Transferred) float64, more ...demand) weir.Claim {
	return held(e, name, "sessions are held, or the flood lasts, at least %v", "it was %v", text, value, more)
}
