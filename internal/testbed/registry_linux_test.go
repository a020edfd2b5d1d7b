package testbed

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"weir/internal/netif"
	"weir/internal/testenv"
)

// A kept lab outlives who made it, with a name for each of its namespaces, and Down
// leaves nothing of it.
func TestKeptLabGoesDown(t *testing.T) {
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN", filepath.Join(t.TempDir(), "run"))
	lab, err := OpenNetns(t.Context(), NetnsConfig{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	roles := []string{"tester", "dut"}
	t.Cleanup(func() {
		_, _ = Down(context.Background(), lab.ID, false)
		for _, role := range roles {
			_ = netif.RemoveNamed(keptName(lab.ID, role))
		}
	})
	if err := lab.Close(); err != nil {
		t.Fatal(err)
	}
	for _, role := range roles {
		if _, err := os.Stat(netif.NamedPath(keptName(lab.ID, role))); err != nil {
			t.Errorf("the namespace of the %s is not kept: %v", role, err)
		}
	}
	if gone, err := Down(t.Context(), lab.ID, false); err != nil || len(gone) != 1 {
		t.Fatalf("down: %v, %v", gone, err)
	}
	for _, role := range roles {
		if _, err := os.Stat(netif.NamedPath(keptName(lab.ID, role))); !os.IsNotExist(err) {
			t.Errorf("the namespace of the %s outlives the lab: %v", role, err)
		}
	}
	if labs, err := Labs(); err != nil || len(labs) != 0 {
		t.Errorf("labs %+v, %v", labs, err)
	}
}
