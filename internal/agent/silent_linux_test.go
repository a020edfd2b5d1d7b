package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/agent"
)

// An agent that is busy is waited for, and one that was stopped is not: whoever asks it is
// told so, by its name, and it can be ended at once.
func TestSilent(t *testing.T) {
	bed := lab(t)
	const quiet = 2 * time.Second
	a, err := agent.Start(t.Context(), agent.Place{Host: bed.TesterHost(), Quiet: quiet}, "slow", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Ask(t.Context(), "sleep", quiet*5/4, nil); err != nil || a.Alive() != nil {
		t.Errorf("one that is busy: %v, %v", err, a.Alive())
	}
	if err := unix.Kill(a.PID(), unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for !stopped(t, a.PID()) { // a thread that runs stops when it comes to it
		time.Sleep(time.Millisecond)
	}
	asked := time.Now()
	err = a.Ask(t.Context(), "sleep", time.Duration(0), nil)
	if err == nil || !strings.Contains(err.Error(), "slow at ") || !strings.Contains(err.Error(), "has said nothing for 2s") {
		t.Errorf("one that was stopped: %v", err)
	}
	if took := time.Since(asked); took < quiet || took > 5*quiet {
		t.Errorf("that was found out after %v", took)
	}
	if a.Alive() == nil {
		t.Error("it is said to be alive")
	}
	ending := time.Now()
	if err := a.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "did not end when asked, and was killed") || time.Since(ending) > 4*time.Second {
		t.Errorf("it ended after %v: %v", time.Since(ending), err)
	}
}

// stopped reports whether all threads of a process have stopped.
func stopped(t *testing.T, pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatal("it has ended", err)
	}
	return !slices.ContainsFunc(threads, func(file string) bool {
		stat, err := os.ReadFile(file)
		return err == nil && !strings.Contains(string(stat), ") T ")
	})
}
