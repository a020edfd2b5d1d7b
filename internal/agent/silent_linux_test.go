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
	"weir/internal/testenv"
)

// An agent that was stopped is not waited for: whoever asks it reads so, by its name, and it
// can be ended at once.
func TestStopped(t *testing.T) {
	bed := lab(t)
	a, err := agent.Start(t.Context(), agent.Place{Host: bed.TesterHost()}, "slow", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(a.PID(), unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// A thread that runs stops when it comes to it.
	testenv.Await(t, "all threads of the agent have stopped", func() bool { return stopped(t, a.PID()) })
	a.SetQuiet(100 * time.Millisecond)
	err = a.Ask(t.Context(), "sleep", time.Duration(0), nil)
	if err == nil || !strings.Contains(err.Error(), "slow at ") || !strings.Contains(err.Error(), "has said nothing for 100ms") {
		t.Errorf("one that was stopped: %v", err)
	}
	if a.Alive() == nil {
		t.Error("it is said to be alive")
	}
	if err := a.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "did not end when asked, and was killed") {
		t.Errorf("it ended with %v", err)
	}
}

// An answer that is longer than any is ends the agent that gives it, and no memory.
func TestAnswersWithoutEnd(t *testing.T) {
	bed := lab(t)
	a, err := agent.Start(t.Context(), agent.Place{Host: bed.TesterHost()}, "slow", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := a.Ask(t.Context(), "speak", nil, &text); err == nil || !strings.Contains(err.Error(), "answers with more than 64 MiB") {
		t.Errorf("%d octets, %v", len(text), err)
	}
	if err := a.Ask(t.Context(), "sleep", time.Duration(0), nil); err == nil {
		t.Error("it answers still")
	}
	_ = a.Stop(t.Context()) // it may have ended for want of a reader
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
