package lab

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir/internal/packages"
	"weir/internal/plan"
	"weir/internal/testenv"
	"weir/internal/vm"
)

// machinePlan is a plan of a machine with one of Debian's kernels.
func machinePlan(t *testing.T, more string) plan.Plan {
	t.Helper()
	p, err := plan.Parse("vm.yaml", []byte("testbed: {kind: vm, kernel: {debian: 6.12}, cpus: 1, memory: 256}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput}]\n"+more))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The kernels and cards that a plan may ask for are those that a machine can be made with.
func TestDebianKernels(t *testing.T) {
	for _, version := range vm.KernelNames() {
		if _, err := plan.Parse("vm.yaml", []byte("testbed: {kind: vm, kernel: {debian: "+version+"}}\nmethods: [{method: throughput}]")); err != nil {
			t.Error(err)
		}
	}
	for _, nic := range vm.NICs {
		if _, err := plan.Parse("vm.yaml", []byte("testbed: {kind: vm, nic: "+nic+"}\nmethods: [{method: throughput}]")); err != nil {
			t.Error(err)
		}
	}
	if !slices.Contains(vm.NICs, plan.MachineTestbed().Machine.NIC) {
		t.Error("no machine can have the usual card")
	}
	if !slices.Contains(vm.KernelNames(), plan.MachineTestbed().Machine.Debian) {
		t.Error("no machine can be made with the usual kernel")
	}
}

// A machine that cannot boot, and a QEMU that is not there, are told before anything is
// touched.
func TestMachineLacks(t *testing.T) {
	p := machinePlan(t, "")
	p.Testbed.Machine = plan.Machine{Image: filepath.Join(t.TempDir(), "none")}
	if err := machineLacks(p); err == nil || !strings.Contains(err.Error(), "none: no such file") {
		t.Error(err)
	}
	p = machinePlan(t, "")
	t.Setenv("PATH", "")
	if err := machineLacks(p); err == nil || !strings.Contains(err.Error(), packages.Advice("qemu-system-x86")) {
		t.Error(err)
	}
}

// A machine of Debian's packages forwards each frame, can be set to a firewall that
// counts what it drops, has a kernel of its own, gives way to another one, and leaves
// nothing.
func TestVM(t *testing.T) {
	testenv.Long(t)
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "qemu-system-x86_64", "apt-get", "dpkg-deb", "ip", "ethtool")
	testenv.LikeArchive(t, "http://deb.debian.org/debian/dists/bookworm/Release")
	const booted = "net.ifnames=0 weir.second" // what the second one finds at its command line
	p := machinePlan(t, "factors: {kernel: [{debian: 6.12}, {name: bare, debian: 6.12, append: weir.second}]}\ndut: {firewall: {kind: stateless, rules: 3}}\nruns: {count: 3}\n")
	lab, done, err := Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	if !strings.HasPrefix(lab.Manifest.Kernel, "6.12.") {
		t.Errorf("the DUT's kernel is %s", lab.Manifest.Kernel)
	}
	condition := p.Levels[0].Condition
	if err := lab.Cannot(t.Context(), condition); err != nil {
		t.Error(err)
	}
	back, err := lab.Apply(t.Context(), condition)
	if err != nil {
		t.Fatal(err)
	}
	passes := func() {
		t.Helper()
		r, err := lab.Measure(t.Context(), allOf(p.Traffic[0]))
		if err != nil {
			t.Fatal(err)
		}
		if r.Offered == 0 || r.Received != r.Offered || r.Ledger.Unexplained != 0 {
			t.Errorf("%d of %d frames came through, %v", r.Received, r.Offered, r.Ledger)
		}
	}
	passes()
	if err := back(t.Context()); err != nil {
		t.Error(err)
	}
	first := fmt.Sprint(lab.Manifest)
	if lab, err = lab.Rebuild(t.Context(), *p.Levels[1].Testbed); err != nil {
		t.Fatal(err)
	}
	if second := fmt.Sprint(lab.Manifest); strings.Contains(first, booted) || !strings.Contains(second, booted) {
		t.Errorf("the first machine is %s\nand the second one %s", first, second)
	}
	passes()
}
