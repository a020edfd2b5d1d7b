package lab

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/settings"
	"weir/internal/testenv"
)

// A machine of which the reset button is pressed in a trial forwards again, at its level,
// and so does one that is rebooted between runs. One that starts itself anew is told to
// forward, and is no longer at its level; one that has ended keeps nobody from the next.
func TestVMStartsAnew(t *testing.T) {
	testenv.Long(t)
	testenv.NeedRoot(t)
	t.Parallel()
	testenv.NeedTool(t, "qemu-system-x86_64", "apt-get", "dpkg-deb", "ip", "ethtool")
	testenv.LikeArchive(t, "http://deb.debian.org/debian/dists/bookworm/Release")
	p := machinePlan(t, "dut: {firewall: {kind: stateless, rules: 3}}\n")
	m := &machine{name: systemOf(p).String()}
	p.Testbed.Networks = p.Testbed.Networks[:2]
	if err := m.find(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	l := &portsLab{plan: p, machine: m}
	lab, done, err := assembled(t.Context(), l.assemble)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	began := time.Now()
	step := func(what string) { t.Logf("%v: %s", time.Since(began).Round(time.Second), what) }
	apply := func() func(context.Context) error {
		t.Helper()
		back, err := lab.Apply(t.Context(), p.Levels[0].Condition)
		if err != nil {
			t.Fatal(err)
		}
		return back
	}
	passes := func(what string) {
		t.Helper()
		step(what)
		r, err := lab.Measure(t.Context(), allOf(p.Traffic[0]))
		if err != nil || r.Received == 0 || r.Received != r.Offered {
			t.Errorf("%s: %d of %d frames came through, %v", what, r.Received, r.Offered, err)
		}
	}
	filtered := func() bool {
		t.Helper()
		rules, err := l.dut.host.Run(t.Context(), "", "nft", "list", "ruleset")
		if err != nil {
			t.Error(err)
		}
		return strings.Contains(rules, "weir")
	}
	boot := func() string {
		t.Helper()
		id, err := settings.BootOf(t.Context(), l.dut.host)
		if err != nil {
			t.Error(err)
		}
		return id
	}
	first := boot()

	back := apply()
	passes("at its level")
	const length, after = 20 * time.Second, time.Second
	r, err := lab.Measure(t.Context(), weir.Trial{
		Traffic: p.Traffic[0], Intended: 100, Duration: length, Resolution: 10 * time.Millisecond,
		Event: &weir.Event{Name: hardwareReset, After: after}, Waits: weir.Waits{Residual: 2 * time.Second},
	})
	if err != nil || r.Happened == nil || r.Happened.Error != "" || r.Timeline == nil {
		t.Fatalf("%v: %+v", err, r.Happened)
	}
	step("reset")
	out := r.Timeline.Longest()
	t.Logf("the reset: %v to %v; nothing forwarded from %v to %v", r.Happened.Began, r.Happened.Ended, out.From, out.Until)
	if boot() == first || !filtered() {
		t.Error("it was not started anew, or is no longer at its level")
	}
	// No frame waited for the machine: it would have done so for nearly all of the time.
	if gone := out.Until - out.From; out.From > r.Happened.Ended || out.Until < r.Happened.Began || 2*time.Duration(r.Latency.Max) > gone {
		t.Errorf("nothing was forwarded from %v to %v, the reset took from %v to %v, and a frame took %v",
			out.From, out.Until, r.Happened.Began, r.Happened.Ended, time.Duration(r.Latency.Max))
	}
	passes("after the reset")
	if err := back(t.Context()); err != nil || filtered() {
		t.Errorf("the level stays: %v", err)
	}

	second := boot()
	if err := lab.Restart(t.Context(), weir.Reboot); err != nil {
		t.Fatal(err)
	}
	if boot() == second {
		t.Error("it was not rebooted")
	}
	passes("after a reboot")

	back = apply()
	if _, err := l.dut.host.Run(t.Context(), "", "reboot", "-f"); err == nil {
		t.Error("it reboots, and the shell stays")
	}
	_, err = lab.Measure(t.Context(), weir.Trial{Traffic: p.Traffic[0], Intended: 100, Duration: time.Second})
	if lost := (*restartedError)(nil); !errors.As(err, &lost) || lab.Holds() == nil {
		t.Errorf("a reboot is not noticed: %v", err)
	}
	step("rebooted by itself")
	if err := back(t.Context()); err != nil || filtered() {
		t.Errorf("the level of a machine that has rebooted: %v", err)
	}
	passes("after a reboot by itself")

	back = apply()
	_, _ = l.dut.host.Run(t.Context(), "", "poweroff", "-f")
	if m.running.Load().Why() == nil {
		t.Fatal("it does not end")
	}
	if err := back(t.Context()); err != nil {
		t.Errorf("the level of a machine that has ended: %v", err)
	}
	if err := lab.Restart(t.Context(), weir.Power); err != nil {
		t.Fatal(err)
	}
	passes("after its power came back")
}
