package lab

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// settings is how everything at the lab's DUT is set that a tuning of this test
// changes.
func (l *pathLab) settings(t *testing.T) string {
	t.Helper()
	var all []string
	for _, p := range l.bed.DUT().Ports {
		all = append(all, l.asked(t, "tc", "qdisc", "show", "dev", p.DUT), l.asked(t, "ethtool", "-k", p.DUT),
			l.asked(t, "cat", "/sys/class/net/"+p.DUT+"/mtu", "/proc/sys/net/ipv4/ip_early_demux"))
		for q := range p.Queues {
			mask, err := l.bed.DUT().Host.ReadFile(t.Context(), "/sys/class/net/"+p.DUT+"/queues/rx-"+strconv.Itoa(q)+"/rps_cpus")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mask)
		}
		mtu, err := l.bed.TesterHost().ReadFile(t.Context(), "/sys/class/net/"+p.Tester+"/mtu")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mtu)
	}
	return strings.Join(all, "\n")
}

// The DUT forwards with every tuning that this lab can set, what it drops then
// is accounted for, and it is as before when the tuning is undone.
func TestTunings(t *testing.T) {
	testenv.NeedTool(t, "tc", "ethtool")
	l := openPathLab(t, 1)
	l.setup.CPUs = l.bed.CPUs().DUT
	traffic := l.plan.Traffic[0]
	cpu := strconv.Itoa(l.bed.CPUs().DUT[0])
	for _, c := range []struct {
		tuning weir.Tuning
		same   bool // nothing can be seen of it
	}{
		{weir.Tuning{Name: "gro", Value: "on"}, true},
		{weir.Tuning{Name: "gro", Value: "off"}, false},
		{weir.Tuning{Name: "lro", Value: "off"}, true},
		{weir.Tuning{Name: "rps", Value: cpu}, false},
		{weir.Tuning{Name: "rps", Value: "off"}, true},
		{weir.Tuning{Name: "mtu", Value: "1400"}, false},
		{weir.Tuning{Name: "mtu", Value: "9000"}, false},
		{weir.Tuning{Name: "qdisc", Value: "pfifo limit 10"}, false},
		{weir.Tuning{Name: "qdisc", Value: "noqueue"}, false},
		{weir.Tuning{Name: "cpus", Value: "1"}, true},
		{weir.Tuning{Name: "sysctl net.ipv4.ip_early_demux", Value: "0"}, false},
		{weir.Tuning{Name: "command", Value: "sysctl -w net.ipv4.ip_early_demux=0", Undo: "sysctl -w net.ipv4.ip_early_demux=1"}, false},
	} {
		t.Run(c.tuning.String(), func(t *testing.T) {
			before := l.settings(t)
			back := l.level(t, weir.ConditionOf(c.tuning))
			if now := l.settings(t); (now == before) != c.same {
				t.Errorf("it is set to\n%s", now)
			}
			if r := l.trial(t, traffic, nil); r.Received == 0 || r.Received+dropped(r, "") != r.Offered {
				t.Errorf("%+v", r.Ledger)
			}
			r := l.trial(t, traffic, overloaded)
			if r.Received == 0 || r.Ledger.Unexplained != 0 {
				t.Errorf("overloaded: %+v", r.Ledger)
			}
			back()
			if after := l.settings(t); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// What this lab cannot set is refused before anything is changed, with what to
// do.
func TestCannotTune(t *testing.T) {
	testenv.NeedTool(t, "tc", "ethtool", "nft", "conntrack")
	l := openPathLab(t, 1)
	l.setup.CPUs = l.bed.CPUs().DUT
	before := l.settings(t)
	tuning := func(name, value string) weir.Condition {
		return weir.ConditionOf(weir.Tuning{Name: name, Value: value})
	}
	for _, c := range []struct {
		condition weir.Condition
		want      string
	}{
		{weir.ConditionOf(weir.PathXDP, weir.Tuning{Name: "gro", Value: "off"}), "takes frames before GRO would see them"},
		{tuning("lro", "on"), "its driver has it off for good"},
		{tuning("tso", "on"), "tso on at port 0"},
		{tuning("rps", "4000"), "CPU 4000 is not one of the DUT's"},
		{tuning("queues", "1"), "an end of a virtual link"},
		{tuning("ring", "512"), "setting the rings of port 0 is not available here"},
		{tuning("irq", strconv.Itoa(l.bed.CPUs().DUT[0])), "no card that has its own"},
		{tuning("flow_control", "off"), "flow control at port 0 is not available here"},
		{tuning("mtu", "70000"), "as it is used here"},
		{tuning("mtu", "100"), "IPv6 takes 1280 at least"},
		{tuning("qdisc", "no_such_kind"), "take another kind, or a kernel that has it"},
		{tuning("cpus", "1000"), "take fewer"},
		{tuning("conntrack", "1000"), "of the whole machine, not of the DUT's namespace"},
		{tuning("sysctl kernel.threads-max", "1"), "sysctl kernel.threads-max is one of the whole machine"},
		{tuning("sysctl net.core.netdev_budget", "1"), "or it is one of the whole machine"},
		{tuning("sysctl net.netfilter.nf_conntrack_buckets", "1"), "can only be read"},
		{tuning("sysctl net.no.such", "1"), "has no sysctl net.no.such"},
		{tuning("sysctl net/../../etc", "1"), "is no name of a sysctl"},
		{tuning("entropy", "off"), `there is no tuning "entropy"; there are: gro,`},
		{tuning("command", "true"), "no command that undoes it"},
		{weir.ConditionOf(weir.Tuning{Name: "command", Value: "if", Undo: "true"}), "is no command line"},
		{weir.ConditionOf(weir.Firewall{Kind: "deep"}), "there is no such kind"},
		{weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, With: "pf"}), `there is no program "pf"`},
		{weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, Rules: -1}), "it can be 0 to"},
		{weir.ConditionOf(weir.PathXDP, weir.Firewall{Kind: weir.Stateful}), "before the firewall sees it"},
		{weir.Condition{weir.Tuning{Name: "cpus", Value: "1"}, weir.Tuning{Name: "rps", Value: "off"}, weir.Tuning{Name: "cpus", Value: "1"}}, "cpus is set twice"},
		{weir.ConditionOf(weir.Softirq, weir.Tuning{Name: "cpus", Value: "1"}), "no threads to be bound"},
	} {
		if err := l.cannot(t.Context(), c.condition); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: it does not say %q: %v", c.condition, c.want, err)
		}
	}
	if after := l.settings(t); after != before {
		t.Errorf("asking has changed\n%s\ninto\n%s", before, after)
	}
	// A command that cannot be undone says what is left changed.
	undo, err := l.setLevels(t.Context(), weir.ConditionOf(weir.Tuning{Name: "command", Value: "true", Undo: "echo why >&2; false"}))
	if err != nil {
		t.Fatal(err)
	}
	err = undo(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), `command "true" could not be undone by "echo why >&2; false": `) ||
		!strings.Contains(err.Error(), "why") || !strings.HasSuffix(err.Error(), "the DUT is left changed") {
		t.Errorf("it says %v", err)
	}
}

// The ports of the DUT go down and come up again, and it is set as before: also
// to the CPUs on which it forwards, which the kernel forgets with the threads.
func TestResetKeepsTunings(t *testing.T) {
	testenv.NeedTool(t, "tc", "ethtool")
	l := openPathLab(t, 1)
	l.setup.CPUs = l.bed.CPUs().DUT
	all, cpu := l.bed.CPUs().DUT, l.bed.CPUs().DUT[0]
	bare := l.settings(t)
	back := l.level(t, weir.ConditionOf(weir.Tuning{Name: "rps", Value: strconv.Itoa(cpu)}, weir.Tuning{Name: "cpus", Value: "1"}, weir.Tuning{Name: "mtu", Value: "1400"}, weir.Tuning{Name: "qdisc", Value: "pfifo limit 10"}, weir.Tuning{Name: "sysctl net.ipv4.ip_early_demux", Value: "0"}))
	set, threads := l.settings(t), l.bed.Forwarding()
	r := l.trial(t, l.plan.Traffic[0], func(trial *weir.Trial) {
		trial.Event = &weir.Event{Name: "reset interface"}
	})
	if r.Happened == nil || r.Happened.Error != "" {
		t.Fatalf("the reset happened as %+v", r.Happened)
	}
	if now := l.settings(t); now != set {
		t.Errorf("before the reset it was\n%s\nand is\n%s", set, now)
	}
	if slices.Equal(threads, l.bed.Forwarding()) {
		t.Error("the reset left the DUT its threads: there was nothing to restore")
	}
	for _, tid := range l.bed.Forwarding() {
		if on, err := netif.Affinity(tid); err != nil || !slices.Equal(on, []int{cpu}) {
			t.Errorf("after the reset a thread may use the CPUs %v, %v; want %d", on, err, cpu)
		}
	}
	if r := l.trial(t, l.plan.Traffic[0], nil); r.Received == 0 || r.Received+dropped(r, "") != r.Offered {
		t.Errorf("afterwards: %+v", r.Ledger)
	}
	back()
	if after := l.settings(t); after != bare {
		t.Errorf("it was\n%s\nand is\n%s", bare, after)
	}
	for _, tid := range l.bed.Forwarding() {
		if on, err := netif.Affinity(tid); err != nil || !slices.Equal(on, all) {
			t.Errorf("undone, a thread may use the CPUs %v, %v; want %v", on, err, all)
		}
	}
}

// The ledger names the counters of what a setting of the DUT makes it drop.
func TestDropsOfTunings(t *testing.T) {
	testenv.NeedTool(t, "tc")
	l := openPathLab(t, 1)
	l.setup.CPUs = l.bed.CPUs().DUT
	exit := l.bed.DUT().Ports[1].DUT
	large := l.plan.Traffic[0]
	large.Sizes = []weir.Size{1518}
	six := large
	six.Family = weir.IPv6
	six.Forward, six.Reverse = frame.DefaultStreams(weir.IPv6)
	mtu := func(n string) string { return "ip link set dev " + exit + " mtu " + n }
	for _, c := range []struct {
		tuning  weir.Tuning
		traffic weir.Traffic
		stray   bool // from an address that lies behind another port
		place   string
	}{
		{weir.Tuning{Name: "sysctl net.ipv4.conf.all.rp_filter", Value: "1"}, large, true, "dut IPv4 IPReversePathFilter"},
		{weir.Tuning{Name: "qdisc", Value: "bfifo limit 1"}, large, false, "dut port 1 qdisc bfifo"},
		{weir.Tuning{Name: "command", Value: mtu("1300"), Undo: mtu("1500")}, six, false, "dut IPv6 InTooBigErrors"},
	} {
		t.Run(c.place, func(t *testing.T) {
			defer l.level(t, weir.ConditionOf(c.tuning))()
			if c.stray {
				c.traffic.Forward.Source = weir.AddressSet{First: netip.MustParseAddr("198.19.0.77"), Count: 1, Order: weir.Fixed}
			}
			r := l.trial(t, c.traffic, nil)
			var at uint64
			for _, d := range r.Ledger.Drops {
				if d.Place == c.place {
					at = d.Count
				}
			}
			// And a few of the DUT's own, as it looks for neighbours.
			if lost := r.Offered - r.Received; lost == 0 || at < lost || at > lost+5 || r.Ledger.Unexplained > 0 {
				t.Errorf("offered %d: %+v", r.Offered, r.Ledger)
			}
		})
	}
}
