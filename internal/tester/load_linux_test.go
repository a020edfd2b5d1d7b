package tester

import (
	"testing"
	"time"

	"weir/internal/testenv"
)

// A trial that is like the one before it goes to the box that stands there now.
func TestAnotherBox(t *testing.T) {
	testenv.NeedRoot(t)
	t.Parallel()
	p := openPlace(t)
	trial := slowTrial(traffic(nil))
	port := &p.tester.config.Ports[0]
	here := port.DUTMAC
	for _, c := range []struct {
		mac  string
		gone bool
	}{{here, false}, {"02:00:00:00:00:98", true}, {here, false}} {
		port.DUTMAC = c.mac
		if trial.Waits.Residual = patience; c.gone {
			trial.Waits.Residual = 50 * time.Millisecond
		}
		r := p.measure(t, trial)
		if c.gone && r.Received > 0 {
			t.Errorf("%d of %d frames to %s came back", r.Received, r.Offered, c.mac)
		} else if !c.gone {
			p.awaitAll(t, r)
		}
	}
}
