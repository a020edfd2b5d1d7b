package lab

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"weir/internal/agent"
	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(m, sandbox.Role(agent.Verb, func(role string) error {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM) // as weir has it
		defer stop()
		return PlayRole(ctx, role, os.Stdin, os.Stdout)
	}))
}
