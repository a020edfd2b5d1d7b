package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a machine boots, and what it has where a plan does not say.
func TestMachine(t *testing.T) {
	for text, want := range map[string]Machine{
		"kernel: {debian: 6.1}":                                    {Debian: "6.1", Memory: 512, CPUs: 2},
		"memory: 256":                                              {Debian: "6.12", Memory: 256, CPUs: 2},
		"cpus: 4, image: box.qcow2":                                {Image: "box.qcow2", Memory: 512, CPUs: 4},
		"cpus: 4, kernel: {image: box.qcow2}, memory: 200":         {Image: "box.qcow2", Memory: 200, CPUs: 4},
		"nic: igb, kernel: {debian: 6.1, append: mitigations=off}": {Debian: "6.1", Append: "mitigations=off", Memory: 512, CPUs: 2, NIC: "igb"},
		"kernel: {kernel: a, initramfs: b}":                        {Kernel: "a", Initramfs: "b", Memory: 512, CPUs: 2},
		"cpus: {generator: [0], dut: [1]}":                         {Debian: "6.12", Memory: 512, CPUs: 2},
	} {
		p, err := Parse("vm.yaml", []byte("testbed: {kind: vm, "+text+"}\nmethods: [{method: throughput}]"))
		if err != nil {
			t.Error(err)
			continue
		}
		if want.NIC == "" {
			want.NIC = defaultNIC
		}
		if diff := cmp.Diff(want, p.Testbed.Machine); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if !p.IsCommanded() || len(p.Testbed.Networks) != mostPorts {
			t.Errorf("%s: told %v, %d networks", text, p.IsCommanded(), len(p.Testbed.Networks))
		}
	}
	if diff := cmp.Diff(MachineTestbed().Machine, Machine{Debian: "6.12", Memory: 512, CPUs: 2, NIC: defaultNIC}); diff != "" {
		t.Error(diff)
	}
}

// Mistakes about machines are found before one is made.
func TestMachineMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"testbed: {kind: vm, kernel: {debian: 5.10}}":                            "there are: 6.1, 6.12, 7.2",
		"testbed: {kind: vm, kernel: {debian: 6.1, image: x}}":                   "boots one thing",
		"testbed: {kind: vm, kernel: {}}":                                        "boots one thing",
		"testbed: {kind: vm, kernel: {kernel: x}}":                               "go together",
		"testbed: {kind: vm, nic: ne2000}":                                       "there are: virtio-net-pci, e1000e, igb, vmxnet3",
		"testbed: {kind: vm, kernel: {image: x, append: quiet}}":                 "leave it out",
		"testbed: {kind: vm, memory: 5}":                                         "outside",
		"testbed: {kind: vm, cpus: 0}":                                           "outside",
		"testbed: {kind: vm}\ndut: {platform: opaque}":                           "weir makes it",
		"testbed: {kind: vm}\ndut: {host: \"ssh://a\"}":                          "host is for one behind ports",
		"factors: {kernel: [{debian: 6.1}, {debian: 6.12}]}":                     "kernels are compared in machines",
		"testbed: {kind: vm}\nfactors: {kernel: [{debian: 6.1}, {debian: 6.1}]}": "there twice",
		"testbed: {kind: vm}\nfactors: {kernel: [{debian: 6.1}, {debian: 2.2}]}": "2.2",
		"testbed: {kind: vm}\nfactors: {kernel: [{debian: 6.1}, none]}":          "a kernel needs fields",
		"testbed: {kind: vm}\nfactors: {kernel: [{debian: 6.1}, {debian: 6.12}], testbed: [{kind: vm, memory: 256}, {kind: vm, memory: 300}]}": "leave one of the factors out",
	} {
		_, err := Parse("vm.yaml", []byte(text+"\nmethods: [{method: throughput}]"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse("vm.yaml", []byte("testbed: {kind: vm, image: box.qcow2}\ndut: {platform: opaque}\nmethods: [{method: throughput}]")); err != nil {
		t.Error(err)
	}
}

// Each level of the factor kernel is a machine of its own, with a name.
func TestKernels(t *testing.T) {
	p, err := Parse("vm.yaml", []byte(`testbed: {kind: vm, memory: 300}
factors: {kernel: [{debian: 6.1}, {name: mine, kernel: a/vmlinuz, initramfs: b}, {image: a/box.qcow2}, {debian: 6.1, append: mitigations=off}]}
methods: [{method: throughput}]`))
	if err != nil {
		t.Fatal(err)
	}
	var arms []string
	var machines []Machine
	for _, l := range p.Levels {
		arms, machines = append(arms, l.Arm), append(machines, l.Testbed.Machine)
	}
	if diff := cmp.Diff([]string{"kernel debian 6.1", "kernel mine", "kernel box.qcow2", "kernel debian 6.1, mitigations=off"}, arms); diff != "" {
		t.Error(diff)
	}
	usual := Machine{Memory: 300, CPUs: 2, NIC: "virtio-net-pci"}
	want := []Machine{{Debian: "6.1"}, {Kernel: "a/vmlinuz", Initramfs: "b"}, {Image: "a/box.qcow2"}, {Debian: "6.1", Append: "mitigations=off"}}
	for i, boots := range want {
		want[i] = usual
		want[i].boot(boots)
	}
	if diff := cmp.Diff(want, machines); diff != "" {
		t.Error(diff)
	}
	if p.Testbed.Machine != want[0] || len(p.Testers()) != 4 {
		t.Errorf("the plan begins with %v, and has %d testers", p.Testbed.Machine, len(p.Testers()))
	}
	p.Folder = "/plans"
	if p.At("x") != "/plans/x" || p.At("/x") != "/x" || p.At("") != "" {
		t.Error(p.At("x"), p.At("/x"), p.At(""))
	}
}
