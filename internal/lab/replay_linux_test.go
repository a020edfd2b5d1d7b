package lab

import (
	"os"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// The frames of the example's capture come back as they were sent, from a DUT whose kernel
// merges some and cuts them again, at its maximum, on all CPUs of the lab.
func TestReplayIsNotDamaged(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	t.Setenv("WEIR_RUN", t.TempDir())
	text, err := os.ReadFile("../../examples/replay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.ParseWith("replay.yaml", text, func(name string) (*frame.Capture, error) {
		return frame.ReadCapture("../../examples/" + name)
	})
	if err != nil {
		t.Fatal(err)
	}
	lab, end, err := openNetNS(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	var received uint64
	var trials int
	testenv.Await(t, "frames come back, in five trials at least", func() bool {
		r := measured(t, lab, p.Traffic[0], func(trial *weir.Trial) {
			trial.Count, trial.Duration, trial.Waits.Residual = 0, 50*time.Millisecond, 100*time.Millisecond
		})
		for _, s := range r.Streams {
			if s.Corrupt > 0 {
				t.Errorf("%d of %d frames are damaged", s.Corrupt, s.Sent)
			}
		}
		received += r.Received
		trials++
		return t.Failed() || trials >= 5 && received > 0
	})
}
