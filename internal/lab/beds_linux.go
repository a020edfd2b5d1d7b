package lab

import "weir"

// What the parts of a lab ask of its testbed. A testbed of another kind needs what
// the parts are about that it is to have, and no more.

// bed is a testbed with a host on the tester's side.
type bed interface {
	weir.Testbed
	TesterHost() weir.Host
}

// enteredBed is one whose DUT this process can enter: its kernel is the tester's.
type enteredBed interface {
	bed
	InDUT(func() error) error                // runs something there
	DoBehind(port int, f func() error) error // or at what is connected to a port
}

// watchedBed is one of which is known which threads forward.
type watchedBed interface {
	bed
	Forwarding() []int     // threads in which the DUT forwards; none where it does in interrupts
	Bound() ([]int, error) // the CPUs on which it may, at the moment
	Others() []int         // the testbed's other threads: neither forwarding nor load of others
	CostsWhenIdle() bool   // whether forwarding takes CPU time also when there are no frames
}

// managedBed is one at whose DUT programs can run, with a folder for their files.
type managedBed interface {
	enteredBed
	Folder() string
}
