package agent_test

import (
	"runtime"
	"testing"
	"time"

	"weir/internal/agent"
	"weir/internal/testenv"
)

// A cache line goes from one CPU to another in some nanoseconds, again and again; what does
// not come back is not waited for.
func TestExchange(t *testing.T) {
	bed := lab(t)
	at := agent.Place{Host: bed.TesterHost()}
	last := runtime.NumCPU() - 1
	e, err := agent.StartExchange(t.Context(), at, 0, last)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Stop(t.Context())
	for range 3 {
		var took time.Duration
		testenv.Await(t, "both CPUs have time for an exchange", func() bool {
			took, err = e.Measure(t.Context())
			return took > 0 || err != nil || last == 0
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(took)
	}
	missing, err := agent.StartExchange(t.Context(), at, 0, 1023)
	if err != nil {
		return // it cannot even be started there
	}
	defer missing.Stop(t.Context())
	if took, err := missing.Measure(t.Context()); err == nil {
		t.Errorf("an exchange with a CPU that is not there took %v", took)
	}
}
