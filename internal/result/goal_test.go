package result

import (
	"testing"

	"weir"
)

func TestGoal(t *testing.T) {
	for want, r := range map[string]weir.Result{
		"":                                      {Method: "throughput"},
		"loss 0.5 %":                            {Method: "throughput", LossRatio: .005},
		"loss 0 %, 60 s of 60 s":                {Method: "mlrsearch", TrialSeconds: 60, Sum: 60},
		"loss 0 %, exceed 50 %, 60 s of 120 s":  {Method: "mlrsearch", ExceedRatio: .5, TrialSeconds: 60, Sum: 120},
		"loss 0.07 %, exceed 50 %, 1 s of 21 s": {Method: "mlrsearch", LossRatio: .0007, ExceedRatio: .5, TrialSeconds: 1, Sum: 21},
	} {
		if got := Goal(&r); got != want {
			t.Errorf("%q and not %q", got, want)
		}
	}
	if got := Goal(&weir.Result{Method: "frmol", LossRatio: .4}); got != "" { // what it lost is no goal
		t.Errorf("a peak has the goal %q", got)
	}
}
