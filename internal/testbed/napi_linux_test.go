package testbed

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testenv"
)

// A DUT that forwards on some of its CPUs does so after a reset of its ports,
// which gives it new threads, and on all of them when that is undone.
func TestSpread(t *testing.T) {
	all := []int{0, 1}[:min(2, runtime.NumCPU())]
	lab := open(t, NetnsConfig{CPUs: weir.CPUs{DUT: all}})
	on := func(want ...int) {
		t.Helper()
		for _, tid := range lab.Forwarding() {
			if got, err := netif.Affinity(tid); err != nil || !slices.Equal(got, want) {
				t.Errorf("a thread may use the CPUs %v, %v; want %v", got, err, want)
			}
		}
	}
	on(all...)
	undo, err := lab.Spread(1)
	if err != nil {
		t.Fatal(err)
	}
	on(0)
	threads := lab.Forwarding()
	if err := lab.InDUT(lab.ResetPorts); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(threads, lab.Forwarding()) {
		t.Error("the reset left it the threads that it had")
	}
	on(0)
	if err := undo(); err != nil {
		t.Fatal(err)
	}
	on(all...)

	back, err := lab.SetNAPI(weir.Softirq)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lab.Spread(1); !errors.As(err, new(*weir.UnsupportedError)) {
		t.Errorf("without threads of its own: %v", err)
	}
	if err := back(t.Context()); err != nil {
		t.Fatal(err)
	}
	on(all...)
}

// The queues of a veth get threads, and lose them again, whether it has GRO or not, and keep
// that as it is.
func TestServedAndBack(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "ethtool")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	h := Machine("here", ns)
	for _, line := range []string{"ip link add p0 type veth peer name p1", "ip link set p0 up", "ip link set p1 up"} {
		if text, err := h.Run(t.Context(), "", strings.Fields(line)...); err != nil {
			t.Fatal(line, text, err)
		}
	}
	state := func() (threaded, gro string) {
		t.Helper()
		threaded, err := h.ReadFile(t.Context(), netif.Threaded("p0"))
		if err != nil {
			t.Fatal(err)
		}
		gro, err = settings.Setting{Kind: settings.Feature, Device: "p0", Name: "generic-receive-offload"}.Get(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(threaded), gro
	}
	for _, gro := range []string{"off", "on"} {
		if text, err := h.Run(t.Context(), "", "ethtool", "-K", "p0", "gro", gro); err != nil {
			t.Fatal(text, err)
		}
		undo := settings.Undo{}
		if err := ns.Do(func() error { return netif.ServeQueues(t.Context(), &undo, h, "p0", []int{0}) }); err != nil {
			t.Errorf("GRO %s: %v", gro, err)
		}
		if threaded, _ := state(); threaded != "1" {
			t.Errorf("GRO %s: threaded is %s", gro, threaded)
		}
		if err := undo.Run(t.Context()); err != nil {
			t.Errorf("GRO %s, undone: %v", gro, err)
		}
		if threaded, now := state(); threaded != "0" || now != gro {
			t.Errorf("GRO %s, undone: threaded is %s, GRO %s", gro, threaded, now)
		}
	}
}
