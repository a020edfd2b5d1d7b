package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/tester"
)

// pathLab is an open lab whose DUT can be looked into.
type pathLab struct {
	*netnsLab
	measure weir.Measurer
}

// openPathLab is a lab with so many pairs of ports.
func openPathLab(t *testing.T, pairs int) *pathLab {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	t.Setenv("WEIR_RUN", t.TempDir())
	var undo settings.Undo
	t.Cleanup(func() {
		if err := undo.Close(); err != nil {
			t.Error(err)
		}
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := plan.Parse("test.yaml", fmt.Appendf(nil, "traffic: {sizes: [64]}\nmodifiers: [{pairs: %d}]\nmethods: [frmol]\n", pairs))
	must(err)
	config, poller := testbed.NetnsConfig{Pairs: pairs}, &poller{}
	if agent.CanPoll() == nil {
		config.Poll = poller.poll
	}
	bed, err := testbed.OpenNetns(t.Context(), config)
	must(err)
	undo.AddClose(bed.Close)
	undo.AddClose(poller.close)
	l := &pathLab{netnsLab: &netnsLab{plan: p, bed: bed}}
	l.platform, err = dut.ByName("linux")
	must(err)
	l.setup, err = routed(p)
	must(err)
	_, err = l.platform.Forward(t.Context(), bed.DUT(), l.setup)
	must(err)
	must(addressTester(bed))
	place, err := bed.EnterDUT()
	must(err)
	undo.AddClose(func() error { place.Close(); return nil })
	x, err := tester.OpenXDP(tester.XDPConfig{
		Namespace: bed.Tester, Ports: bed.DUT().Ports, Self: &bed.Self, CPUs: bed.CPUs(), Verify: true,
		Accompany: func(ctx context.Context, trial weir.Trial) (func(*weir.TrialResult), error) {
			if trial.Event == nil {
				return nil, nil
			}
			done := make(chan error, 1)
			time.AfterFunc(trial.Event.After, func() { done <- place.Do(func() error { return l.resetInterface(ctx) }) })
			return func(r *weir.TrialResult) { r.Happened = happened(trial, 0, 0, <-done) }, nil
		},
	})
	must(err)
	undo.AddClose(x.Close)
	l.measure = l.accounted(x.Measure)
	return l
}

// set sets the way of frames until the returned function is called.
func (l *pathLab) set(t *testing.T, c weir.Condition) (back func()) {
	t.Helper()
	undo, err := l.setPath(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := undo(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// trial measures a trial at a trickle, changed.
func (l *pathLab) trial(t *testing.T, traffic weir.Traffic, change func(*weir.Trial)) weir.TrialResult {
	t.Helper()
	return measured(t, campaign.Lab{Measure: l.measure}, traffic, change)
}

// forwarded is how many packets of both families the DUT's kernel has forwarded.
func (l *pathLab) forwarded(t *testing.T) (n uint64) {
	t.Helper()
	for file, name := range map[string]string{"/proc/net/snmp": "Ip:", "/proc/net/snmp6": "Ip6OutForwDatagrams"} {
		text, err := l.bed.DUT().Host.ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		column := 1
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if f[0] != name {
				continue
			}
			if at := slices.Index(f, "ForwDatagrams"); at > 0 {
				column = at // the values are in the next line
				continue
			}
			count, err := strconv.ParseUint(f[column], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			n += count
			break
		}
	}
	return n
}

// state is what a way must not change for good: the threads of the DUT, where
// and how they run, the offloads, and what is attached.
func (l *pathLab) state(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, pid := range append(slices.Clone(l.bed.Forwarding()), l.bed.Receiving()...) {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			t.Fatal(err)
		}
		attr, err := unix.SchedGetAttr(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		var on unix.CPUSet
		if err := unix.SchedGetaffinity(pid, &on); err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprint("thread ", pid)] = fmt.Sprint(string(comm), attr.Policy, attr.Priority, on)
	}
	host := l.bed.DUT().Host
	for i, p := range l.bed.DUT().Ports {
		said, err := host.Run(t.Context(), "", "ip", "link", "show", "dev", p.DUT)
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprint("link ", i)] = said
		for _, file := range []string{"threaded", "gro_flush_timeout"} {
			if out[fmt.Sprint(file, i)], err = host.ReadFile(t.Context(), "/sys/class/net/"+p.DUT+"/"+file); err != nil {
				t.Fatal(err)
			}
		}
		features := func(name string) func() error {
			return func() error {
				f, err := netif.Features(name)
				for k, v := range f {
					out[fmt.Sprint(name, " ", k)] = strconv.FormatBool(v)
				}
				return err
			}
		}
		if err := errors.Join(l.bed.InDUT(features(p.DUT)), l.bed.Tester.Do(features(p.Tester))); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// pathTraffic are frames that go every way of a lab.
func pathTraffic(pairs int) map[string]weir.Traffic {
	out := make(map[string]weir.Traffic)
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, both := range []bool{false, true} {
			tr := weir.Traffic{Sizes: []weir.Size{84, 1518, 594}, Family: family, Protocol: weir.UDP, Flows: 5, Pairs: pairs, Bidirectional: both, Seed: 1}
			tr.Forward, tr.Reverse = frame.DefaultStreams(family)
			out[fmt.Sprintf("%s, both ways %v", family, both)] = tr
		}
	}
	return out
}

// Frames that are forwarded at the driver arrive whole, and the kernel forwards
