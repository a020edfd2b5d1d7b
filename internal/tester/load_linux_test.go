package tester

import (
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// A trial that is like the one before it goes to the box that stands there now.
func TestAnotherBox(t *testing.T) {
	testenv.NeedRoot(t)
	t.Parallel()
	p := openPlace(t)
	trial := weir.Trial{Traffic: traffic(nil), Intended: 1000, Duration: 50 * time.Millisecond, Waits: weir.Waits{Residual: 50 * time.Millisecond}}
	port := &p.tester.config.Ports[0]
	here := port.DUTMAC
	for _, c := range []struct {
		mac  string
		gone bool
	}{{here, false}, {"02:00:00:00:00:98", true}, {here, false}} {
		port.DUTMAC = c.mac
		if r := p.measure(t, trial); (r.Received == 0) != c.gone {
			t.Errorf("%d of %d frames to %s came back", r.Received, r.Offered, c.mac)
		}
	}
}
