package dut

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// leveled sets a system to a level and back, and returns what it was told.
func leveled(t *testing.T, h *documented, p bsd, d weir.DUT, s Setup, c weir.Condition) string {
	t.Helper()
	before := maps.Clone(h.values)
	if err := p.Cannot(t.Context(), d, s, c); err != nil {
		t.Fatalf("%s, %v: %v", p.name, c, err)
	}
	for _, line := range strings.Split(h.script(), "\n") {
		if line != "" && !strings.HasPrefix(line, "< ") && !strings.Contains(line, " -n ") && !strings.Contains(line, " validate ") {
			t.Errorf("%s: asking for %v has told %q", p.name, c, line)
		}
	}
	undo, err := p.Apply(t.Context(), d, s, c)
	if err != nil {
		t.Fatalf("%s, %v: %v", p.name, c, err)
	}
	text := h.script()
	if err := undo(t.Context()); err != nil {
		t.Fatalf("%s, %v: %v", p.name, c, err)
	}
	text += "# undone\n" + h.script()
	if diff := cmp.Diff(before, h.values); diff != "" {
		t.Errorf("%s is not as it was after %v (-want +got):\n%s", p.name, c, diff)
	}
	return text
}

func TestTuningsOfBSDs(t *testing.T) {
	values := map[string][]string{
		"freebsd": {"lro on", "lro off", "tso off", "polling on", "mtu 9000", "fastforward on", "netisr deferred", "entropy off", "entropy 351", "flow_control off", "sysctl net.inet.ip.redirect 0", "command"},
		"openbsd": {"lro on", "tso off", "mtu 9000", "sysctl net.inet.ip.redirect 0", "command"},
		"netbsd":  {"tso on", "mtu 9000", "fastforward off", "sysctl net.inet.ip.redirect 0", "command"},
	}
	for _, sys := range systems {
		text := fmt.Sprintf(told, sys.platform.name)
		seen := make(map[string]bool)
		for _, v := range values[sys.name] {
			at := strings.LastIndex(v, " ")
			tuning := weir.Tuning{Name: "command", Value: "do it", Undo: "take it back"}
			if at > 0 {
				tuning = weir.Tuning{Name: v[:at], Value: v[at+1:]}
			}
			first, _, _ := strings.Cut(tuning.Name, " ")
			seen[first] = true
			h := newDocumented(t, sys.name)
			d, s := routed(h, sys.ports)
			text += "\n# " + v + "\n" + leveled(t, h, sys.platform, d, s, weir.ConditionOf(tuning))
		}
		golden(t, filepath.Join("testdata", sys.name, "tunings.txt"), text)
		for _, one := range sys.platform.tunings {
			if !seen[one.name] && !strings.HasPrefix(one.values, "nothing on ") {
				t.Errorf("%s: %s is in no transcript", sys.name, one.name)
			}
		}
		// What Linux has and a BSD has not is refused with the reason.
		for _, info := range Tunings() {
			name, _, _ := strings.Cut(info.Name, " ")
			if seen[name] {
				continue
			}
			h := newDocumented(t, sys.name)
			d, s := routed(h, sys.ports)
			err := sys.platform.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: info.Name, Value: "1"}))
			if err == nil || !strings.Contains(err.Error(), "on "+sys.platform.name+" is not available here; ") {
				t.Errorf("%s: %s: %v", sys.name, info.Name, err)
			}
		}
	}
}

// A system refuses what it has no entry for, once.
func TestTableOfSystem(t *testing.T) {
	table := tableOf("OpenBSD", []tuning{bsdMTU}, "gro", "it has none")
	if len(table) != len(Tunings()) {
		t.Errorf("there are %d tunings, and %d in a table", len(Tunings()), len(table))
	}
	for name, want := range map[string]string{"gro": "it has none", "qdisc": "weir has no word for it there", "sysctl net.inet.ip.ttl": "weir has no word for it there"} {
		tuning := weir.Tuning{Name: name, Value: "1"}
		if err := table[find(table, tuning)].check(t.Context(), target{}, tuning); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if at := find(table, weir.Tuning{Name: "mtu"}); at != 0 {
		t.Errorf("its own mtu is at %d", at)
	}
}

func TestFirewallsOfBSDs(t *testing.T) {
	for _, sys := range systems {
		for _, program := range sys.platform.firewalls {
			text := fmt.Sprintf(told+"The rules were parsed by nothing.\n", sys.platform.name)
			for _, kind := range []weir.FirewallKind{weir.Stateless, weir.Stateful, weir.NAT} {
				c := weir.ConditionOf(weir.Firewall{Kind: kind, Rules: 2, With: program.name})
				h := newDocumented(t, sys.name)
				d, s := routed(h, sys.ports)
				if program.name == weir.IPFW && kind == weir.NAT { // which has none of IPv6
					if err := sys.platform.Cannot(t.Context(), d, s, c); err == nil || !strings.Contains(err.Error(), "nat of IPv6") {
						t.Errorf("nat of IPv6 with ipfw: %v", err)
					}
					for i := range s.Route {
						s.Route[i] = s.Route[i][:min(1, len(s.Route[i]))]
					}
				}
				text += fmt.Sprintf("\n# %v\n", c.Firewall()) + leveled(t, h, sys.platform, d, s, c)
			}
			golden(t, filepath.Join("testdata", sys.name, "firewall_"+program.name+".txt"), text)
		}
	}
}

// Rules of the user's are neither replaced nor turned on.
func TestFirewallsThatAreInUse(t *testing.T) {
	for _, c := range []struct {
		system           int
		with             string
		command, says    string
		second, saysthen string
		want             string
	}{
		{0, "pf", "pfctl -s rules", "block drop all\n", "", "", `before them in /etc/pf.conf`},
		{0, "pf", "pfctl -s rules", "anchor \"weir\" all\npass all\n", "pfctl -s nat", "nat-anchor \"weir\" all\n", "is off, and with it on they could cut weir off"},
		{1, "pf", "pfctl -s rules", "block return all\npass all flags S/SA\n", "", "", `put "anchor \"weir\"" before them`},
		{0, "pf", "pfctl -s info", "error: pfctl: /dev/pf: No such file or directory", "", "", "kldload pf"},
		{0, "ipfw", "ipfw -S list", "00005 set 0 deny ip from any to any\n", "", "", "give it another number and set"},
		{0, "ipfw", "ipfw -S list", "00100 set 30 allow ip from any to any\n", "", "", "give it another number and set"},
		{2, "npf", "npfctl show", "# filtering:\tactive\n# config:\tloaded\n", "", "", "npf is in use"},
		{2, "npf", "npfctl show", "error: npfctl: cannot open '/dev/npf'", "", "", "modload npf"},
		{2, "pf", "npfctl show", "", "", "", `there is no program "pf" for firewalls; there are: npf`},
	} {
		sys := systems[c.system]
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		h.says[c.command] = c.says
		if c.second != "" {
			h.says[c.second] = c.saysthen
		}
		err := sys.platform.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateless, With: c.with}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s says %q: %v", sys.name, c.command, c.says, err)
		}
	}
}

// A firewall whose last step fails leaves nothing.
func TestFirewallsOfBSDsFail(t *testing.T) {
	for _, c := range []struct {
		system     int
		with, fail string
	}{{0, "pf", "pfctl -e"}, {0, "ipfw", "/dev/stdin"}, {1, "pf", "-a weir -f -"}, {2, "npf", "npfctl start"}} {
		sys := systems[c.system]
		h := newDocumented(t, sys.name)
		h.fail = c.fail
		d, s := routed(h, sys.ports)
		before := maps.Clone(h.values)
		_, err := sys.platform.Apply(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, With: c.with}))
		if err == nil || !strings.Contains(err.Error(), "it failed") || strings.Contains(err.Error(), "left changed") {
			t.Errorf("%s: %v", sys.name, err)
		}
		if diff := cmp.Diff(before, h.values); diff != "" {
			t.Errorf("%s is not as it was (-want +got):\n%s", sys.name, diff)
		}
	}
}
