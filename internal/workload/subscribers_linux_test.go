package workload

import (
	"errors"
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

// unechoed are the sessions of which an end had no CPU to answer the echoes of the other: the
// subscribers say it, or the concentrator, which ends the link then.
func unechoed(got weir.Transferred) (n float64) {
	for _, f := range got.Figures {
		if f.Name == weir.SessionsLost+": the peer does not answer echoes" || f.Name == "peers that answer no echoes, at the concentrator" {
			n += f.Value
		}
	}
	return n
}

// stayed is what comes of subscribers none of whose sessions is lost. Those that stay longer
// have more time for each echo.
func stayed(t *testing.T, p Path, trial weir.Trial) (got weir.Transferred) {
	t.Helper()
	for times := range testenv.Longer {
		longer := trial
		longer.Duration *= times
		if got = ran(t, p, longer); unechoed(got) == 0 {
			break
		}
	}
	if n := figure(t, got, weir.SessionsLost); n != 0 {
		t.Errorf("%v sessions were lost: %+v", n, got.Figures)
	}
	return got
}

// Subscribers come, stay, and leave.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	p := lined(t)
	trial := streamed("pppoe-setup")
	trial.Duration, trial.Transfer.Sessions = time.Second, 60
	got := stayed(t, p, trial)
	if got.Count != 60 || got.Took <= 0 || figure(t, got, "sessions set up") != 60 || figure(t, got, "set-up of a session, median") <= 0 {
		t.Errorf("%+v", got)
	}
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
	got := stayed(t, p, trial)
	if float64(got.Count)+figure(t, got, weir.SessionsFailed) != 10 || figure(t, got, weir.SetUpUnderFlood) <= 0 || figure(t, got, weir.FloodRate) <= 0 {
		t.Errorf("%+v", got)
	}
	p.Line = nil
	if _, err := p.Run(t.Context(), trial); !errors.As(err, new(*weir.UnsupportedError)) {
		t.Errorf("without an access line: %v", err)
	}
}
