package campaign

import (
	"context"
	"testing"

	"weir"
)

func TestRepeated(t *testing.T) {
	lossy := func(codes ...weir.WarningCode) weir.TrialResult {
		r := weir.TrialResult{Offered: 100, Received: 90}
		for _, c := range codes {
			r.Warnings = append(r.Warnings, weir.Warning{Code: c})
		}
		return r
	}
	clean := weir.TrialResult{Offered: 100, Received: 100, Warnings: []weir.Warning{{Code: weir.StealTime}}}
	for _, c := range []struct {
		name     string
		trial    weir.Trial
		results  []weir.TrialResult
		attempts int
		said     bool
	}{
		{"undisturbed loss is the DUT's", weir.Trial{}, []weir.TrialResult{lossy()}, 1, false},
		{"other doubts do not matter", weir.Trial{}, []weir.TrialResult{lossy(weir.BusyMachine)}, 1, false},
		{"disturbed without loss", weir.Trial{}, []weir.TrialResult{clean}, 1, false},
		{"disturbed once", weir.Trial{}, []weir.TrialResult{lossy(weir.OfferedShort), clean}, 2, true},
		{"steal", weir.Trial{}, []weir.TrialResult{lossy(weir.StealTime), lossy()}, 2, true},
		{"disturbed for good", weir.Trial{}, []weir.TrialResult{lossy(weir.StealTime), lossy(weir.ReceiverSaturated)}, 2, true},
		{"at the tester's ceiling", weir.Trial{}, []weir.TrialResult{lossy(weir.OfferedShort, weir.TesterLimited)}, 1, false},
		{"maximum load", weir.Trial{Maximum: true}, []weir.TrialResult{lossy(weir.StealTime)}, 1, false},
		{"without the DUT", weir.Trial{Bypass: true}, []weir.TrialResult{lossy(weir.ReceiverSaturated)}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			attempts := 0
			r, err := repeated(func(context.Context, weir.Trial) (weir.TrialResult, error) {
				attempts++
				return c.results[attempts-1], nil
			})(context.Background(), c.trial)
			if err != nil || attempts != c.attempts || r.Attempts != attempts || has(r, weir.TrialRepeated) != c.said {
				t.Errorf("%d attempts, warnings %v, %v; want %d, said %v", attempts, r.Warnings, err, c.attempts, c.said)
			}
		})
	}
}

// Where there is no time for another attempt, the first one counts.
func TestRepeatedOutOfTime(t *testing.T) {
	attempts := 0
	r, err := repeated(func(context.Context, weir.Trial) (weir.TrialResult, error) {
		if attempts++; attempts > 1 {
			return weir.TrialResult{}, errOutOfTime
		}
		return weir.TrialResult{Offered: 100, Received: 90, Warnings: []weir.Warning{{Code: weir.StealTime}}}, nil
	})(context.Background(), weir.Trial{})
	if err != nil || r.Received != 90 || r.Attempts != 1 || has(r, weir.TrialRepeated) {
		t.Errorf("%+v, %v", r, err)
	}
}
