package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// config is an audit of a machine for a plan with few flows.
func config(h *replayed) Config { return Config{Host: h, Flows: 8, Entries: 1 << 14} }

func look(t *testing.T, c Config) Report {
	t.Helper()
	r, err := Look(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every check finds something on a bad router, and nothing on a good one.
func TestEveryCheckFailsAndPasses(t *testing.T) {
	bad := look(t, config(replay(t, "bad-router")))
	good := look(t, Config{Host: replay(t, "good-router"), Flows: 1000, Entries: 2000})
	for _, r := range []Report{bad, good} {
		for _, u := range r.Unread {
			t.Errorf("not read: %s: %s", u.Check, u.Why)
		}
	}
	for _, c := range checks {
		if !slices.ContainsFunc(bad.Findings, func(f Finding) bool { return f.Check == c.name }) {
			t.Errorf("%s finds nothing on the bad router", c.name)
		}
		if !slices.Contains(good.Passed, c.name) {
			t.Errorf("%s does not pass on the good router", c.name)
		}
	}
	for _, f := range good.Findings {
		t.Errorf("on the good router: %+v", f)
	}
}

// What is said of the transcripts is in golden files.
func TestReports(t *testing.T) {
	for name, devices := range map[string][]string{"bad-router": nil, "good-router": nil, "virtual-machine": {"eth0"}} {
		t.Run(name, func(t *testing.T) {
			c := config(replay(t, name))
			c.Devices = devices
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetIndent("", "  ")
			e.SetEscapeHTML(false)
			if err := e.Encode(look(t, c)); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Each finding says what a reader needs, and each check has a name of its own.
func TestFindingsAreWhole(t *testing.T) {
	for _, f := range look(t, config(replay(t, "bad-router"))).Findings {
		if f.Where == "" || f.What == "" || f.Found == "" || f.Wanted == "" || f.Reason == "" || f.Source == "" {
			t.Errorf("something is missing: %+v", f)
		}
		if len(f.Remedy) == 0 && f.Advice == "" {
			t.Errorf("%s at %s: nothing is said of how to mend it", f.Check, f.Where)
		}
		if strings.HasSuffix(f.Reason, ".") || strings.Contains(f.Reason, ". ") {
			t.Errorf("%s: the reason is not one sentence without its full stop: %q", f.Check, f.Reason)
		}
	}
	seen := make(map[string]bool)
	for _, c := range Checks() {
		if seen[c.Name] || c.What == "" || c.Source == "" {
			t.Errorf("check %q is there twice, or has no words", c.Name)
		}
		seen[c.Name] = true
	}
}

func TestSeverities(t *testing.T) {
	const (
		rules  = "$ nft -s list ruleset"
		rpTree = "$ sh -c grep -sH . /proc/sys/net/ipv4/conf/*/rp_filter || true"
	)
	quiet := Config{}
	for _, c := range []struct {
		name, check  string
		change       func(*replayed) *replayed
		config       Config
		want         Severity // "": it passes
		where, found string
	}{
		{"rx pause alone", "flow-control", func(r *replayed) *replayed {
			return r.with("$ ethtool -a eth1", "Autonegotiate:\toff\nRX:\t\ton\nTX:\t\toff\n")
		}, quiet, Spoils, "eth1", "autoneg off rx on tx off"},
		{"a port that is down", "link", func(r *replayed) *replayed {
			return r.with("$ ip -d -j link show", `[{"ifname":"eth1","flags":["BROADCAST"],"mtu":1500,"link_type":"ether"}]`)
		}, quiet, Spoils, "eth1", "down"},
		{"no carrier", "link", func(r *replayed) *replayed { return r.with("$ ethtool eth2", "\tLink detected: no\n") }, quiet, Spoils, "eth2", "no carrier"},
		{"a speed that nobody knows", "link", func(r *replayed) *replayed {
			return r.with("$ ethtool eth2", "\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n\tLink detected: yes\n")
		}, quiet, "", "", ""},
		{"all MTUs small", "mtu", func(r *replayed) *replayed {
			return r.with("$ ip -d -j link show", `[{"ifname":"eth1","flags":["UP"],"mtu":1400,"link_type":"ether"}]`)
		}, quiet, Doubtful, "eth1", "1400"},
		{"jumbo frames everywhere", "mtu", func(r *replayed) *replayed {
			return r.with("$ ip -d -j link show", `[{"ifname":"eth1","flags":["UP"],"mtu":9000,"link_type":"ether"},{"ifname":"eth2","flags":["UP"],"mtu":9000,"link_type":"ether"}]`)
		}, quiet, "", "", ""},
		{"LRO that is fixed", "lro", func(r *replayed) *replayed { return r.with("$ ethtool -k eth2", "large-receive-offload: on [fixed]\n") }, quiet, Spoils, "eth2", "on"},
		{"LRO at a tester", "lro", func(r *replayed) *replayed { return r.with("$ ethtool -k eth2", "large-receive-offload: on\n") }, Config{Role: Tester}, "", "", ""},
		{"one queue", "queues", func(r *replayed) *replayed {
			return r.with("$ ethtool -l eth1", "Pre-set maximums:\nCombined:\t8\nCurrent hardware settings:\nCombined:\t1\n")
		}, quiet, Doubtful, "eth1", "1"},
		{"half of the queues", "queues", func(r *replayed) *replayed {
			return r.with("$ ethtool -l eth1", "Pre-set maximums:\nRX:\t2\nCurrent hardware settings:\nRX:\t2\n")
		}, quiet, Note, "eth1", "2"},
		{"fewer flows than queues", "flows", nil, Config{Flows: 3}, Spoils, "plan", "3, fewer than the 4 queues"},
		{"few flows", "flows", nil, Config{Flows: 100}, Doubtful, "plan", "100 over 4 queues, whose shares differ by about 20 %"},
		{"flows enough", "flows", nil, Config{Flows: 400}, "", "", ""},
		{"a kernel that idles lightly", "idle", func(r *replayed) *replayed {
			dir := "/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*/"
			return r.with("$ sh -c grep -sH . "+dir+"name "+dir+"latency "+dir+"disable || true", "/sys/devices/system/cpu/cpu0/cpuidle/state1/name:C1E\n/sys/devices/system/cpu/cpu0/cpuidle/state1/latency:10\n/sys/devices/system/cpu/cpu0/cpuidle/state1/disable:0\n")
		}, quiet, "", "", ""},
		{"another boost", "turbo", func(r *replayed) *replayed {
			return r.without("/sys/devices/system/cpu/intel_pstate/no_turbo").with("/sys/devices/system/cpu/cpufreq/boost", "1\n")
		}, quiet, Note, machine, "on"},
		{"the clock of a virtual machine", "clock", func(r *replayed) *replayed {
			return r.with("/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n")
		}, quiet, "", "", ""},
		{"room for the plan, and tracking", "conntrack", func(r *replayed) *replayed {
			return r.with(rules, hook("inet", "hook forward", "ct state new accept"))
		}, Config{Entries: 262144}, "", "", ""},
		{"no room for the plan", "conntrack", func(r *replayed) *replayed {
			return r.with(rules, hook("inet", "hook forward", "ct state new accept"))
		}, Config{Entries: 262145}, Spoils, machine, "room for 262144, and the plan makes 262145"},
		{"no room, and no tracking", "conntrack", nil, Config{Entries: 1 << 20}, "", "", ""},
		{"tracking without rules", "conntrack", func(r *replayed) *replayed { return r.with("/proc/sys/net/netfilter/nf_conntrack_count", "5\n") },
			quiet, Doubtful, machine, "5 connections, though there are no rules that need them"},
		{"a delay", "shaper", func(r *replayed) *replayed {
			return r.with("$ tc -j qdisc show dev eth1", `[{"kind":"netem","root":true}]`)
		}, quiet, Spoils, "eth1", "netem"},
		{"a fair queue", "shaper", func(r *replayed) *replayed {
			return r.with("$ tc -j qdisc show dev eth1", `[{"kind":"mq"},{"kind":"fq_codel"},{"kind":"fq_codel"}]`)
		}, quiet, Note, "eth1", "fq_codel"},
		{"a strict filter at one port", "rp-filter", func(r *replayed) *replayed {
			return r.with(rpTree, "/proc/sys/net/ipv4/conf/all/rp_filter:0\n/proc/sys/net/ipv4/conf/eth2/rp_filter:1\n")
		}, quiet, Spoils, "eth2", "strict"},
		{"a filter at another port", "rp-filter", func(r *replayed) *replayed {
			return r.with(rpTree, "/proc/sys/net/ipv4/conf/all/rp_filter:0\n/proc/sys/net/ipv4/conf/eth0/rp_filter:1\n")
		}, quiet, "", "", ""},
		{"a neighbour that nobody knows", "neighbours", func(r *replayed) *replayed {
			return r.with("$ ip -j neighbor show dev eth1", `[{"dst":"198.18.0.9","state":["INCOMPLETE"]}]`)
		}, quiet, Doubtful, "eth1", "incomplete"},
		{"multicast needs none", "neighbours", func(r *replayed) *replayed {
			return r.with("$ ip -j neighbor show dev eth1", `[{"dst":"ff02::16","lladdr":"33:33:00:00:00:16","state":["NOARP"]}]`)
		}, quiet, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := replay(t, "good-router")
			if c.change != nil {
				h = c.change(h)
			}
			c.config.Host, c.config.Only = h, []string{c.check}
			r := look(t, c.config)
			if len(r.Unread) > 0 {
				t.Fatalf("not read: %v", r.Unread)
			}
			if c.want == "" {
				if len(r.Findings) > 0 {
					t.Errorf("found %+v", r.Findings)
				}
				return
			}
			if len(r.Findings) != 1 {
				t.Fatalf("%d findings: %+v", len(r.Findings), r.Findings)
			}
			f := r.Findings[0]
			if f.Severity != c.want || f.Where != c.where || f.Found != c.found {
				t.Errorf("got %s, %q, %q", f.Severity, f.Where, f.Found)
			}
		})
	}
}

// What cannot be read is said, and is neither fine nor a finding.
func TestUnread(t *testing.T) {
	for _, c := range []struct{ check, name, text string }{
		{"flow-control", "$ ethtool -a eth1", "! exec: \"ethtool\": executable file not found in $PATH"},
		{"firewall", "$ nft -s list ruleset", "! Operation not permitted (you must be root)"},
		{"kernel-debug", "", ""},
		{"load", "", ""},
		{"governor", "", ""},
		{"idle", "", ""},
		{"mitigations", "", ""},
		{"rp-filter", "", ""},
		{"clock", "/sys/devices/system/clocksource/clocksource0/current_clocksource", "! permission denied"},
		{"budget", "/proc/sys/net/core/netdev_budget", "many\n"},
		{"shaper", "$ tc -j qdisc show dev eth2", "{"},
	} {
		h := replay(t, "good-router")
		if c.name == "" {
			for name := range h.says {
				if strings.HasPrefix(name, "$ sh") {
					h.with(name, "")
				}
			}
		} else {
			h.with(c.name, c.text)
		}
		r := look(t, Config{Host: h, Only: []string{c.check}})
		if len(r.Unread) != 1 || len(r.Absent) > 0 || len(r.Passed) > 0 || len(r.Findings) > 0 {
			t.Errorf("%s: %+v", c.check, r)
		}
	}
	r := look(t, Config{Host: replay(t, "good-router").without("/proc/sys/net/core/bpf_jit_enable"), Only: []string{"bpf-jit"}})
	if len(r.Unread) != 1 || !strings.Contains(r.Unread[0].Why, "network namespace") {
		t.Errorf("%+v", r)
	}
}

// What there is none of is neither fine nor a finding.
func TestAbsent(t *testing.T) {
	h := replay(t, "good-router").with("$ ip -d -j link show", `[{"ifname":"lo","link_type":"loopback"}]`)
	want := []string{"flow-control", "link", "mtu", "bus", "lro", "udp-gro", "gro", "rings", "queues", "flows", "irqs", "numa",
		"xdp", "shaper", "forwarding", "ipv6-forwarding", "rp-filter", "neighbours", "stp", "fdb"}
	r := look(t, Config{Host: h})
	if diff := cmp.Diff(want, r.Absent); diff != "" || len(r.Findings)+len(r.Unread) > 0 {
		t.Errorf("%s %+v", diff, r)
	}
}

func TestDevices(t *testing.T) {
	const links = "$ ip -d -j link show"
	port := func(name, kind, master string) string {
		return `{"ifname":"` + name + `","flags":["UP"],"mtu":1500,"link_type":"ether","master":"` + master + `","linkinfo":{"info_kind":"` + kind + `"}}`
	}
	for _, c := range []struct {
		name, links, routes string
		asked, want, guard  []string
		err                 string
	}{
		{"hardware without a default route", port("eth0", "", "") + "," + port("eth1", "", "") + "," + port("va", "veth", ""), `[{"dst":"default","dev":"eth0"}]`, nil, []string{"eth1"}, []string{"eth0"}, ""},
		{"a namespace", port("va", "veth", "") + "," + port("vb", "veth", ""), "", nil, []string{"va", "vb"}, []string{}, ""},
		{"a bridge with a default route", port("eth0", "", "br0") + "," + port("br0", "bridge", "") + "," + port("eth1", "", ""), `[{"dst":"default","dev":"br0"}]`, nil, []string{"eth1"}, []string{"br0", "eth0"}, ""},
		{"two ways out", port("eth0", "", "") + "," + port("eth1", "", ""), `[{"dst":"128.0.0.0/1","nexthops":[{"dev":"eth0"},{"dev":"eth1"}]}]`, nil, []string{}, []string{"eth0", "eth1"}, ""},
		{"routes that lead nowhere else", port("eth0", "", "") + "," + port("eth1", "", ""), `[{"dst":"198.18.0.0/24","dev":"eth0"},{"type":"local","dst":"8.8.8.8","dev":"eth1"},{"type":"unreachable","dst":"default"}]`, nil, []string{"eth0", "eth1"}, []string{}, ""},
		{"the one that is asked for, once", port("eth0", "", "") + "," + port("eth1", "", ""), `[{"dst":"default","dev":"eth0"}]`, []string{"eth0", "eth0"}, []string{"eth0"}, []string{"eth0"}, ""},
		{"one that is not there", port("eth0", "", ""), "[]", []string{"eth7"}, nil, nil, `there is no device "eth7"; there are eth0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := replay(t, "good-router").with(links, "["+c.links+"]").with("$ ip -4 -j route show table all", c.routes)
			r, err := Look(t.Context(), Config{Host: h, Devices: c.asked, Only: []string{"clock"}})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, r.Devices) + cmp.Diff(c.guard, r.Guarded); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIRQNames(t *testing.T) {
	for _, c := range []struct {
		name, device, parent string
		want                 bool
	}{
		{"i40e-eth1-TxRx-0", "eth1", "", true},
		{"eth1-rx-0", "eth1", "", true},
		{"eth10-rx-0", "eth1", "", false},
		{"virtio2-input.0", "eth0", "virtio2", true},
		{"virtio2-config", "eth0", "virtio2", false},
		{"mlx5_comp3@pci:0000:04:00.0", "ens1", "0000:04:00.0", true},
		{"mlx5_async0@pci:0000:04:00.0", "ens1", "0000:04:00.0", false},
		{"eth1", "eth1", "", false},
		{"nvme0q1", "eth1", "", false},
	} {
		if got := queueName.MatchString(c.name) && (names(c.name, c.device) || names(c.name, c.parent)); got != c.want {
			t.Errorf("%s of %s: %v", c.name, c.device, got)
		}
	}
}
