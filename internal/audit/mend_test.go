package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAsked(t *testing.T) {
	found := look(t, config(replay(t, "bad-router"))).Findings
	count := func(w Wish, check string) (asked, refused int) {
		a, r := w.Asked(found)
		for _, f := range a {
			if f.Check == check {
				asked += len(f.mends)
			}
		}
		for _, f := range r {
			if f.Check == check {
				refused++
			}
		}
		return asked, refused
	}
	for _, c := range []struct {
		name, check    string
		wish           Wish
		asked, refused int
	}{
		{"what spoils", "flow-control", Wish{}, 2, 0},
		{"what is doubtful", "clock", Wish{}, 1, 0},
		{"no notes", "gro", Wish{}, 0, 0},
		{"notes by name", "gro", Wish{Only: []string{"gro"}}, 6, 0},
		{"no firewall", "firewall", Wish{}, 0, 0},
		{"a firewall by name", "firewall", Wish{Only: []string{"gro", "firewall"}}, 1, 0},
		{"nothing but what is named", "flow-control", Wish{Only: []string{"gro"}}, 0, 0},
		{"a guarded port", "flow-control", Wish{Guarded: []string{"eth1"}}, 1, 1},
		{"also by name", "flow-control", Wish{Only: []string{"flow-control"}, Guarded: []string{"eth1"}}, 1, 1},
		{"the other port's interrupts", "irqs", Wish{Guarded: []string{"eth1"}}, 2, 1},
		{"what no command mends", "load", Wish{}, 0, 0},
	} {
		if asked, refused := count(c.wish, c.check); asked != c.asked || refused != c.refused {
			t.Errorf("%s: %d asked, %d refused", c.name, asked, refused)
		}
	}
}

// The effective check of other ports stays what it was when that of all is
// lowered.
func TestRPFilterSparesOthers(t *testing.T) {
	h := replay(t, "bad-router").with("$ ip -d -j link show", `[{"ifname":"eth1","link_type":"ether"},{"ifname":"eth0","link_type":"ether"}]`)
	var commands []string
	for _, f := range look(t, Config{Host: h, Only: []string{"rp-filter"}, Devices: []string{"eth1", "eth0"}}).Findings {
		if f.Where == "eth1" {
			commands = f.Remedy
		}
	}
	want := []string{"sysctl -w net.ipv4.conf.eth0.rp_filter=2", "sysctl -w net.ipv4.conf.eth2.rp_filter=2", "sysctl -w net.ipv4.conf.eth3.rp_filter=2",
		"sysctl -w net.ipv4.conf.lo.rp_filter=2", "sysctl -w net.ipv4.conf.all.rp_filter=0", "sysctl -w net.ipv4.conf.eth1.rp_filter=0"}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Error(diff)
	}
}
