package netif

import (
	"os"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"weir/internal/testenv"
)

// A port has the address of the card that it is of, below which a virtual machine has
// another device, and not that of the bridges before it.
func TestOnPCI(t *testing.T) {
	for device, want := range map[string]string{
		"/sys/devices/pci0000:00/0000:00:03.0/virtio2":           "0000:00:03.0",
		"/sys/devices/pci0000:00/0000:00:01.0/0000:03:00.1":      "0000:03:00.1",
		"/sys/devices/pci10000:e0/10000:e0:06.0/10000:E1:00.0":   "10000:e1:00.0",
		"/sys/devices/platform/40000000.virtio_mmio/virtio2":     "",
		"/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/": "0000:00:14.0",
		"0000:03:00.1": "0000:03:00.1", "eth1": "", "02:00:00:00:00:01": "",
	} {
		if got := onPCI(device); got != want {
			t.Errorf("%s: %q, want %q", device, got, want)
		}
	}
}

// What a tester cannot have, as something else is behind it.
func TestInUse(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	const port = "link add t0 type veth peer name t1; address add 198.51.100.2/24 dev t0; address add 2001:db8::2/64 dev t0 nodad; "
	for _, c := range []struct{ name, here, port, want string }{
		{"a port", port, "t0", ""},
		{"a bridge", port + "link add br0 type bridge", "br0", "is a bridge, and no port that a cable is in"},
		{"a macvlan", port + "link add mv0 link t0 type macvlan", "mv0", "is a macvlan, and no port"},
		{"a port of a bridge", port + "link add br0 type bridge; link set t0 master br0", "t0", "is a port of the bridge br0"},
		{"below a macvlan", port + "link add mv0 link t0 type macvlan", "t0", "has the macvlan mv0 above it"},
		{"a rule for what comes in", port + "rule add iif t0 lookup 100", "t0", "has a policy route"},
		{"a rule for its address", port + "rule add from 198.51.100.2 lookup 100", "t0", "has a policy route"},
		{"a rule for its network", port + "-6 rule add from 2001:db8::/32 lookup 100", "t0", "has a policy route"},
		{"a rule for another one", port + "rule add from 192.0.2.1 lookup 100", "t0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, _ := linked(t, false)
			ip(t, here, c.here)
			var got string
			do(t, here, func() (err error) { got, err = InUse(c.port); return err })
			if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// What is above a port may be in the namespace of a container.
func TestInUseElsewhere(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	here, there := linked(t, false)
	ip(t, here, "link add t0 type veth peer name t1; link add mv0 link t0 type macvlan")
	do(t, here, func() error {
		l, err := netlink.LinkByName("mv0")
		if err == nil {
			err = netlink.LinkSetNsFd(l, there.FD())
		}
		return err
	})
	do(t, there, func() error { // a process of it, by which it is found
		got := ""
		err := here.Do(func() (err error) { got, err = InUse("t0"); return err })
		if !strings.HasPrefix(got, "has the macvlan mv0 above it, in the network namespace /proc/") {
			t.Errorf("%q", got)
		}
		return err
	})
	if err := os.MkdirAll(namedDir, 0o755); err != nil {
		t.Fatal(err)
	}
	gone, err := os.CreateTemp(namedDir, "weir-test-") // a name without a namespace
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	defer os.Remove(gone.Name())
	do(t, here, func() error {
		got, err := InUse("t1")
		if got != "" {
			t.Errorf("nothing is above its other end: %q", got)
		}
		return err
	})
}
