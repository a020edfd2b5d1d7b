package agent

import (
	"context"
	"errors"
	"testing"
	"time"
)

// All commands run at once, and none of them longer than the one who asks waits.
func TestLookAtOnce(t *testing.T) {
	sleep := []string{"sleep", "0.3"}
	began := time.Now()
	s, err := look(t.Context(), wanted{Commands: [][]string{sleep, sleep, sleep, sleep, sleep}})
	if took := time.Since(began); len(s.Outputs) != 5 || err != nil || took > 5*300*time.Millisecond {
		t.Errorf("%d outputs, %v, after %v", len(s.Outputs), err, took)
	}
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, why)
	defer cancel()
	if _, err := look(ctx, wanted{Commands: [][]string{{"sleep", "100"}, {"sh", "-c", "sleep 3 & exit 0"}}}); !errors.Is(err, why) {
		t.Error(err)
	}
}

// A command that says more than anybody asks for is ended, and left out.
func TestLookIsBounded(t *testing.T) {
	s, err := look(t.Context(), wanted{Commands: [][]string{{"yes"}, {"echo", "said"}}})
	if err != nil || len(s.Outputs) != 1 || string(s.Outputs[1]) != "said\n" {
		t.Errorf("%d outputs, %v", len(s.Outputs), err)
	}
}
