package pppoe

import (
	"fmt"
	"strings"
	"time"
)

// Counts are what was received and came to nothing, or to an end, and the echoes that say
// that sessions are alive.
type Counts struct {
	Malformed    uint64 // no packet that its RFC allows
	NotOurs      uint64 // another's address, concentrator or session
	OutOfState   uint64 // nobody waits for it: discarded silently
	BadReply     uint64 // of another identifier, or of options that were not asked for
	BadMagic     uint64 // of neither end
	BadCookie    uint64 // a PADR without a PADI before it
	BadService   uint64 // a service that is not offered, or by a concentrator that is not wanted
	Initiations  uint64 // PADIs that came, with those that were not answered
	Unoffered    uint64 // PADIs beyond those that are answered in a second
	Refused      uint64 // no room for another session, no address left
	Late         uint64 // sessions whose client had not proven in time who it is
	Unproven     uint64 // a wrong name or secret
	Looped       uint64 // the link ends at this end again
	Dead         uint64 // echoes were not answered
	Unanswered   uint64 // requests were not answered
	Rejected     uint64 // protocols and codes that are unknown here
	Illegal      uint64 // events that the automaton says cannot be
	Established  uint64 // links whose LCP was opened
	Disconnected uint64 // sessions that ended
	Echoes       uint64 // Echo-Requests that were sent
	Echoed       uint64 // and answered
	Unechoed     uint64 // and not answered until the next was due; what is left is under way, or its session ended
}

// Fault is how often something was that should not have been.
type Fault struct {
	What  string
	Count uint64
}

// Faults are those since earlier counts, for people.
func (c Counts) Faults(since Counts) []Fault {
	was := since.faults()
	var out []Fault
	for i, f := range c.faults() {
		if f.Count -= was[i].Count; f.Count > 0 {
			out = append(out, f)
		}
	}
	return out
}

func (c Counts) faults() []Fault {
	return []Fault{
		{"malformed packets", c.Malformed},
		{"frames of no session here, or for another host", c.NotOurs},
		{"packets out of state", c.OutOfState},
		{"replies to nothing that was asked", c.BadReply},
		{"packets with a wrong magic number", c.BadMagic},
		{"PADRs without a cookie from here", c.BadCookie},
		{"packets for another service or concentrator", c.BadService},
		{"PADIs beyond those that are answered in a second", c.Unoffered},
		{"sessions refused for want of room or of an address", c.Refused},
		{"sessions ended as nobody had proven in time who they are", c.Late},
		{"wrong names or secrets", c.Unproven},
		{"links looped back", c.Looped},
		{"peers that answer no echoes", c.Dead},
		{"requests that nobody answered", c.Unanswered},
		{"unknown protocols or codes", c.Rejected},
		{"events that cannot be", c.Illegal},
		{"echoes not answered in time", c.Unechoed},
	}
}

// Log says what has come to nothing, at most once a second: a flood of bad packets
// becomes no flood of lines.
type Log struct {
	Say  func(line string)
	told Counts
	next time.Time // before which nothing is said
}

// Note is told all counts as they are now, and says what is new among them. What is new
// too soon after it is said by a later call.
func (l *Log) Note(c Counts, now time.Time) {
	if c == l.told || now.Before(l.next) {
		return
	}
	var said []string
	for _, f := range c.Faults(l.told) {
		said = append(said, fmt.Sprintf("%d %s", f.Count, f.What))
	}
	l.told = c
	if len(said) > 0 {
		l.next = now.Add(time.Second)
		l.Say("PPPoE: " + strings.Join(said, ", "))
	}
}
