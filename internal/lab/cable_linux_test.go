package lab

import (
	"errors"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
)

// Two end hosts on one cable have no DUT between them, take frames in each way that there
// is, and can be set to nothing that a DUT is set to.
func TestCable(t *testing.T) {
	l := openTransferLab(t, "{kind: netns}\ndut: none")
	if l.open.Manifest.Platform != weir.NoDUT || len(l.open.CPUs.DUT) > 0 || len(l.bed.DUT().Ports) > 0 {
		t.Errorf("a DUT: %+v, %v", l.open.Manifest, l.open.CPUs)
	}
	polls := agent.CanPoll() == nil
	for _, way := range []weir.NAPI{"", weir.Softirq, weir.Threaded, weir.BusyPoll} {
		undo, err := l.open.Apply(t.Context(), weir.ConditionOf(way))
		if unsupported := (*weir.UnsupportedError)(nil); way == weir.BusyPoll && !polls && errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", way, err)
		}
		for _, e := range l.bed.Ends() {
			threaded, err := e.Host().ReadFile(t.Context(), "/sys/class/net/"+e.Port.Tester+"/threaded")
			if want := way == "" || way == weir.Threaded; err != nil || (strings.TrimSpace(threaded) != "0") != want {
				t.Errorf("%q: the port of %s is threaded %q, %v", way, e.Host().Name(), threaded, err)
			}
		}
		done, err := l.open.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := l.moved(t, 300*time.Millisecond, weir.Transfer{Program: "tcp"}, nil)
		if r.Transferred.Failed != "" || r.Transferred.Octets == 0 {
			t.Errorf("%q: %+v", way, r.Transferred)
		}
		if seen, err := done(r.Sending); err != nil || seen.DUTCPU != 0 {
			t.Errorf("%q: a DUT that is not there used %v, %v", way, seen.DUTCPU, err)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		r := l.moved(t, time.Second, weir.Transfer{Program: "path"}, func(t *weir.Traffic) { t.Family, t.Backward = family, true })
		if r.Transferred.PathMTU != 1500 {
			t.Errorf("%s: %+v", family, r.Transferred)
		}
	}
	if err := l.open.Cannot(t.Context(), weir.ConditionOf(weir.Threaded, weir.Filters(1))); err == nil || !strings.Contains(err.Error(), "there is no DUT that weir could set to 1 filter") {
		t.Errorf("filters of no DUT: %v", err)
	}
}
