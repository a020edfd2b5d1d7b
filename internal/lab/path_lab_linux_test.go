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

// pathLab is an open lab whose DUT can be looked into. Its trials are over when each of their
// frames has come back or was counted by the DUT, however long a busy machine takes for that.
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
	l := &pathLab{netnsLab: &netnsLab{plan: p, bed: bed, daemons: &daemons{bed: bed}}}
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
			done := make(chan error, 1)
			if trial.Event != nil {
				time.AfterFunc(trial.Event.After, func() { done <- place.Do(func() error { return l.resetInterface(ctx) }) })
			}
			before := l.passed(t)
			return func(r *weir.TrialResult) {
				looks := 10_000
				if trial.Event != nil { // ports that go down lose frames without a trace
					r.Happened, looks = happened(trial, 0, 0, <-done), 10
				}
				l.awaitFrames(t, before, looks)
			}, nil
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

// trial measures a trial of few frames, changed, anew and for longer where none of them was
// sent in its time.
func (l *pathLab) trial(t *testing.T, traffic weir.Traffic, change func(*weir.Trial)) (r weir.TrialResult) {
	t.Helper()
	for times := range testenv.Longer {
		r = measured(t, campaign.Lab{Measure: l.measure}, traffic, func(trial *weir.Trial) {
			trial.Waits = weir.Waits{} // awaitFrames waits
			if change != nil {
				change(trial)
			}
			trial.Duration *= times
		})
		if r.Offered > 0 {
			break
		}
	}
	return r
}

// overloaded has a trial send more than any DUT forwards, for a moment.
func overloaded(trial *weir.Trial) { trial.Count, trial.Duration = 0, 50*time.Millisecond }

// passed is what the counters of a lab say of its frames.
type passed struct {
	sent, back uint64 // of the tester's ports
	drops      []weir.Drop
}

func (l *pathLab) passed(t *testing.T) (p passed) {
	t.Helper()
	all, err := l.drops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.drops = slices.Concat(all...)
	for _, port := range l.bed.TestPorts() {
		err := l.bed.Tester.Do(func() error {
			sent, err := netif.ReadSent(port.Tester)
			p.sent += sent.Offered()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := l.bed.TesterHost().ReadFile(t.Context(), "/sys/class/net/"+port.Tester+"/statistics/rx_packets")
		if err != nil {
			t.Fatal(err)
		}
		back, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p.back += back
	}
	return p
}

// since is how many frames were sent since before, and of how many it is known what became.
func (p passed) since(before passed) (sent, known uint64) {
	for _, d := range dut.Since(before.drops, p.drops) {
		known += d.Count
	}
	return p.sent - before.sent, known + p.back - before.back
}

// awaitFrames waits until each frame that was sent since before has come back or was counted
// as dropped. Frames of the stack itself are counted among them, so that two looks have to say
// so. Where a frame is lost without a trace nothing has moved at so many looks, and the ledger
// says it.
func (l *pathLab) awaitFrames(t *testing.T, before passed, looks int) {
	t.Helper()
	var last uint64
	same := 0
	testenv.Await(t, "all frames have come back or were counted", func() bool {
		sent, known := l.passed(t).since(before)
		if same++; sent+known != last {
			last, same = sent+known, 0
		}
		return known >= sent && same > 0 || same > looks
	})
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
