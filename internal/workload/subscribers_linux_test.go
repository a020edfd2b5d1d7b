package workload

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// lined are two end hosts on a cable that is an access line: the first is its client.
func lined(t *testing.T) Path {
	t.Helper()
	p := joined(t)
	p.Line = &p.Ends
	return p
}

// unechoed verifies that no session was lost but those whose echoes nobody had a CPU for.
func unechoed(t *testing.T, got weir.Transferred) {
	t.Helper()
	for _, f := range got.Figures {
		if why, ok := strings.CutPrefix(f.Name, weir.SessionsLost+": "); ok && why != "the peer does not answer echoes" && why != "the peer ended the link" {
			t.Errorf("%s: %v", f.Name, f.Value)
		}
	}
}

// Subscribers come, stay, and leave.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	p := lined(t)
	trial := streamed("pppoe-setup")
	trial.Duration, trial.Transfer.Sessions = time.Second, 60
	got := ran(t, p, trial)
	if got.Count != 60 || got.Took <= 0 || figure(t, got, "sessions set up") != 60 || figure(t, got, "set-up of a session, median") <= 0 {
		t.Errorf("%+v", got)
	}
	unechoed(t, got)
	for _, none := range []string{weir.SessionsFailed, weir.SessionsLeft} {
		if n := figure(t, got, none); n != 0 {
			t.Errorf("%s: %v", none, n)
		}
	}
}

// Subscribers come while a flood does, and those that are there stay.
func TestSubscribersInAFlood(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	p := lined(t)
	trial := streamed("pppoe-flood")
	trial.Duration, trial.Transfer.Sessions, trial.Transfer.Flood = time.Second, 10, 2000
	got := ran(t, p, trial)
	if float64(got.Count)+figure(t, got, weir.SessionsFailed) != 10 || figure(t, got, weir.SetUpUnderFlood) <= 0 || figure(t, got, weir.FloodRate) <= 0 {
		t.Errorf("%+v", got)
	}
	unechoed(t, got)
	p.Line = nil
	if _, err := p.Run(t.Context(), trial); !errors.As(err, new(*weir.UnsupportedError)) {
		t.Errorf("without an access line: %v", err)
	}
}
