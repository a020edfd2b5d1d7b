package netif

import (
	"os/exec"
	"strings"
	"testing"

	"weir/internal/testenv"
	"weir/internal/uplink"
)

// The ways out that were found by trying: the kinds of devices that kernels here
// may lack (VLAN, bond, VRF) are in uplink's own table.
func TestUplink(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	const (
		lan  = "link add wan0 type veth peer name wan1; link set wan0 up; link set wan1 up; address add 203.0.113.2/24 dev wan0; "
		port = "link add t0 type veth peer name t1; link set t0 up; link set t1 up; "
		away = "route add default via 203.0.113.1 dev wan0; "
	)
	for _, c := range []struct {
		name, here, far, port, want string // want: ""; it does not lead out
	}{
		{"another port", lan + port + away, "", "t0", ""},
		{"the default route's", lan + away, "", "wan0", "carries this machine's default route"},
		{"one of IPv6", port + "address add 2001:db8::2/64 dev t0 nodad; route add default via 2001:db8::1 dev t0", "", "t0", "carries this machine's default route"},
		{"in another table by rule", lan + "route add default via 203.0.113.1 dev wan0 table 100; rule add from 192.0.2.1 lookup 100", "", "wan0", "carries this machine's default route"},
		{"two halves", lan + "route add 0.0.0.0/1 via 203.0.113.1; route add 128.0.0.0/1 via 203.0.113.1", "", "wan0", "carries this machine's route to 0.0.0.0/1"},
		{"one of two hops", lan + port + "address add 198.51.100.2/24 dev t0; route add default nexthop via 203.0.113.1 nexthop via 198.51.100.1", "", "t0", "carries this machine's default route"},
		{"by a next hop of its own", lan + "nexthop add id 7 via 203.0.113.1 dev wan0; route add default nhid 7", "", "wan0", "carries this machine's default route"},
		{"unreachable", lan + "route add unreachable default", "", "wan0", ""},
		{"a test network", lan + "route add 198.18.0.0/15 via 203.0.113.1", "", "wan0", ""},
		{"a macvlan above it", lan + away + "link add mv link wan0 type macvlan", "", "mv", "is joined with wan0 (mv - wan0), which carries this machine's default route"},
		{"below a macvlan that has it", port + "link add mv link t0 type macvlan; link set mv up; address add 203.0.113.2/24 dev mv; route add default via 203.0.113.1", "", "t0", "is joined with mv (t0 - mv), which"},
		{"a port of the bridge that has it", port + "link add br0 type bridge; link set br0 up; link set t0 master br0; address add 203.0.113.2/24 dev br0; route add default via 203.0.113.1", "", "t0", "is joined with br0 (t0 - br0), which"},
		{"the other end of that port", port + "link add br0 type bridge; link set br0 up; link set t0 master br0; address add 203.0.113.2/24 dev br0; route add default via 203.0.113.1", "", "t1", "is joined with br0 (t1 - t0 - br0), which"},
		{"a tunnel", lan + away + "link add vx type vxlan id 5 remote 203.0.113.9 dstport 4789", "", "vx", "leads to where weir cannot look"},
		{"into a bridge of another namespace", "",
			"link add br0 type bridge; link set br0 up; link set far0 master br0; address add 203.0.113.2/24 dev br0; route add default via 203.0.113.1", "near0", "is joined with br0 (near0 - far0 - br0), which"},
		{"to a router in another namespace", "",
			"address add 198.18.0.2/24 dev far0; route add default via 198.18.0.1", "near0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, far := linked(t, c.far != "")
			ip(t, here, c.here)
			ip(t, far, c.far)
			var why uplink.Reason
			var leads bool
			do(t, here, func() (err error) { why, leads, err = Uplink(c.port); return err })
			if leads != (c.want != "") || leads && !strings.HasPrefix(why.String(), c.want) {
				t.Errorf("%v: %s", leads, why)
			}
		})
	}
	here, _ := linked(t, false)
	if err := here.Do(func() error { _, _, err := Uplink("nosuch0"); return err }); err == nil || !strings.Contains(err.Error(), "nosuch0") {
		t.Errorf("a port that is not there: %v", err)
	}
}

// linked is two namespaces, joined by near0 and far0 where that is asked for.
func linked(t *testing.T, joined bool) (near, far *Namespace) {
	t.Helper()
	var both [2]*Namespace
	for i := range both {
		ns, err := NewNamespace()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(ns.Close)
		both[i] = ns
	}
	if joined {
		if err := Veth(End{both[0], "near0", nil}, End{both[1], "far0", nil}, 1, 1500); err != nil {
			t.Fatal(err)
		}
	}
	return both[0], both[1]
}

// ip runs commands of ip(8), which semicolons separate, in a namespace.
func ip(t *testing.T, ns *Namespace, commands string) {
	t.Helper()
	for command := range strings.SplitSeq(commands, ";") {
		if argv := strings.Fields(command); len(argv) > 0 {
			do(t, ns, func() error {
				if said, err := exec.Command("ip", argv...).CombinedOutput(); err != nil {
					t.Errorf("ip %s: %s", command, said)
					return err
				}
				return nil
			})
		}
	}
}
