package weir

import "fmt"

// UnsupportedError says that this machine lacks something: which kernel
// feature or capability, since which version there is one, and what to do.
type UnsupportedError struct {
	Feature string // "live frames (BPF_F_TEST_XDP_LIVE_FRAMES)"
	Since   string // "Linux 5.18", or ""
	Remedy  string // what the user can do
	Err     error  // what the system said, or nil
}

func (e *UnsupportedError) Error() string {
	s := e.Feature + " is not available here"
	if e.Since != "" {
		s += fmt.Sprintf(" (there since %s)", e.Since)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

func (e *UnsupportedError) Unwrap() error { return e.Err }

// UnstartedError says that a command was not started: it has done nothing, and said
// nothing.
type UnstartedError struct{ Err error }

func (e *UnstartedError) Error() string { return e.Err.Error() }

// Unwrap is why it was not started.
func (e *UnstartedError) Unwrap() error { return e.Err }

// LostError says that the connection with a host ended while a command ran there: nobody
// knows how far that came.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap is why the connection ended.
func (e *LostError) Unwrap() error { return e.Err }
