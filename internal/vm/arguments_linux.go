package vm

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"weir/internal/infile"
)

// program is the QEMU that runs machines.
const program = "qemu-system-x86_64"

// model is the CPU that a machine has: all that can be done.
var model = map[string]string{"kvm": "host", "tcg": "max"}

// arguments are those of QEMU, which is given all that it works with, and opens nothing:
// neither a guest that has got into it nor an image leads it to other files.
func (m *Machine) arguments(h *handed) ([]string, error) {
	c := m.config
	var err error
	if m.console, err = openConsole(c.Log); err != nil {
		return nil, err
	}
	console, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", m.console.Fd()), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	out := []string{program, "-name", quoted(c.Name), "-machine", "q35,accel=" + m.accel, "-cpu", model[m.accel],
		"-smp", strconv.Itoa(c.CPUs), "-m", strconv.Itoa(c.Memory),
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
		"-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
		"-add-fd", h.set(console, consoleSet), "-chardev", "file,id=console,append=on,path=" + setPath(consoleSet), "-serial", "chardev:console"}
	names := []string{"qmp"}
	if !c.Silent {
		names = append(names, serialPorts()...)
	}
	for _, name := range names { // the stream has the name of its file
		socket, err := listen(m.socket(name))
		if err != nil {
			return nil, err
		}
		out = append(out, "-chardev", fmt.Sprintf("socket,id=%s,fd=%d,server=on,wait=off", chardev(name), h.add(socket)))
	}
	out = append(out, "-mon", "mode=control,chardev="+chardev("qmp"))
	if !c.Silent {
		out = append(out, "-device", "virtio-serial-pci,max_ports=16")
		for _, name := range serialPorts() {
			out = append(out, "-device", fmt.Sprintf("virtserialport,chardev=%s,name=weir.%s", chardev(name), name))
		}
	}
	cards, err := m.cards(h)
	if err != nil {
		return nil, err
	}
	boot, err := c.System.boot(h)
	return append(append(out, cards...), boot...), err
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
func (s System) boot(h *handed) ([]string, error) {
	if s.Image == "" {
		kernel, err := h.copy(s.Kernel)
		if err != nil {
			return nil, err
		}
		initramfs, err := h.copy(s.Initramfs)
		return []string{"-kernel", kernel, "-initrd", initramfs, "-append", strings.TrimSpace("console=ttyS0 quiet panic=-1 net.ifnames=0 " + s.Append)}, err
	}
	image, err := infile.OpenDisk(s.Image)
	if err != nil {
		return nil, err
	}
	given := h.set(image, imageSet)
	format, err := formatOf(image)
	if err != nil {
		return nil, err
	}
	driver := "file"
	if is, err := image.Stat(); err == nil && is.Mode().Type() == os.ModeDevice { // QEMU sees no more than a number
		driver = "host_device"
	}
	return []string{"-add-fd", given, "-drive", fmt.Sprintf("file.driver=%s,file.filename=%s,format=%s,if=virtio,snapshot=on,werror=report,rerror=report", driver, setPath(imageSet), format)}, nil
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
