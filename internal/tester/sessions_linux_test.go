package tester

import (
	"net"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

// sessionTrial is one of frames in sessions that goes to the tester itself.
func sessionTrial(sessions int, change func(*weir.Traffic)) weir.Trial {
	trial := slowTrial(traffic(func(t *weir.Traffic) {
		t.Sizes, t.Sessions, t.Flows = []weir.Size{128}, sessions, sessions
		if change != nil {
			change(t)
		}
	}))
	trial.Bypass = true
	return trial
}

// Frames inside sessions come back from the tester itself, each in its own, with each
// back end; trials of other traffic between them are as before.
func TestSessions(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			p.tester.missing = b.missing
			for name, trial := range map[string]weir.Trial{
				"one":  sessionTrial(1, func(t *weir.Traffic) { t.Sizes = []weir.Size{66} }),
				"some": sessionTrial(3, func(t *weir.Traffic) { t.Sizes, t.Flows = []weir.Size{66, 1518, 594}, 7 }),
				"IPv6": sessionTrial(3, func(t *weir.Traffic) { t.Family = weir.IPv6 }),
				"many": sessionTrial(10_000, nil),
				"to":   sessionTrial(3, func(t *weir.Traffic) { t.Backward = true }),
			} {
				t.Run(name, func(t *testing.T) { cameBack(t, p, trial, b.name) })
				t.Run(name+", and plain ones", func(t *testing.T) { cameBack(t, p, slowTrial(traffic(nil)), b.name) })
			}
		})
	}
}

// Frames that are to come inside sessions and come otherwise are lost, and counted by name.
func TestWrongSession(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	nobody := net.HardwareAddr{2, 0, 0, 0, 0, 9}
	sessions := frame.UnopenedSessions(1, nobody, nobody)
	p.tester.config.Sessions = func() []frame.Session { return sessions }
	trial := sessionTrial(1, func(t *weir.Traffic) { t.Backward = true })
	trial.Bypass, trial.Waits.Residual = false, 50*time.Millisecond
	r := p.measure(t, trial) // the DUT is no concentrator: it forwards them as they are
	sane(t, r, "xdp")
	want := weir.Drop{Place: "wrong PPPoE session on receipt", Count: r.Streams[0].WrongSession, Kind: weir.DropDamaged}
	if r.Received != 0 || len(r.Ledger.Drops) != 1 || r.Ledger.Drops[0] != want || r.Latency.N != 0 {
		t.Errorf("%d received: %+v, %+v", r.Received, r.Ledger, r.Streams)
	}
	testenv.Await(t, "all frames are counted as of a wrong session, or where a ring was full", func() bool {
		seen, err := p.tester.receivers[0].Seen()
		if err != nil {
			t.Fatal(err)
		}
		return len(seen) == 1 && seen[0].WrongSession+p.refused(t) >= r.Offered
	})
}

// A trial in sessions that are not there says so.
func TestWithoutSessions(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	trial := sessionTrial(2, nil)
	trial.Bypass = false
	for want, sessions := range map[string]func() []frame.Session{
		"has no PPPoE sessions":            nil,
		"in 2 PPPoE sessions: there are 1": func() []frame.Session { return frame.UnopenedSessions(1, nil, nil) },
		"not Ethernet addresses":           func() []frame.Session { return frame.UnopenedSessions(2, nil, nil) },
	} {
		p.tester.config.Sessions = sessions
		if _, err := p.tester.Measure(t.Context(), trial); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
