package lab

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"weir/internal/agent"
)

// TestMain makes the test's program one that can be told to play a role, as labs
// do with weir, and runs the tests where labs of others are neither seen nor
// touched.
func TestMain(m *testing.M) { os.Exit(alone(m)) }

func alone(m *testing.M) int {
	if len(os.Args) == 3 && os.Args[1] == agent.Verb {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM) // as weir has it
		defer stop()
		if err := PlayRole(ctx, os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	folder, err := os.MkdirTemp("", "weir-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	os.Setenv("WEIR_RUN", filepath.Join(folder, "run"))
	return m.Run()
}
