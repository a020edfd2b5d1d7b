package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testbed"
)

// Another process that measures is told of where it shares a CPU, and not where it has
// CPUs of its own, is at rest, has ended, or is this one.
func TestShareCPUs(t *testing.T) {
	own := weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{1, 2}}
	far := weir.CPUs{Generator: []int{7}, DUT: []int{1}, Elsewhere: true}
	at := func(pid int, cpus weir.CPUs, change func(*testbed.Entry)) testbed.Entry {
		e := testbed.Entry{PID: pid, Campaign: "c", CPUs: cpus, Running: true}
		if change != nil {
			change(&e)
		}
		return e
	}
	got := shareCPUs([]testbed.Entry{
		at(1, weir.CPUs{Generator: []int{3}, Receiver: []int{3}, DUT: []int{2}}, nil),
		at(2, weir.CPUs{Generator: []int{3}, Receiver: []int{4}, DUT: []int{5}}, nil),
		at(3, own, func(e *testbed.Entry) { e.Kept = true }),
		at(4, own, func(e *testbed.Entry) { e.Running = false }),
		at(5, own, func(e *testbed.Entry) { e.Own = true }),
		at(6, far, nil),
		at(7, own, nil),
	}, own)
	want := []weir.OtherWeir{{PID: 1, Campaign: "c", CPUs: []int{2}}, {PID: 7, Campaign: "c", CPUs: []int{0, 1, 2}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, joinWeirs(want[:1:1], []weir.OtherWeir{want[1], want[0]})); d != "" {
		t.Error(d)
	}
}
