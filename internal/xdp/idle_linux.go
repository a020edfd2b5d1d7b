package xdp

import (
	"slices"
	"sync"
)

// program is a receiver's as it was loaded for options.
type program struct {
	options ReceiverOptions
	linear  bool // for linear frames
	objects receiving
}

// idlePrograms are those that no receiver uses, the one that was used last at the end. The
// kernel checks a program for 70 to 120 ms when it is loaded; a campaign goes to and fro
// between three sets of options, and builds its labs anew. What they have counted stays in
// them until a Reset.
type idlePrograms struct {
	sync.Mutex
	all []program
}

// What is kept at most: the programs of three DUTs side by side, and so many octets of
// their maps, most of which a machine has as often as CPUs.
const (
	mostIdle       = 18
	mostIdleOctets = 128 << 20
	octetsOfCPU    = 1 << 20 // of a program, about
)

var idle idlePrograms

// take returns a program that was loaded for the same options; false where there is none.
func (i *idlePrograms) take(o ReceiverOptions, linear bool) (receiving, bool) {
	i.Lock()
	defer i.Unlock()
	at := slices.IndexFunc(i.all, func(p program) bool { return p.options == o && p.linear == linear })
	if at < 0 {
		return receiving{}, false
	}
	found := i.all[at].objects
	i.all = slices.Delete(i.all, at, at+1)
	return found, true
}

// put keeps a program that is not attached any more, and closes the oldest one where there
// are too many.
func (i *idlePrograms) put(p program) error {
	i.Lock()
	defer i.Unlock()
	if i.all = append(i.all, p); len(i.all) <= min(mostIdle, mostIdleOctets/(octetsOfCPU*cpus())) {
		return nil
	}
	oldest := i.all[0]
	i.all = slices.Delete(i.all, 0, 1)
	return oldest.objects.Close()
}
