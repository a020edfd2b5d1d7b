package vm

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// VirtioNet is the card that a machine has unless it is to have another one.
const VirtioNet = "virtio-net-pci"

// NICs are the network cards that QEMU has for a machine, by its names for them.
var NICs = []string{VirtioNet, "e1000e", "igb", "vmxnet3"}

// Queues is how many queues the tap device behind a card has in a machine with so many
// CPUs. What is not virtio-net spreads frames over its queues by itself, or has one.
func Queues(nic string, cpus int) int {
	if cmp.Or(nic, VirtioNet) == VirtioNet {
		return cpus
	}
	return 1
}

// HasNIC says that the QEMU of this machine lacks a card; nil: it has it.
func HasNIC(ctx context.Context, nic string) error {
	if nic == "" || nic == VirtioNet {
		return nil
	}
	said, err := run(ctx, program, "-device", "help")
	if err == nil && !strings.Contains(said, `name "`+nic+`"`) {
		err = fmt.Errorf("the QEMU of this machine has no network card %s (QEMU has igb since 8.0): take a newer one, or another card (testbed: {nic: ...}): %s", nic,
			strings.Join(slices.DeleteFunc(slices.Clone(NICs), func(n string) bool { return n == nic }), ", "))
	}
	return err
}

// cards are the options for the network cards.
func (m *Machine) cards(h *handed) (out []string, err error) {
	nic := cmp.Or(m.config.NIC, VirtioNet)
	const vhostNet = "/dev/vhost-net"
	vhost := m.accel == "kvm" && nic == VirtioNet && usable(vhostNet)
	for i, p := range m.config.Ports {
		var files, helpers []string
		for _, tap := range p.Tap {
			files = append(files, strconv.Itoa(h.lend(tap)))
			if vhost {
				f, err := os.OpenFile(vhostNet, os.O_RDWR, 0)
				if err != nil {
					return nil, err
				}
				helpers = append(helpers, strconv.Itoa(h.add(f)))
			}
		}
		how := "vhost=off"
		if vhost {
			how = "vhost=on,vhostfds=" + strings.Join(helpers, ":")
		}
		device := fmt.Sprintf("%s,netdev=port%d,mac=%s,romfile=", nic, i, p.MAC)
		if nic == VirtioNet {
			device += ",rx_queue_size=1024"
			if n := len(p.Tap); n > 1 {
				// Without RSS: where QEMU spreads frames itself, a queue that is full has it stop to
				// read the tap device's for another one, and nothing makes it go on.
				device += fmt.Sprintf(",mq=on,vectors=%d", 2*n+2)
			}
			if m.config.MTU > 0 {
				device += fmt.Sprintf(",host_mtu=%d", m.config.MTU)
			}
		} else { // each at a slot of its own: two of igb at one bus get into each other's way
			out = append(out, "-device", fmt.Sprintf("pcie-root-port,id=slot%d,chassis=%d,slot=%d", i, i+1, i+1))
			device += fmt.Sprintf(",bus=slot%d", i)
		}
		out = append(out, "-netdev", fmt.Sprintf("tap,id=port%d,fds=%s,%s", i, strings.Join(files, ":"), how), "-device", device)
	}
	return out, nil
}
