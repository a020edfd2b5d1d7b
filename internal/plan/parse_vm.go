package plan

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"weir/internal/schema"
)

// Machine is a DUT that QEMU runs. It boots one of Debian's kernels, a disk image, or a
// kernel with an initramfs.
type Machine struct {
	Debian            string // version of the kernel: "6.12"
	Image             string // name of the file
	Kernel, Initramfs string // names of the files
	Append            string // to the command line of the kernel
	Memory            int    // MiB
	CPUs              int
	NIC               string // network card, by QEMU's name for it
}

// boot has the machine boot what another one does, and stay as it is otherwise.
func (m *Machine) boot(other Machine) {
	other.Memory, other.CPUs, other.NIC = m.Memory, m.CPUs, m.NIC
	*m = other
}

// What a machine has where a plan does not say.
const (
	defaultKernel = "6.12"
	defaultMemory = 512 // MiB
	defaultCPUs   = 2
	defaultNIC    = "virtio-net-pci"
)

// The bounds of a machine.
const (
	leastMemory, mostMemory = 128, 1 << 20 // MiB
	mostCPUs                = 64
)

// debianKernels are the kernels of Debian's that a machine is made with (package vm has
// the suites that they are from).
var debianKernels = []string{"6.1", "6.12", "7.2"}

// nics are the network cards that a machine can have (those of package vm).
var nics = []string{defaultNIC, "e1000e", "igb", "vmxnet3"}

// kernelName is the factor of which each level is a machine.
const kernelName = "kernel"

// MachineTestbed is the machine that a plan for another testbed is tried on.
func MachineTestbed() Testbed {
	t := Testbed{Kind: VM}
	(&reader{}).atMachine(&t)
	return t
}

// machineFields are the fields of a testbed of kind vm.
func (r *reader) machineFields(t *Testbed) []field {
	m := &t.Machine
	processors, own := schema.Within(schema.Int, 1, mostCPUs), cpusField(t)
	return []field{
		custom(kernelName, kernelShape, func(r *reader, n node) { r.kernel(n, m) }).
			means("what it boots: `{debian: 6.1}`, `{debian: 6.12}` or `{debian: 7.2}`; `{kernel: vmlinuz, initramfs: initrd.img}`; `{image: box.qcow2}`. Files are relative to the plan. A kernel may have `append: \"mitigations=off\"`, at the end of its command line", "`{debian: 6.12}`"),
		custom("image", func() schema.Shape { return schema.Line.Shape }, func(r *reader, n node) {
			m.boot(Machine{Image: r.word(n, "image")})
		}).means("the same as `kernel: {image: ...}`", "none"),
		scalarField("memory", &m.Memory, schema.Within(schema.Int, leastMemory, mostMemory)).means("of the machine, MiB", "512"),
		scalarField("nic", &m.NIC, schema.Word[string]{Read: parseNIC, Shape: schema.Choice(nics...)}).
			means("the card of each port: `virtio-net-pci`, `e1000e`, `igb` (QEMU 8.0 or newer) or `vmxnet3`", "`virtio-net-pci`"),
		custom("cpus", func() schema.Shape { return schema.Either(processors.Shape, own.shape()) }, func(r *reader, n node) {
			if n.kind == scalar {
				scalarField("cpus", &m.CPUs, processors).read(r, n)
			} else {
				own.read(r, n)
			}
		}).means("how many it has, and how many queues a port of virtio-net has; or, as `{generator: ..., receiver: ..., dut: ...}`, which of this machine's are whose", "2"),
		r.networksField(t).hooked(func(node) { t.Networks = nil }).checked(func(r *reader, n node) {
			if len(t.Networks) > mostPorts {
				r.wrong(n, "%d networks, and a machine has %d ports at most", len(t.Networks), mostPorts)
			}
		}).means("the addresses at each port, as at [ports](ports.md)", "those of RFC 2544 and RFC 5180"),
	}
}

// kernelFields are the fields of what a machine boots.
func kernelFields(m *Machine) []field {
	return []field{
		scalarField("debian", &m.Debian, schema.Word[string]{Read: parseDebian, Shape: schema.Choice(debianKernels...)}).means("one of Debian's kernels, by its version", ""),
		scalarField("image", &m.Image, schema.Line).means("an image of a disk", ""),
		scalarField("kernel", &m.Kernel, schema.Line).means("a kernel, with its `initramfs`", ""),
		scalarField("initramfs", &m.Initramfs, schema.Line).means("of the `kernel`", ""),
		scalarField("append", &m.Append, schema.Line).means("to the command line of the kernel", "nothing"),
	}
}

func kernelShape() schema.Shape { return objectOf("a kernel", kernelFields(&Machine{})...) }

// kernel reads what a machine boots.
func (r *reader) kernel(n node, m *Machine) {
	const example = "{debian: 6.12}, {image: box.qcow2} or {kernel: vmlinuz, initramfs: initrd.img}"
	var own Machine
	before := len(r.mistakes)
	r.object(n, "a kernel", kernelFields(&own)...)
	ways := 0
	for _, way := range []string{own.Debian, own.Image, own.Kernel} {
		if way != "" {
			ways++
		}
	}
	switch {
	case len(r.mistakes) > before:
	case ways != 1:
		r.wrong(n, "a machine boots one thing: %s", example)
	case (own.Kernel == "") != (own.Initramfs == ""):
		r.wrong(n, "a kernel and its initramfs go together: %s", example)
	case own.Append != "" && own.Image != "":
		r.wrong(n, "append is for the command line of a kernel that weir boots; that of an image is in the image: leave it out")
	}
	m.boot(own)
}

// bootName is a level of the factor kernel for people: "debian 6.12", "mine.qcow2".
func bootName(n node) string {
	if version, ok := n.find("debian"); ok {
		name := "debian " + version.text
		if more, ok := n.find("append"); ok {
			name += ", " + more.text
		}
		return name
	}
	for _, way := range []string{"image", "kernel"} {
		if file, ok := n.find(way); ok {
			return filepath.Base(file.text)
		}
	}
	return inOneLine(n)
}

func parseDebian(s string) (string, error) {
	if !slices.Contains(debianKernels, s) {
		return "", fmt.Errorf("there is no kernel %q of Debian's that weir makes a machine with; there are: %s; others boot by their files: {kernel: vmlinuz, initramfs: initrd.img}",
			s, strings.Join(debianKernels, ", "))
	}
	return s, nil
}

func parseNIC(s string) (string, error) {
	if !slices.Contains(nics, s) {
		return "", fmt.Errorf("there is no network card %q for a machine; there are: %s", s, strings.Join(nics, ", "))
	}
	return s, nil
}

// atMachine fills in what a testbed of kind vm leaves open.
func (r *reader) atMachine(t *Testbed) {
	m := &t.Machine
	if m.Debian == "" && m.Image == "" && m.Kernel == "" {
		m.Debian = defaultKernel
	}
	m.Memory, m.CPUs, m.NIC = cmp.Or(m.Memory, defaultMemory), cmp.Or(m.CPUs, defaultCPUs), cmp.Or(m.NIC, defaultNIC)
	for i := len(t.Networks); i < mostPorts; i++ {
		t.Networks = append(t.Networks, networkOf(i))
	}
}

// kernelField is the factor kernel: each of its levels is the testbed with another
// machine.
func (r *reader) kernelField(l *Level, bed Testbed) field {
	return custom(kernelName, kernelShape, func(r *reader, n node) {
		t := bed
		if bed.Kind != VM {
			r.wrong(n, "kernels are compared in machines: testbed: {kind: vm}")
			return
		}
		r.kernel(n, &t.Machine)
		if l.Testbed != nil && l.Testbed.Kind == VM {
			r.wrong(n, "a level of the testbed says which kernel it has itself: leave one of the factors out, kernel or testbed")
		}
		l.Testbed = &t
	}).means("what a testbed of kind `vm` boots, a machine for each", "").
		varies(variation{levels: "[{debian: 6.1}, {debian: 6.12}, {image: mine.qcow2}]"})
}

// firstMachine has a plan of which each level has a machine begin with the first, and
// with none that nothing is measured in.
func (p *Plan) firstMachine() {
	if p.Testbed.Kind == VM && len(p.Levels) > 0 && p.Levels[0].Testbed != nil {
		p.Testbed = *p.Levels[0].Testbed
	}
}

// IsCommanded reports whether the DUT is at a host of its own, and takes commands there.
func (p Plan) IsCommanded() bool {
	return p.DUT.Host != "" || p.Testbed.Kind == VM && p.DUT.Platform != Opaque
}

// At is the name of a file that the plan names, relative to where the plan is.
func (p Plan) At(file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(p.Folder, file)
}
