package testbed

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/testenv"
)

func open(t *testing.T, c NetnsConfig) *Netns {
	t.Helper()
	testenv.NeedRoot(t)
	t.Setenv("WEIR_RUN_DIR", t.TempDir())
	lab, err := OpenNetns(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	return lab
}

// how is the scheduling of each thread, and what it is called.
func how(t *testing.T, pids []int) (policies []uint32, names []string) {
	t.Helper()
	for _, pid := range pids {
		attr, err := unix.SchedGetAttr(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, attr.Policy)
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(comm))
	}
	return slices.Compact(policies), names
}

func TestPairs(t *testing.T) {
	lab := open(t, NetnsConfig{Pairs: 2})
	ports := lab.DUT().Ports
	if len(ports) != 4 {
		t.Fatalf("%d ports, want 4", len(ports))
	}
	seen := make(map[string]bool)
	for i, p := range ports {
		if !strings.HasSuffix(p.DUT, fmt.Sprintf("d%d", i)) || seen[p.DUTMAC] || seen[p.TesterMAC] {
			t.Errorf("port %d is %+v", i, p)
		}
		seen[p.DUTMAC], seen[p.TesterMAC] = true, true
		if _, err := lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+p.DUT+"/address"); err != nil {
			t.Error(err)
		}
	}
	if n := len(lab.Forwarding()); n != 4*ports[0].Queues {
		t.Errorf("%d threads forward, want one for each of %d queues of 4 ports", n, ports[0].Queues)
	}
}

// What a host says of its network is what its own namespace says.
func TestHostProcNet(t *testing.T) {
	lab := open(t, NetnsConfig{})
	text, err := lab.DUT().Host.ReadFile(t.Context(), "/proc/net/dev")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, lab.DUT().Ports[0].DUT+":") || strings.Contains(text, lab.Self.DUT) {
		t.Errorf("the DUT has these interfaces:\n%s", text)
	}
}

func TestControl(t *testing.T) {
	testenv.NeedTool(t, "ping")
	lab := open(t, NetnsConfig{Control: true})
	said, err := lab.TesterHost().Run(t.Context(), "", "ping", "-c", "1", "-W", "5", ControlDUT.Addr().String())
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	policies, _ := how(t, lab.Managing())
	if !slices.Equal(policies, []uint32{unix.SCHED_NORMAL}) {
		t.Errorf("the control port's threads have policies %v, want ordinary ones", policies)
	}
}

func TestSetNAPI(t *testing.T) {
	lab := open(t, NetnsConfig{})
	asMade := func() {
		t.Helper()
		policies, names := how(t, lab.Forwarding())
		if !slices.Equal(policies, []uint32{unix.SCHED_RR}) || len(names) != 2*lab.DUT().Ports[0].Queues {
			t.Errorf("%v have policies %v, want real-time threads", names, policies)
		}
	}
	read := func(file string) string {
		t.Helper()
		text, err := lab.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+lab.DUT().Ports[1].DUT+"/"+file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	asMade()
	before := read("queues/rx-0/rps_cpus")

	undo, err := lab.SetNAPI(weir.Softirq)
	if err != nil {
		t.Fatal(err)
	}
	if read("threaded") != "0" || strings.Trim(read("queues/rx-0/rps_cpus"), "0,") == "" || len(lab.Forwarding()) > 0 {
		t.Errorf("threaded %s, steered to %s, threads %v", read("threaded"), read("queues/rx-0/rps_cpus"), lab.Forwarding())
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if read("threaded") != "1" || read("queues/rx-0/rps_cpus") != before {
		t.Errorf("undone: threaded %s, steered to %s", read("threaded"), read("queues/rx-0/rps_cpus"))
	}
	asMade()

	if undo, err = lab.SetNAPI(weir.Threaded); err != nil {
		t.Fatal(err)
	}
	if policies, _ := how(t, lab.Forwarding()); !slices.Equal(policies, []uint32{unix.SCHED_NORMAL}) {
		t.Errorf("the threads have policies %v, want ordinary ones", policies)
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	asMade()

	// A kernel either has threads that never sleep, or says so.
	undo, err = lab.SetNAPI(weir.BusyPoll)
	if unsupported := (*weir.UnsupportedError)(nil); err != nil && !errors.As(err, &unsupported) {
		t.Fatal(err)
	}
	if err == nil {
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	asMade()
	if _, err := lab.SetNAPI("interrupts"); err == nil {
		t.Error("a mode that nobody knows was set")
	}
}
