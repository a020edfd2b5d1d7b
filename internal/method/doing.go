package method

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Doing is what is done to the DUT in each trial of a method, so long after it has
// begun as the parameters say (Params.Phases.Settled).
type Doing struct {
	What   string // for people: "the reset"
	Event  string // how the events begin that do it (weir.Event)
	Can    string // what a testbed without such an event cannot do: "reset the DUT"
	Routes bool   // whether the DUT needs routes for it
	BGP    bool   // which it has to learn through BGP
}

// Event is which of the events of a testbed is the one that a plan asks for, or the
// first that will do. The error says why there is none.
func (m Method) Event(p Params, events []string) (string, error) {
	can := cmp.Or(strings.Join(events, ", "), "nothing")
	if p.Phases.Event != "" {
		if !slices.Contains(events, p.Phases.Event) {
			return "", fmt.Errorf("%s: this testbed has no event %q; what it can do to the DUT: %s", m.Name, p.Phases.Event, can)
		}
		return p.Phases.Event, nil
	}
	i := slices.IndexFunc(events, func(name string) bool { return strings.HasPrefix(name, m.Does.Event) })
	if i < 0 {
		return "", fmt.Errorf("%s: this testbed cannot %s; what it can do to the DUT: %s", m.Name, m.Does.Can, can)
	}
	return events[i], nil
}
