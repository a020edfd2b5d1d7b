package agent

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// All commands run at once, and none of them longer than the one who asks waits.
func TestLookAtOnce(t *testing.T) {
	// Each waits for another one to open its FIFO.
	folder := t.TempDir()
	var commands [][]string
	for i, pair := range [][]string{{"cat", "echo >"}, {"echo >", "cat"}} {
		fifo := filepath.Join(folder, strconv.Itoa(i))
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, do := range pair {
			commands = append(commands, []string{"sh", "-c", do + " " + fifo})
		}
	}
	if s, err := look(t.Context(), wanted{Commands: commands}); len(s.Outputs) != len(commands) || err != nil {
		t.Errorf("%d outputs, %v", len(s.Outputs), err)
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
