package agent_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"weir/internal/agent"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// TestMain makes the test's program one that can be told to play a role, as
// weir is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == agent.Verb {
		roles := agent.Roles()
		roles["slow"] = agent.Opening(func(context.Context, struct{}) (agent.Opened, error) {
			return agent.Opened{Commands: map[string]agent.Command{
				"sleep": agent.Do(func(_ context.Context, d time.Duration) (any, error) { time.Sleep(d); return nil, nil }),
			}}, nil
		})
		if err := agent.Run(context.Background(), roles, os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
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
