package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weir"
)

// The DUT is started anew for each run, before its levels are set. One that does not come
// back ends its run, and the next one starts it anew.
func TestStartedAnew(t *testing.T) {
	p := parsed(t, twoArms)
	for _, how := range []weir.Reset{weir.Reboot, weir.Power} {
		p.Experiment.Reset = how
		var log []string
		lab := applied(&log)
		if _, err := Run(t.Context(), p, lab, &memory{}, nil); err == nil || !strings.Contains(err.Error(), "cannot be started anew between runs: take runs: {reset: reapply}") {
			t.Errorf("%s where nobody can: %v", how, err)
		}
		times := 0
		lab.Restart = func(_ context.Context, asked weir.Reset) error {
			log = append(log, string(asked))
			if times++; times == 2 {
				return errors.New("r1 did not come back")
			}
			return nil
		}
		c, err := Run(t.Context(), p, lab, &memory{}, nil)
		if err == nil || !strings.Contains(err.Error(), "start the DUT anew for run 2: r1 did not come back") || len(c.Results) != 8 {
			t.Errorf("%s: %d results, %v", how, len(c.Results), err)
		}
		var want []string
		for run := 1; run <= 9; run++ {
			want = append(want, string(how))
			if run != 2 {
				want = append(want, "firewall", fmt.Sprint("run ", run), "undone")
			}
		}
		for i, line := range log {
			if strings.HasPrefix(line, "firewall") {
				log[i] = "firewall"
			}
		}
		if got := strings.Join(log, ", "); got != strings.Join(want, ", ") {
			t.Errorf("%s: %s", how, got)
		}
	}
}
