package agent_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"weir/internal/agent"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/testenv/sandbox"
)

func TestMain(m *testing.M) {
	roles := agent.Roles()
	roles["slow"] = agent.Opening(func(context.Context, struct{}) (agent.Opened, error) {
		return agent.Opened{Commands: map[string]agent.Command{
			"speak": agent.Do(func(context.Context, struct{}) (any, error) { return strings.Repeat("a", 65<<20), nil }),
			"self":  agent.Do(func(context.Context, struct{}) (any, error) { return agent.Self() }),
			"sleep": agent.Do(func(_ context.Context, d time.Duration) (any, error) { time.Sleep(d); return nil, nil }),
		}}, nil
	})
	sandbox.Main(m, sandbox.Role(agent.Verb, func(role string) error {
		return agent.Run(context.Background(), roles, role, os.Stdin, os.Stdout)
	}))
}

// lab is a lab of two namespaces with a control link.
func lab(t *testing.T) *testbed.Netns {
	t.Helper()
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", t.TempDir())
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{Control: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bed.Close(); err != nil {
			t.Error(err)
		}
	})
	return bed
}
