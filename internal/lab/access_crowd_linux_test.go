package lab

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"weir"
)

// Test frames go through many sessions at once, each with its own addresses, by either way
// of their octets: the receiver finds each in its own. That sessions are lost ends a trial.
func TestManySessionsOfFrames(t *testing.T) {
	t.Parallel()
	const n = 30
	for by, family := range map[weir.DataPath]weir.Family{weir.XDP: weir.IPv6, weir.Userland: weir.IPv4} {
		t.Run(fmt.Sprint(by, " ", family), func(t *testing.T) {
			t.Parallel()
			l, open := openFrameLab(t, fmt.Sprintf("{dut: {access: {pppoe: %s}}, traffic: {sessions: %d, bidirectional: yes, sizes: [90], family: %s}, methods: [sweep]}", by, n, family))
			undo, err := open.Apply(t.Context(), l.plan.Levels[0].Condition)
			if err != nil {
				t.Fatal(err)
			}
			own := make(map[string]bool)
			for _, s := range l.carried() {
				own[s.Client.String()], own[s.Address(family).String()] = true, true
			}
			if len(own) != 2*n || l.line.mtu != 1492 {
				t.Errorf("%d sessions have %d addresses of their own, and carry %d octets", n, len(own), l.line.mtu)
			}
			steered := fmt.Sprintf("/sys/class/net/%s/queues/tx-%d/xps_cpus", l.line.ends[0].port, runtime.NumCPU()-1)
			if mask, err := l.bed.TesterHost().ReadFile(t.Context(), steered); err != nil || strings.Trim(mask, "0,\n") == "" {
				t.Errorf("what the subscribers say waits among test frames: CPUs %q have a queue of their own, %v", mask, err)
			}
			r := measured(t, open, l.plan.Traffic[0], nil) // some to each subscriber
			if r.Offered != 2*few || r.Received != r.Offered || len(r.Ledger.Drops) > 0 || said(r, "sessions at the end of the trial") != n || said(r, "sessions of the concentrator at the end of the trial") != n {
				t.Errorf("%d of %d came: %+v, %+v, %+v", r.Received, r.Offered, r.Ledger, r.Streams, r.Readings)
			}
			if past := said(r, "DUT of these forwarded by XDP") * r.Sending.Seconds(); (past >= .999*float64(r.Offered)) != (by == weir.XDP) {
				t.Errorf("of %d frames XDP forwarded %.0f: %+v", r.Offered, past, r.Readings)
			}
			if err := l.line.ends[0].agent.Ask(t.Context(), "disconnect", nil, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := open.Measure(t.Context(), weir.Trial{Traffic: l.plan.Traffic[0], Maximum: true, Count: few, Duration: time.Hour}); err == nil || !strings.Contains(err.Error(), "30 of 30 PPPoE sessions were lost") {
				t.Errorf("without sessions: %v", err)
			}
			if err := undo(t.Context()); err != nil {
				t.Error(err)
			}
			if mask, err := l.bed.TesterHost().ReadFile(t.Context(), steered); err != nil || strings.Trim(mask, "0,\n") != "" {
				t.Errorf("afterwards CPUs %q have one, %v", mask, err)
			}
		})
	}
}
