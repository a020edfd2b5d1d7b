package dut

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/settings"
)

const (
	demux = "/proc/sys/net/ipv4/ip_early_demux"
	rps   = "/sys/class/net/%s/queues/rx-0/rps_cpus"
)

// tunable is a router with what tunings read, and a card for its first port.
func tunable(r *recorded) (weir.DUT, Setup) {
	d, s := router(r)
	r.says = map[string]string{}
	for _, p := range []string{"d0", "d1"} {
		r.files[fmt.Sprintf(rps, p)] = "0\n"
		r.says["ethtool -k "+p] = "Features for " + p + ":\ngeneric-receive-offload: on\nlarge-receive-offload: off [fixed]\n" +
			"tcp-segmentation-offload: on\n\ttx-tcp-segmentation: off [fixed]\n\ttx-tcp6-segmentation: on\nreceive-hashing: on\n"
		r.says["ethtool -l "+p] = "Channel parameters:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nCombined:\t8\nCurrent hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nCombined:\t4\n"
		r.says["ethtool -g "+p] = "Ring parameters:\nPre-set maximums:\nRX:\t\t4096\nTX:\t\t4096\nCurrent hardware settings:\nRX:\t\t512\nTX:\t\t256\n"
		r.says["ethtool -a "+p] = "Pause parameters:\nAutonegotiate:\ton\nRX:\t\ton\nTX:\t\toff\n"
		r.says["ethtool -i "+p] = "driver: ixgbe\n"
		r.says["ip -json -details link show dev "+p] = `[{"mtu":1500,"min_mtu":68,"max_mtu":9216}]`
		r.says["ip -j link show dev "+p] = `[{"mtu":1500}]`
		r.says["tc -json qdisc show dev "+p] = `[{"kind":"mq","handle":"0:","root":true}]`
		r.says["ls /sys/class/net/"+p+"/device/msi_irqs"] = map[string]string{"d0": "40\n41\n", "d1": "42\n"}[p]
	}
	for _, irq := range []string{"40", "41", "42"} {
		r.files["/proc/irq/"+irq+"/smp_affinity_list"] = "0-3\n"
	}
	r.files["/proc/interrupts"] = " 40:  0  5  IR-PCI-MSI  d0-TxRx-0\n"
	r.files[demux] = "1\n"
	r.files[conntrackPath] = "262144\n"
	return d, s
}

// What each tuning tells the DUT, and what undoes it.
func TestTunings(t *testing.T) {
	for _, c := range []struct {
		tuning     weir.Tuning
		set, unset []string
	}{
		{weir.Tuning{Name: "gro", Value: "on"}, nil, nil},
		{weir.Tuning{Name: "rps", Value: "1,33"},
			[]string{"/sys/class/net/d0/queues/rx-0/rps_cpus = 00000002,00000002\n", "/sys/class/net/d1/queues/rx-0/rps_cpus = 00000002,00000002\n"},
			[]string{"/sys/class/net/d1/queues/rx-0/rps_cpus = 0\n", "/sys/class/net/d0/queues/rx-0/rps_cpus = 0\n"}},
		{weir.Tuning{Name: "queues", Value: "2"},
			[]string{"ethtool -L d0 combined 2", "ethtool -L d1 combined 2"}, []string{"ethtool -L d1 combined 4", "ethtool -L d0 combined 4"}},
		{weir.Tuning{Name: "ring", Value: "512"},
			[]string{"ethtool -G d0 rx 512 tx 512", "ethtool -G d1 rx 512 tx 512"}, []string{"ethtool -G d1 rx 512 tx 256", "ethtool -G d0 rx 512 tx 256"}},
		{weir.Tuning{Name: "ring", Value: "tx 1024"},
			[]string{"ethtool -G d0 rx 512 tx 1024", "ethtool -G d1 rx 512 tx 1024"}, []string{"ethtool -G d1 rx 512 tx 256", "ethtool -G d0 rx 512 tx 256"}},
		{weir.Tuning{Name: "flow_control", Value: "off"},
			[]string{"ethtool -A d0 autoneg off rx off tx off", "ethtool -A d1 autoneg off rx off tx off"},
			[]string{"ethtool -A d1 autoneg on rx on tx off", "ethtool -A d0 autoneg on rx on tx off"}},
		{weir.Tuning{Name: "irq", Value: "2"},
			[]string{"/proc/irq/40/smp_affinity_list = 2\n", "/proc/irq/41/smp_affinity_list = 2\n", "/proc/irq/42/smp_affinity_list = 2\n"},
			[]string{"/proc/irq/42/smp_affinity_list = 0-3\n", "/proc/irq/41/smp_affinity_list = 0-3\n", "/proc/irq/40/smp_affinity_list = 0-3\n"}},
		{weir.Tuning{Name: "mtu", Value: "9000"},
			[]string{"ip link set dev d0 mtu 9000", "ip link set dev d1 mtu 9000"}, []string{"ip link set dev d1 mtu 1500", "ip link set dev d0 mtu 1500"}},
		{weir.Tuning{Name: "qdisc", Value: "pfifo limit 100"},
			[]string{"tc qdisc replace dev d0 root pfifo limit 100", "tc qdisc replace dev d1 root pfifo limit 100"},
			[]string{"tc qdisc del dev d1 root", "tc qdisc del dev d0 root"}},
		{weir.Tuning{Name: "conntrack", Value: "1000"}, []string{conntrackPath + " = 1000\n"}, []string{conntrackPath + " = 262144\n"}},
		{weir.Tuning{Name: "sysctl net.ipv4.ip_early_demux", Value: "0"}, []string{demux + " = 0\n"}, []string{demux + " = 1\n"}},
		{weir.Tuning{Name: "sysctl net/ipv4/ip_early_demux", Value: "1"}, nil, nil},
		{weir.Tuning{Name: "command", Value: "do it", Undo: "take it back"}, []string{"env WEIR_PORT0=d0 WEIR_PORT1=d1 sh -c do it"}, []string{"env WEIR_PORT0=d0 WEIR_PORT1=d1 sh -c take it back"}},
	} {
		t.Run(c.tuning.String(), func(t *testing.T) {
			r := &recorded{}
			d, s := tunable(r)
			condition := weir.ConditionOf(c.tuning)
			if err := (linux{}).Cannot(t.Context(), d, s, condition); err != nil {
				t.Fatal(err)
			}
			if got := r.changes(); len(got) > 0 {
				t.Errorf("asking whether it can be set has told %q", got)
			}
			undo, err := linux{}.Apply(t.Context(), d, s, condition)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.set, r.changes()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if err := undo(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.unset, r.changes()); diff != "" {
				t.Errorf("undone (-want +got):\n%s", diff)
			}
			// So does another process, when the one that set it was killed.
			r.files["/proc/sys/kernel/random/boot_id"] = "a\n"
			path := filepath.Join(t.TempDir(), "journal.json")
			for range 2 {
				if s.Journal, err = settings.OpenJournal(path); err != nil {
					t.Fatal(err)
				}
				if _, err = (linux{}).Apply(t.Context(), d, s, condition); err != nil {
					t.Fatal(err)
				}
				r.changes()
				if s.Journal, err = settings.OpenJournal(path); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Journal.Restore(t.Context(), func(string) (weir.Host, error) { return r, nil }, func(string) {}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.unset, r.changes()); diff != "" {
					t.Errorf("restored (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// changes are what the host was told since the last call that was no question.
func (r *recorded) changes() []string {
	told := r.told
	r.told = nil
	told = slices.DeleteFunc(told, func(line string) bool {
		for _, question := range []string{"ethtool -k ", "ethtool -l ", "ethtool -g ", "ethtool -a ", "ethtool -i ", "ip -json ", "ip -j ", "nft list ", "tc -json ", "ls ", "test ", "unshare ", "sh -n "} {
			if strings.HasPrefix(line, question) {
				return true
			}
		}
		return false
	})
	if len(told) == 0 {
		return nil
	}
	return told
}

// everything is a condition of many steps.
func everything() weir.Condition {
	return weir.ConditionOf(weir.Firewall{Kind: weir.NAT, Rules: 2, With: weir.IPTables}, weir.Tuning{Name: "rps", Value: "1"}, weir.Tuning{Name: "queues", Value: "2"}, weir.Tuning{Name: "mtu", Value: "9000"}, weir.Tuning{Name: "qdisc", Value: "pfifo"}, weir.Tuning{Name: "sysctl net.ipv4.ip_early_demux", Value: "0"}, weir.Tuning{Name: "command", Value: "do it", Undo: "take it back"})
}

// failing is a host on which the n-th change fails, from 0 on.
type failing struct {
	*recorded
	left int
}

func (f *failing) due(line string) error {
	if probe := (&recorded{told: []string{line}}); len(probe.changes()) == 0 {
		return nil
	}
	f.left--
	if f.left == -1 {
		return errors.New("it failed")
	}
	return nil
}

func (f *failing) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	if err := f.due(strings.Join(argv, " ")); err != nil {
		return "", err
	}
	return f.recorded.Run(ctx, stdin, argv...)
}

func (f *failing) WriteFile(ctx context.Context, path, data string) error {
	if err := f.due(path + " = " + data); err != nil {
		return err
	}
	return f.recorded.WriteFile(ctx, path, data)
}

// Whichever step fails, those before it are undone, last first.
func TestApplyFails(t *testing.T) {
	whole := &recorded{}
	d, s := tunable(whole)
	undo, err := linux{}.Apply(t.Context(), d, s, everything())
	if err != nil {
		t.Fatal(err)
	}
	steps := len(blocks(whole.changes()))
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	backwards := blocks(whole.changes())
	if steps < 12 {
		t.Fatalf("there are %d steps", steps)
	}
	for n := range steps {
		r := &recorded{}
		d, s := tunable(r)
		d.Host = &failing{r, n}
		if _, err := (linux{}).Apply(t.Context(), d, s, everything()); err == nil || !strings.Contains(err.Error(), "it failed") || strings.Contains(err.Error(), "left changed") {
			t.Fatalf("step %d: %v", n, err)
		}
		got := blocks(r.changes())
		if len(got) < n {
			t.Fatalf("step %d: it ended after %q", n, got)
		}
		// What follows the steps before it is the end of what undoes all.
		undone := got[n:]
		if want := backwards[len(backwards)-len(undone):]; !slices.Equal(want, undone) {
			t.Errorf("step %d is followed by\n%s\nwant\n%s", n, strings.Join(undone, "\n"), strings.Join(want, "\n"))
		}
		if n > 0 && len(undone) == 0 {
			t.Errorf("step %d: nothing was undone", n)
		}
		if r.files[demux] != "1\n" {
			t.Errorf("step %d: a sysctl is left changed", n)
		}
	}
}

// blocks joins the lines of one standard input.
func blocks(told []string) []string {
	var out []string
	last := ""
	for _, line := range told {
		command, _, script := strings.Cut(line, " < ")
		if script && command == last && !strings.Contains(line, "*filter") {
			out[len(out)-1] += "\n" + line
			continue
		}
		last = ""
		if script {
			last = command
		}
		out = append(out, line)
	}
	return out
}

// What could not be undone is named, and the rest is undone all the same.
func TestUndoFails(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	undo, err := linux{}.Apply(t.Context(), d, s, everything())
	if err != nil {
		t.Fatal(err)
	}
	r.fail = "take it back"
	err = undo(t.Context())
	if err == nil || err.Error() != `command "do it" could not be undone by "take it back": it failed: the DUT is left changed` {
		t.Errorf("%v", err)
	}
	if r.files[demux] != "1\n" {
		t.Error("the rest was not undone")
	}
}

// Tunings say what they take.
func TestTuningInfo(t *testing.T) {
	for _, info := range Tunings() {
		if info.Name == "" || info.Takes == "" || info.Summary == "" {
			t.Errorf("%+v", info)
		}
		if _, err := tuningOf(append(slices.Clone(tunings), bsdTunings...), weir.Tuning{Name: info.Name}); err == nil || !strings.Contains(err.Error(), info.Takes) {
			t.Errorf("without a value: %v", err)
		}
	}
}

func TestCannot(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"gro", "perhaps", "it is on or off"},
		{"lro", "on", "its driver has it off for good"},
		{"queues", "9", "can have 8 at most"},
		{"queues", "none", "is no number from 1 on"},
		{"ring", "8192", "can have 4096 at most"},
		{"ring", "rx 4096 tx 8192", "can have 4096 at most (tx)"},
		{"ring", "rx", "is no number from 1 on"},
		{"ring", "rx many", "is no number from 1 on"},
		{"ring", "jumbo 100", "give one number, or some of rx and tx"},
		{"ring", "rx 100 tx", "give one number, or some of rx and tx"},
		{"mtu", "9300", "d0 takes 1280 to 9216"},
		{"rps", "1-", "is no list of CPUs"},
		{"rps", "4-1", "is no list of CPUs"},
		{"cpus", "1", "telling this DUT on how many CPUs"},
		{"sysctl", "1", "which sysctl?"},
		{"sysctl net.none", "1", "has no sysctl net.none"},
		{"conntrack", "0", "is no number"},
		{"entropy", "off", "there is no tuning"},
	} {
		r := &recorded{}
		d, s := tunable(r)
		err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: c.name, Value: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: it does not say %q: %v", c.name, c.value, c.want, err)
		}
	}
	// What belongs to the whole machine is left alone where others use it.
	r := &recorded{}
	d, s := tunable(r)
	s.Shared = true
	for _, tuning := range []weir.Tuning{{Name: "irq", Value: "1"}, {Name: "sysctl kernel.timer_migration", Value: "1"}} {
		err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(tuning))
		if err == nil || !strings.Contains(err.Error(), "of the whole machine, not of the DUT's namespace") {
			t.Errorf("%v: %v", tuning, err)
		}
	}
}

func TestSysctlPath(t *testing.T) {
	for name, want := range map[string]string{
		"net.ipv4.ip_forward":            "/proc/sys/net/ipv4/ip_forward",
		"net/ipv4/conf/eth0.7/rp_filter": "/proc/sys/net/ipv4/conf/eth0.7/rp_filter",
		"net.ipv4.conf.eth0/7.rp_filter": "/proc/sys/net/ipv4/conf/eth0.7/rp_filter",
		"net..ipv4":                      "",
		"net/../../etc/passwd":           "",
		"/etc/passwd":                    "",
		"":                               "",
	} {
		got, err := sysctlPath(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is at %q, %v; want %q", name, got, err, want)
		}
	}
}
