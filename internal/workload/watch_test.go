package workload

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir"
)

// still is a host at whose port nothing arrives any more.
type still struct {
	weir.Host
	link, pressure string
}

func (still) Name() string { return "far" }
func (s still) ReadFile(_ context.Context, file string) (string, error) {
	if file == "/proc/pressure/cpu" {
		return s.pressure, nil
	}
	return "  p0: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n", nil
}
func (s still) Run(context.Context, string, ...string) (string, error) {
	return "p0 " + s.link + " 02:00:00:00:00:01 <>\n", nil
}

// A transfer at whose end nothing arrives is given up soon where the link is down, late where
// a machine may be busy, and later where it says that it is.
func TestNothingArrives(t *testing.T) {
	const idle, full = "some avg10=3.10 avg60=90.00 avg300=9.00 total=1\n", "some avg10=97.20 avg60=9.00 avg300=9.00 total=1\n"
	for _, c := range []struct {
		link, pressure, want string
		after                time.Duration
	}{
		{"DOWN", full, "nothing arrived at far for 5s: the link of far is down", 5 * time.Second},
		{"UP", "", "nothing arrived at far for 30s", 30 * time.Second},
		{"UP", idle, "nothing arrived at far for 30s", 30 * time.Second},
		{"UP", full, "nothing arrived at far for 5m0s", 5 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			end, began := End{Host: still{link: c.link, pressure: c.pressure}, Port: "p0"}, time.Now()
			w := watch(t.Context(), &job{source: end, destination: end, pausing: &atomic.Bool{}})
			<-w.ctx.Done()
			if got := context.Cause(w.ctx); got.Error() != c.want || time.Since(began) != c.after {
				t.Errorf("%s: after %v: %v", c.link, time.Since(began), got)
			}
			w.end()
		})
	}
}
