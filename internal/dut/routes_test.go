package dut

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Routes carry weir's mark, by which one command removes them, also when some could not
// be added.
func TestRoutes(t *testing.T) {
	parts := []RoutePart{
		{"d1", netip.MustParseAddr("198.19.0.2"), []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("10.0.2.0/23")}},
		{"d3", netip.MustParseAddr("198.19.0.6"), []netip.Prefix{netip.MustParsePrefix("10.0.1.0/24")}},
	}
	r := &recorded{}
	d, s := router(r)
	undo, err := linux{}.Routes(t.Context(), d, s, parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	flush := "ip -4 route flush protocol 119"
	want := []string{
		"true",
		"ip -4 -batch - < route add 10.0.0.0/24 via 198.19.0.2 dev d1 protocol 119",
		"ip -4 -batch - < route add 10.0.2.0/23 via 198.19.0.2 dev d1 protocol 119",
		"ip -4 -batch - < route add 10.0.1.0/24 via 198.19.0.6 dev d3 protocol 119",
		flush,
	}
	if diff := cmp.Diff(want, r.told); diff != "" {
		t.Error(diff)
	}
	r = &recorded{fail: "-batch"}
	d, s = router(r)
	if _, err := (linux{}).Routes(t.Context(), d, s, parts); err == nil || r.told[len(r.told)-1] != flush {
		t.Errorf("%v, told %q", err, r.told)
	}
}

// A host says which system it has, which interfaces, and through which it sends.
func TestInterfaces(t *testing.T) {
	r := &recorded{says: map[string]string{
		"uname -s": "Linux\n",
		"ip -j -d address show": `[{"ifname":"lo","flags":["LOOPBACK","UP"],"address":"00:00:00:00:00:00","addr_info":[{"local":"127.0.0.1","prefixlen":8}]},
			{"ifname":"eth1","flags":["BROADCAST"],"address":"02:00:00:00:00:01","addr_info":[{"local":"192.0.2.1","prefixlen":24},{"local":"fe80::1","prefixlen":64}]}]`,
		"ip -j route get 192.0.2.9": `[{"dst":"192.0.2.9","dev":"eth1"}]`,
	}}
	name, p, err := Find(t.Context(), r)
	if err != nil || name != "linux" {
		t.Fatal(name, err)
	}
	all, err := p.Interfaces(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ports, err := PortsOf(r, all, []string{"eth1"})
	want := []Interface{{Name: "eth1", MAC: "02:00:00:00:00:01", Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24"), netip.MustParsePrefix("fe80::1/64")}}}
	if diff := cmp.Diff(want, ports, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := PortsOf(r, all, []string{"eth7"}); err == nil || !strings.Contains(err.Error(), "has no interface eth7; it has: lo, eth1") {
		t.Error(err)
	}
	if dev, err := p.Toward(t.Context(), r, netip.MustParseAddr("192.0.2.9")); dev != "eth1" || err != nil {
		t.Error(dev, err)
	}
	r.says["uname -s"] = "Plan9\n"
	if _, _, err := Find(t.Context(), r); err == nil || !strings.Contains(err.Error(), `its system is "Plan9" (uname -s), which weir cannot tell to forward; it can: `) {
		t.Error(err)
	}
}
