//go:build linux

package xdp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir/frame"
	"weir/internal/testenv"
)

// What is missing between the frames of a stream is noted with the times at
// which those beside it were sent, whichever form of the signature says them.
func TestReceiverNotesGaps(t *testing.T) {
	testenv.NeedRoot(t)
	grid := NewGrid(time.Millisecond, 100*time.Millisecond)
	receivers := map[int]*Receiver{}
	for _, elsewhere := range []int{0, 2} {
		receivers[elsewhere] = watching(t, ReceiverOptions{Steps: grid.Steps, Elsewhere: elsewhere}, Expected{})
	}
	at := func(ms time.Duration) time.Duration { return ms * time.Millisecond } // since the start of the grid
	for _, c := range []struct {
		name      string
		elsewhere int
		sequences []uint64 // each one is sent as many ms after the start, plus one
		want      Gaps     // the times since the start of the grid
		known     bool
	}{
		{"none", 0, []uint64{0, 1, 2}, Gaps{}, true},
		{"one", 0, []uint64{0, 1, 5, 6}, Gaps{Missing: 3, Last: Gap{3, at(2), at(6)}, Longest: Gap{3, at(2), at(6)}}, true},
		{"a longer one before", 0, []uint64{0, 8, 9, 11, 12}, Gaps{Missing: 8, Last: Gap{1, at(10), at(12)}, Longest: Gap{7, at(1), at(9)}}, true},
		{"a longer one after", 0, []uint64{0, 2, 3, 11}, Gaps{Missing: 8, Last: Gap{7, at(4), at(12)}, Longest: Gap{7, at(4), at(12)}}, true},
		{"at the start", 0, []uint64{4, 5}, Gaps{Missing: 4, Last: Gap{4, 0, at(5)}, Longest: Gap{4, 0, at(5)}}, true},
		{"duplicates", 0, []uint64{0, 0, 3, 3, 4}, Gaps{Missing: 2, Last: Gap{2, at(1), at(4)}, Longest: Gap{2, at(1), at(4)}}, true},
		{"none to this port", 2, []uint64{1, 4, 7, 10}, Gaps{}, true},
		{"one to this port", 2, []uint64{2, 5, 14, 17}, Gaps{Missing: 2, Last: Gap{2, at(6), at(15)}, Longest: Gap{2, at(6), at(15)}}, true},
		{"at the start to this port", 2, []uint64{5, 8}, Gaps{Missing: 1, Last: Gap{1, 0, at(6)}, Longest: Gap{1, 0, at(6)}}, true},
		{"overtaken", 0, []uint64{0, 2, 1, 3}, Gaps{}, false},
	} {
		for name, tr := range both() {
			t.Run(c.name+" "+name, func(t *testing.T) {
				r := receivers[c.elsewhere]
				b := builder(t, tr, tr.Forward)
				promptly(t, wraps, func() {
					grid.Start = Now() - time.Second
					reset(t, r, Expected{Trial: 1, Grid: grid})
					for _, s := range c.sequences {
						sent := grid.Start + at(time.Duration(s)+1)
						r.feed(t, b.Frame(nil, 0, frame.Signature{Trial: 1, Stream: 3, Sequence: s, Time: uint64(sent)}))
					}
				})
				got, known, err := r.Gaps()
				if err != nil || known != c.known {
					t.Fatalf("known: %v, %v", known, err)
				}
				var want []Gaps
				if known {
					c.want.Stream = 3
					want = []Gaps{c.want}
				}
				for i := range got {
					for _, g := range []*Gap{&got[i].Last, &got[i].Longest} {
						if g.Missing > 0 {
							g.Before, g.After = g.Before-grid.Start, g.After-grid.Start
						}
					}
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
				reset(t, r, Expected{Trial: 1, Grid: grid})
				if got, known, err := r.Gaps(); len(got) > 0 || !known || err != nil {
					t.Errorf("after a reset there are %v, known %v, %v", got, known, err)
				}
			})
		}
	}
	if got, known, err := watching(t, ReceiverOptions{}, Expected{}).Gaps(); len(got) > 0 || !known || err != nil {
		t.Errorf("without a timeline there are %v, known %v, %v", got, known, err)
	}
}
