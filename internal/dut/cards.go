package dut

import (
	"context"
	"fmt"
	"strings"

	"weir"
)

// card says of what kind a port of the DUT is: its driver, what the system calls the card,
// and the link. What is not known is left out.
func card(port int, facts ...string) weir.Setting {
	var known []string
	for _, f := range facts {
		if f = strings.TrimSpace(f); f != "" {
			known = append(known, f)
		}
	}
	return weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d card", port), Value: strings.Join(known, ", ")}
}

// cards are those of a Linux, by what its drivers have in /sys. A virtual port has none.
func (linux) cards(ctx context.Context, d weir.DUT) (out []weir.Setting) {
	for i, port := range d.Ports {
		read := func(name string) string {
			text, _ := d.Host.ReadFile(ctx, "/sys/class/net/"+port.DUT+"/"+name) // not every driver has it
			return strings.TrimSpace(text)
		}
		facts := make(map[string]string)
		for line := range strings.Lines(read("device/uevent")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			facts[name] = value
		}
		if facts["DRIVER"] == "" {
			continue
		}
		pci, speed := facts["PCI_ID"], read("speed")
		if pci != "" {
			pci = "PCI " + pci
		}
		if speed = strings.TrimPrefix(speed, "-1"); speed != "" { // it is not known, as of virtio
			speed += " Mbit/s " + read("duplex")
		}
		out = append(out, card(i, facts["DRIVER"], pci, speed))
	}
	return out
}

// bootMessages is where the three keep what their kernels said of the machine (dmesg(8); of
// NetBSD rc.conf(5)).
const bootMessages = "/var/run/dmesg.boot"

// cards are those of a BSD: the name of a port is that of its driver with a number, and the
// first line that begins with it is where the kernel has found the card.
func (p bsd) cards(ctx context.Context, d weir.DUT) (out []weir.Setting, err error) {
	all, err := p.ports(ctx, d.Host)
	if err != nil {
		return nil, err
	}
	for i, port := range d.Ports {
		found, err := d.Host.Run(ctx, "", "sh", "-c", `grep "^$1[: ]" "$2" | head -n 1`, "sh", port.DUT, bootMessages)
		if err != nil {
			return nil, fmt.Errorf("ask what %s is: %w", port.DUT, err)
		}
		what := strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(found), port.DUT), ": ")
		if name, _, ok := strings.Cut(strings.TrimPrefix(what, "<"), ">"); ok { // FreeBSD goes on with where it is
			what = name
		}
		for _, own := range all {
			if own.Name == port.DUT {
				out = append(out, card(i, strings.TrimRight(own.Name, "0123456789"), what, own.media, own.mtu))
			}
		}
	}
	return out, nil
}
