package lab

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"weir"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// A port that is gone before a trial begins ends it, by its name, and is not awaited.
// Where no link has gone, nothing is awaited.
func TestPortGone(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	err = ns.Do(func() error {
		out, err := exec.Command("sh", "-ec", "ip link add near type veth peer name far; ip link set far up").CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEIR_RUN", t.TempDir()) // whose journal keeps what cannot be undone at a port that is gone
	journal, leave, err := testbed.OwnJournal(false)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	l := &portsLab{}
	if l.bed, err = testbed.OpenPorts(t.Context(), testbed.PortsConfig{Ports: []string{"near", "far"}, Space: ns, Journal: journal}); err != nil {
		t.Fatal(err)
	}
	defer l.bed.Close()
	links, err := l.carrierChanges()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.forwardedAgain(t.Context(), links); err != nil {
		t.Error(err)
	}
	measured := 0
	measure := l.linked(func(context.Context, weir.Trial) (weir.TrialResult, error) {
		measured++
		return weir.TrialResult{}, nil
	})
	if _, err := measure(t.Context(), weir.Trial{}); err != nil || measured != 1 {
		t.Fatalf("%d trials, %v", measured, err)
	}
	if err := ns.Do(func() error { return exec.Command("ip", "link", "delete", "far").Run() }); err != nil {
		t.Fatal(err)
	}
	for name, measure := range map[string]weir.Measurer{"linked": measure, "accounted": l.accounted(measure), "whole": l.whileLinked(l.accounted(measure))} {
		_, err = measure(t.Context(), weir.Trial{})
		var lost *carrierLostError
		if errors.As(err, &lost) || !strings.Contains(fmt.Sprint(err), "port near is gone: was its card taken out") || measured != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.forwardedAgain(t.Context(), links); err == nil || !strings.Contains(err.Error(), "port near is gone") {
		t.Errorf("of a port that has gone: %v", err)
	}
}
