package vm

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// program is the QEMU that runs machines.
const program = "qemu-system-x86_64"

// model is the CPU that a machine has: all that can be done.
var model = map[string]string{"kvm": "host", "tcg": "max"}

// firstFile is the number of the first file that QEMU is given.
const firstFile = 3

// arguments are those of QEMU.
func (m *Machine) arguments() ([]string, error) {
	c := m.config
	out := []string{program, "-name", quoted(c.Name), "-machine", "q35,accel=" + m.accel, "-cpu", model[m.accel],
		"-smp", strconv.Itoa(c.CPUs), "-m", strconv.Itoa(c.Memory),
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
		"-chardev", "file,id=console,path=" + quoted(c.Log), "-serial", "chardev:console"}
	socket := func(name string) { // id and file have the same name
		out = append(out, "-chardev", fmt.Sprintf("socket,id=%s,path=%s,server=on,wait=off", chardev(name), quoted(m.socket(name))))
	}
	socket("qmp")
	out = append(out, "-mon", "mode=control,chardev="+chardev("qmp"))
	if !c.Silent {
		out = append(out, "-device", "virtio-serial-pci,max_ports=16")
		for _, name := range serialPorts() {
			socket(name)
			out = append(out, "-device", fmt.Sprintf("virtserialport,chardev=%s,name=weir.%s", chardev(name), name))
		}
	}
	boot, err := c.System.boot()
	return append(append(out, m.cards()...), boot...), err
}

// chardev is the name of a stream in QEMU's options, which begins with a letter.
func chardev(name string) string { return "c" + name }

// serialPorts are the names of a machine's ports of virtio-serial, after "weir.".
func serialPorts() []string {
	out := []string{"alive"}
	for n := range shells {
		out = append(out, strconv.Itoa(n), strconv.Itoa(n)+".err")
	}
	return out
}

// boot are the options that say what is booted. An image stays as it is: what the
// machine writes goes to a file without a name.
func (s System) boot() ([]string, error) {
	if s.Image == "" {
		return []string{"-kernel", s.Kernel, "-initrd", s.Initramfs, "-append", strings.TrimSpace("console=ttyS0 quiet panic=-1 net.ifnames=0 " + s.Append)}, nil
	}
	format, err := formatOf(s.Image)
	return []string{"-drive", fmt.Sprintf("file=%s,format=%s,if=virtio,snapshot=on,werror=report,rerror=report", quoted(s.Image), format)}, err
}

// formats are those of images, by how they begin.
var formats = []struct{ begin, name string }{
	{"QFI\xfb", "qcow2"}, {"KDMV", "vmdk"}, {"# Disk DescriptorFile", "vmdk"}, {"<<< ", "vdi"}, {"vhdxfile", "vhdx"},
}

// formatOf is the format of an image.
func formatOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	begin, err := io.ReadAll(io.LimitReader(f, 64))
	for _, known := range formats {
		if bytes.HasPrefix(begin, []byte(known.begin)) {
			return known.name, err
		}
	}
	return "raw", err
}

// usable reports whether a device can be opened.
func usable(device string) bool {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
