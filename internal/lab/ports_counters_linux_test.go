package lab

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/netif"
)

// What ports count during a trial is told in it, by made-up counters.
func TestPortCounters(t *testing.T) {
	ports := []weir.Port{{Tester: "eth1"}, {Tester: "eth2"}}
	lossy := func(context.Context, weir.Trial) (weir.TrialResult, error) {
		return weir.TrialResult{Offered: 100, Received: 90, Ledger: weir.Balance(100, 90, nil)}, nil
	}
	paused := []weir.Warning{weir.Warn(weir.PauseFrames, "%d PAUSE frames were received at port %s: the box or a switch slowed the tester down; turn flow control off there to see loss (ethtool -A %s rx off)", 7, "eth2", "eth2")}
	for _, tt := range []struct {
		name        string
		trial       weir.Trial
		witness     uint64 // dropped so many
		before      []netif.PortCounts
		after       []netif.PortCounts
		unexplained int64
		warnings    []weir.Warning
	}{
		{"nothing is counted", weir.Trial{}, 0, make([]netif.PortCounts, 2), make([]netif.PortCounts, 2), 10, nil},
		{"PAUSE frames", weir.Trial{}, 0, []netif.PortCounts{{Pause: 3}, {Pause: 3}}, []netif.PortCounts{{Pause: 3}, {Pause: 10}}, 10, paused},
		{"missed frames", weir.Trial{}, 0, []netif.PortCounts{{Missed: 5}, {}}, []netif.PortCounts{{Missed: 9}, {}}, 6, nil},
		{"missed frames that are counted late", weir.Trial{}, 0, []netif.PortCounts{{Missed: 5, Late: 50 * time.Millisecond}, {}}, []netif.PortCounts{{Missed: 9}, {}}, 6, nil},
		{"the counter began anew", weir.Trial{}, 0, []netif.PortCounts{{Missed: 5, Pause: 5}, {}}, []netif.PortCounts{{Missed: 4, Pause: 4}, {}}, 10, nil},
		{"a witness", weir.Trial{}, 4, make([]netif.PortCounts, 2), make([]netif.PortCounts, 2), 6, nil},
		{"a witness comes first", weir.Trial{}, 8, make([]netif.PortCounts, 2), []netif.PortCounts{{Missed: 7}, {Missed: 7}}, 0, nil},
		{"a witness of too much", weir.Trial{}, 12, make([]netif.PortCounts, 2), []netif.PortCounts{{Missed: 7}, {}}, -2, nil},
		{"more than the trial lacks", weir.Trial{}, 0, make([]netif.PortCounts, 2), []netif.PortCounts{{Missed: 7}, {Missed: 7}}, 0, nil},
		{"without the box", weir.Trial{Bypass: true}, 3, make([]netif.PortCounts, 2), []netif.PortCounts{{Missed: 7, Pause: 7}, {}}, 10, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := [][]netif.PortCounts{tt.before, tt.after}
			began := time.Now()
			read := func() ([]netif.PortCounts, error) {
				if since := time.Since(began); len(all) == 1 && since < tt.before[0].Late {
					t.Errorf("they are read after %v, which is too early", since)
				}
				next := all[0]
				all = all[1:]
				return next, nil
			}
			witnessed := func(context.Context) func(context.Context, weir.Trial, *weir.TrialResult) {
				if len(all) != 2 {
					t.Error("the witness is read after the ports")
				}
				return func(_ context.Context, _ weir.Trial, r *weir.TrialResult) {
					if len(all) != 0 {
						t.Error("the ports are read after the witness")
					}
					r.Ledger = weir.Balance(r.Offered, r.Received, append(r.Ledger.Drops, weir.Drop{Place: "witness", Count: tt.witness}))
				}
			}
			r, err := counted(lossy, ports, read, witnessed)(t.Context(), tt.trial)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.warnings, r.Warnings); diff != "" {
				t.Error(diff)
			}
			if r.Ledger.Unexplained != tt.unexplained {
				t.Errorf("%d frames are unexplained, want %d: %+v", r.Ledger.Unexplained, tt.unexplained, r.Ledger)
			}
		})
	}
}
