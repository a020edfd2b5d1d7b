package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weir/internal/agent"
	"weir/internal/endhost"
)

// TestMain makes the test's program one that can be told to play a role, as labs
// do with weir, and runs the tests where labs of others are neither seen nor
// touched.
func TestMain(m *testing.M) { os.Exit(alone(m)) }

func alone(m *testing.M) int {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "agent":
		err = agent.Run(context.Background(), os.Args[2], os.Stdin, os.Stdout)
	case len(os.Args) == 4 && os.Args[1] == "end":
		err = endhost.Run(context.Background(), os.Args[2], []byte(os.Args[3]), os.Stdin, os.Stdout)
	default:
		folder, err := os.MkdirTemp("", "weir-test-")
		if err != nil {
			break
		}
		defer os.RemoveAll(folder)
		os.Setenv("WEIR_RUN_DIR", filepath.Join(folder, "run"))
		return m.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
