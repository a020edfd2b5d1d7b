package testbed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// place is a namespace as a host of programs.
func place(t *testing.T) nsHost {
	t.Helper()
	testenv.NeedRoot(t)
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	return nsHost{name: "here", ns: ns}
}

func start(t *testing.T, h weir.Starter, p weir.Program) *weir.Process {
	t.Helper()
	process, err := h.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return process
}

func TestStart(t *testing.T) {
	h := place(t)
	p := start(t, h, weir.Program{Argv: []string{"sh", "-c", "read line; echo $line $WORD; pwd; ls /sys/class/net"}, Dir: "/", Env: []string{"WORD=again"}})
	fmt.Fprintln(p.Stdin, "hello")
	said, err := io.ReadAll(p.Stdout)
	if err != nil || string(said) != "hello again\n/\nlo\n" {
		t.Errorf("it said %q, %v", said, err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("to stop what has ended: %v", err)
	}
}

func TestStartOnCPU(t *testing.T) {
	h := place(t)
	p := start(t, h, weir.Program{Argv: []string{"sh", "-c", "grep Cpus_allowed_list /proc/self/status"}, CPUs: []int{0}})
	said, _ := io.ReadAll(p.Stdout)
	if f := strings.Fields(string(said)); len(f) != 2 || f[1] != "0" {
		t.Errorf("it may run on %q, want CPU 0 alone", said)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := netif.Affinity(0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("true")
	if err := startOn(cmd, []int{0}); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	if after, err := netif.Affinity(0); err != nil || !slices.Equal(before, after) {
		t.Errorf("the thread that started it is bound to %v, and was to %v: %v", after, before, err)
	}
}

func TestProgramFails(t *testing.T) {
	h := place(t)
	p := start(t, h, weir.Program{Argv: []string{"sh", "-c", "seq 10000 >&2; exit 3"}})
	if err := p.Wait(); err == nil || !strings.HasSuffix(err.Error(), ": exit status 3: 9996\n9997\n9998\n9999\n10000") {
		t.Errorf("%v", err)
	}
	if _, err := h.Start(t.Context(), weir.Program{Argv: []string{"there-is-no-such-program"}}); err == nil {
		t.Error("a program that is not there was started")
	}
	if _, err := h.Start(t.Context(), weir.Program{}); err == nil {
		t.Error("nothing was started")
	}
}

func TestStop(t *testing.T) {
	h := place(t)
	p := start(t, h, weir.Program{Argv: []string{"sleep", "1000"}})
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	deaf := start(t, h, weir.Program{Argv: []string{"sh", "-c", "trap '' TERM; echo ready; while :; do read line; done"}})
	if _, err := bufio.NewReader(deaf.Stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := deaf.Stop(ctx); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
}

// The first of a family is told when it listens, and killed at once when it does not.
func TestStopFamily(t *testing.T) {
	h := place(t)
	h.asked = time.Hour
	deaf := start(t, h, weir.Program{Argv: []string{"sleep", "1000"}, Family: true})
	if listens(deaf.PID) {
		t.Error("sleep is said to listen")
	}
	if err := deaf.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	p := start(t, h, weir.Program{Argv: []string{"sh", "-c", "trap 'echo asked; exit' TERM; echo ready; while :; do sleep .01; done"}, Family: true})
	said := bufio.NewReader(p.Stdout)
	if _, err := said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if !listens(p.PID) {
		t.Error("a shell with a trap is said not to listen")
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if answer, err := said.ReadString('\n'); answer != "asked\n" {
		t.Errorf("it said %q, %v", answer, err)
	}
}

// A program dies with the thread of its namespace.
func TestStartEnds(t *testing.T) {
	h := place(t)
	p := start(t, h, weir.Program{Argv: []string{"sleep", "1000"}})
	h.ns.Close()
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
}

// While there is a lab the kernel ends others first when memory runs out, and programs of
// others are chosen as they would have been without.
func TestSparedWithoutItsPrograms(t *testing.T) {
	testenv.NeedRoot(t)
	const file, want = "/proc/self/oom_score_adj", "-900\n"
	lab := open(t, NetnsConfig{})
	own, err := os.ReadFile(file)
	if string(own) != want {
		if os.WriteFile(file, []byte(want), 0) != nil {
			t.Log("this process may not be spared")
			return
		}
		t.Errorf("in a lab it is %q, %v", own, err)
	}
	p, err := lab.DUT().Host.(weir.Starter).Start(t.Context(), weir.Program{Argv: []string{"sh", "-c", "read -r line; cat /proc/self/oom_score_adj"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stdin.Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(p.Stdout)
	if err != nil || p.Wait() != nil || string(said) == string(own) {
		t.Errorf("a program of the lab has %q, %v", said, err)
	}
}
