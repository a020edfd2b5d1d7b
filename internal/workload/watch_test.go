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
	link string
}

func (still) Name() string { return "far" }
func (still) ReadFile(context.Context, string) (string, error) {
	return "  p0: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n", nil
}
func (s still) Run(context.Context, string, ...string) (string, error) {
	return "p0 " + s.link + " 02:00:00:00:00:01 <>\n", nil
}

// A transfer at whose end nothing arrives is given up soon where the link is down, and late
// where a machine may be busy.
func TestNothingArrives(t *testing.T) {
	for _, c := range []struct {
		link, want string
		after      time.Duration
	}{
		{"DOWN", "nothing arrived at far for 5s: the link of far is down", 5 * time.Second},
		{"UP", "nothing arrived at far for 30s", 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			end, began := End{Host: still{link: c.link}, Port: "p0"}, time.Now()
			w := watch(t.Context(), &job{source: end, destination: end, pausing: &atomic.Bool{}})
			<-w.ctx.Done()
			if got := context.Cause(w.ctx); got.Error() != c.want || time.Since(began) != c.after {
				t.Errorf("%s: after %v: %v", c.link, time.Since(began), got)
			}
			w.end()
		})
	}
}
