package dut

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir"
)

// bounds remembers how long each command of a user may take.
type bounds struct {
	*recorded
	limits []time.Duration
}

func (b *bounds) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	if argv[0] == "env" && argv[len(argv)-2] == "-c" {
		end, _ := ctx.Deadline()
		b.limits = append(b.limits, time.Until(end))
	}
	return b.recorded.Run(ctx, stdin, argv...)
}

// A command and its undo are not waited for for ever. One that fails is undone
// all the same, as it may have done a part.
func TestCommandIsBounded(t *testing.T) {
	for _, fails := range []string{"", "do it"} {
		synctest.Test(t, func(t *testing.T) { testBounds(t, fails) })
	}
}

func testBounds(t *testing.T, fails string) {
	r := &recorded{fail: fails}
	d, s := tunable(r)
	b := &bounds{recorded: r}
	d.Host = b
	undo, err := linux{}.Apply(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: "command", Value: "do it", Undo: "take it back"}))
	if (err != nil) != (fails != "") {
		t.Fatalf("%v", err)
	}
	if err == nil {
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(b.limits, []time.Duration{commandLimit, commandLimit}) {
		t.Errorf("commands may take %v", b.limits)
	}
	if last := r.told[len(r.told)-1]; last != "env WEIR_PORT0=d0 WEIR_PORT1=d1 sh -c take it back" {
		t.Errorf("the last command is %q", last)
	}
}

// Frames are not steered to CPUs on which the DUT is not to forward.
func TestSteeredOutside(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	s.CPUs = []int{1, 2, 3}
	s.Spread = func(int) (func() error, error) { return nil, nil }
	for rps, want := range map[string]string{"1": "", "1,2": "", "off": "", "2-3": "the DUT is to forward on [1 2] alone, and CPU 3 is not one of these"} {
		err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: "rps", Value: rps}, weir.Tuning{Name: "cpus", Value: "2"}))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("rps %s: %v, want %q", rps, err, want)
		}
	}
}

// A card that can have more entries in one ring than in the other says how.
func TestRingsApart(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	r.says["ethtool -g d0"] = "Pre-set maximums:\nRX:\t1024\nTX:\t256\nCurrent hardware settings:\nRX:\t1024\nTX:\t256\n"
	err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: "ring", Value: "512"}))
	if err == nil || !strings.Contains(err.Error(), "port 0 can have 256 at most (tx): take fewer, or one number for each: rx 1024 tx 256") {
		t.Error(err)
	}
}

// virtio_net has what others call LRO by the name of rx-gro-hw.
func TestReceiveOffloadByOtherName(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	for _, p := range []string{"d0", "d1"} {
		r.says["ethtool -k "+p] = "large-receive-offload: off [fixed]\nrx-gro-hw: on\n"
	}
	condition := weir.ConditionOf(weir.Tuning{Name: "lro", Value: "off"})
	if err := (linux{}).Cannot(t.Context(), d, s, condition); err != nil {
		t.Error(err)
	}
	_, err := linux{}.Apply(t.Context(), d, s, condition)
	if !slices.Contains(r.told, "ethtool -K d0 rx-gro-hw off") || err == nil || !strings.Contains(err.Error(), "rx-gro-hw of d0 is still on") {
		t.Errorf("%q, %v", r.told, err)
	}
}

// An offload of several parts is set part by part.
func TestOffloadOfParts(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	for _, p := range []string{"d0", "d1"} {
		r.says["ethtool -k "+p] = "tcp-segmentation-offload: on\n\ttx-tcp-segmentation: on\n\ttx-tcp-ecn-segmentation: on [fixed]\n\ttx-tcp-mangleid-segmentation: off\n\ttx-tcp6-segmentation: on\nreceive-hashing: on\n"
	}
	var set []string
	_, err := linux{}.Apply(t.Context(), d, s, weir.ConditionOf(weir.Tuning{Name: "tso", Value: "off"}))
	for _, line := range r.told {
		if strings.HasPrefix(line, "ethtool -K d0") {
			set = append(set, line)
		}
	}
	want := []string{"ethtool -K d0 tx-tcp6-segmentation off", "ethtool -K d0 tx-tcp-segmentation off"}
	if !slices.Equal(set, want) || err == nil || !strings.Contains(err.Error(), "tcp-segmentation-offload of d0 is still on") {
		t.Errorf("%q, %v", set, err)
	}
}

// A machine that ends with weir gets the module that tracks connections, and loses it
// again; any other one is left without.
func TestTrackingModule(t *testing.T) {
	for name, c := range map[string]struct {
		shared bool
		want   string
	}{"own": {false, ""}, "shared": {true, "load its module: modprobe nf_conntrack"}} {
		r := &recorded{}
		d, s := tunable(r)
		s.Shared = c.shared
		delete(r.files, conntrackPath)
		r.files["/proc/modules"] = "veth 1 0 - Live 0x0\n"
		condition := weir.ConditionOf(weir.Tuning{Name: "conntrack", Value: "1000"})
		err := linux{}.Cannot(t.Context(), d, s, condition)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err = (linux{}).Apply(t.Context(), d, s, condition); err == nil {
			t.Errorf("%s: it is set without its file", name)
		}
		if at := slices.Index(r.told, "modprobe nf_conntrack"); (at >= 0) == c.shared || at >= 0 && !slices.Contains(r.told[at:], "modprobe -r nf_conntrack") {
			t.Errorf("%s: %q", name, r.told)
		}
	}
}

// The table says what tunings do not go together with, and which are of the whole machine.
func TestTuningsAmongOthers(t *testing.T) {
	tuned := func(name, value string) weir.Tuning { return weir.Tuning{Name: name, Value: value} }
	for _, c := range []struct {
		condition       weir.Condition
		conflict, alone string // "": it goes together, or can stand beside others
	}{
		{weir.ConditionOf(weir.PathXDP, weir.Threaded, tuned("rps", "off"), tuned("gro", "on"), tuned("mtu", "9000")), "", "CPUs that they share"},
		{weir.ConditionOf(weir.PathXDP, tuned("rps", "1")), "forwarding by xdp takes a frame at the driver, before receive packet steering (rps)", ""},
		{weir.ConditionOf(weir.PathXDP, tuned("conntrack", "1000")), "before connections are tracked (conntrack)", "conntrack is the whole machine's"},
		{weir.ConditionOf(weir.Access{PPPoE: weir.XDP}, tuned("qdisc", "pfifo")), "access by pppoe xdp takes a frame at the driver, before a queueing discipline (qdisc)", "PPPoE sessions of its own"},
		{weir.ConditionOf(weir.PathXDP, tuned("gro", "off")), "gro off: forwarding by xdp takes frames before GRO would see them", ""},
		{weir.ConditionOf(weir.Softirq, tuned("rps", "off")), "rps: with NAPI softirq frames may be steered", "CPUs that they share"},
		{weir.ConditionOf(weir.BusyPoll, tuned("cpus", "1")), "cpus: with NAPI busy-poll the DUT has no threads", "CPUs that they share"},
		{weir.ConditionOf(tuned("irq", "1")), "", "irq is the whole machine's"},
		{weir.ConditionOf(tuned("sysctl net.ipv4.ip_early_demux", "0")), "", ""},
		{weir.ConditionOf(tuned("sysctl net.core.netdev_budget", "600")), "", "sysctl net.core.netdev_budget is the whole machine's"},
	} {
		if err := c.condition.Conflict(Info); (err == nil) != (c.conflict == "") || err != nil && !strings.Contains(err.Error(), c.conflict) {
			t.Errorf("%v: %v, want %q", c.condition, err, c.conflict)
		}
		if why := c.condition.WhyAlone(Info); (why == "") != (c.alone == "") || !strings.Contains(why, c.alone) {
			t.Errorf("%v stands alone: %q, want %q", c.condition, why, c.alone)
		}
	}
}
