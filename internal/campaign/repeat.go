package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// repeats is how often a disturbed trial is measured again at most.
const repeats = 1

// disturbances are the doubts about a trial that say that its loss may not be
// the DUT's.
var disturbances = []weir.WarningCode{weir.OfferedShort, weir.ReceiverSaturated, weir.StealTime}

// repeated measures a trial again that lost frames while the tester or the
// hypervisor failed: such a trial says nothing about the DUT. A trial without
// loss is good whatever happened, and a load that the tester cannot reach
// (limited) will not be reached by trying again. Every attempt is a trial of
// its own in the store; the one that counts knows how many there were.
func repeated(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		var because []string
		var last weir.TrialResult
		for {
			r, err := measure(context.WithValue(ctx, attemptKey{}, len(because)+1), t)
			if errors.Is(err, errOutOfTime) && len(because) > 0 {
				return last, nil // there is no time for another attempt
			}
			if err != nil {
				return r, err
			}
			r.Attempts = len(because) + 1
			fault := disturbance(r)
			if fault == "" || t.Maximum || t.Bypass || len(because) == repeats {
				if len(because) > 0 {
					r.Warnings = append(slices.Clone(r.Warnings), weir.Warning{Code: weir.TrialRepeated, Text: fmt.Sprintf(
						"a trial was measured again because it lost frames while it was disturbed (%s); all attempts are in the store", strings.Join(because, ", "))})
				}
				return r, nil
			}
			because, last = append(because, fault), r
		}
	}
}

// attemptKey is the key of the number of an attempt in a context.
type attemptKey struct{}

// attempt is which one of a trial is under way, from 1; 0 where trials are not
// repeated.
func attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}

// disturbance is what disturbed a lossy trial, or "".
func disturbance(r weir.TrialResult) string {
	if r.LossRatio() <= 0 || has(r, weir.TesterLimited) {
		return ""
	}
	for _, code := range disturbances {
		if has(r, code) {
			return string(code)
		}
	}
	return ""
}

func has(r weir.TrialResult, code weir.WarningCode) bool {
	return slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return w.Code == code })
}
