package figures

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv/samples"
)

// However often something is said, it stands there once, with all that differs.
func TestWarningsAreToldOnce(t *testing.T) {
	busy := func(share float64) weir.Sentence {
		return weir.Say("other processes used %.1f %% of the CPU time; stop them", share)
	}
	short := func(n, of int) weir.Sentence { return weir.Say("%d of the intended %d frames were sent", n, of) }
	stalled := func(d time.Duration) weir.Sentence { return weir.Say("kept for %v;", d) }
	cut := func(n int) weir.Sentence { return weir.Say("cut short after %d trials", n) }
	for name, c := range map[string]struct {
		said  map[int][]weir.Sentence
		where string
		want  []string
	}{
		"one": {map[int][]weir.Sentence{64: {busy(12.8)}}, "64", []string{"other processes used 12.8 % of the CPU time; stop them"}},
		"one number differs": {
			map[int][]weir.Sentence{64: {busy(12.8), busy(65.6)}, 512: {busy(9.1)}},
			"64, 512; 2 results", []string{"other processes used 9.1 to 65.6 % of the CPU time; stop them"},
		},
		"two numbers differ": {
			map[int][]weir.Sentence{64: {short(2000000, 2000100)}, 1518: {short(990, 1000)}},
			"64, 1518; 2 results", []string{"2,000,000 of the intended 2,000,100 frames were sent (and 1 more alike, with 990 and 1,000)"},
		},
		"of three": {
			map[int][]weir.Sentence{64: {short(5, 7), short(3, 9), short(4, 8)}},
			"64", []string{"5 of the intended 7 frames were sent (and 2 more alike; in all of them the numbers are 3 to 5 and 7 to 9)"},
		},
		"times": {
			map[int][]weir.Sentence{64: {stalled(950 * time.Microsecond), stalled(5164 * time.Microsecond), stalled(1200 * time.Millisecond)}},
			"64", []string{"kept for 950µs to 1.2s;"},
		},
		"another text": {
			map[int][]weir.Sentence{64: {cut(12), weir.Say("even a single frame was lost")}, 512: {cut(5)}},
			"64, 512; 2 results", []string{"cut short after 5 to 12 trials", "64: even a single frame was lost"},
		},
		"numbers that are names": {
			map[int][]weir.Sentence{64: {weir.Say("%s works for both", "CPU 1"), weir.Say("%s works for both", "CPU 2")}},
			"64", []string{"CPU 1 works for both", "CPU 2 works for both"},
		},
		"of a store of before, and of now": {
			map[int][]weir.Sentence{64: {{Text: busy(12.8).Text}, busy(12.8), busy(12.8)}}, "64", []string{busy(12.8).Text},
		},
		"figures that look alike": {
			map[int][]weir.Sentence{64: {weir.Say("%.0f %% of %d", 91.2, 5), weir.Say("%.0f %% of %d", 91.4, 7)}}, "64", []string{"91 % of 5 to 7"},
		},
		"of a store of before": {
			map[int][]weir.Sentence{64: {{Text: "after 12 trials"}, {Text: "after 5 trials"}, {Text: "after 5 trials"}}},
			"64", []string{"after 12 trials", "after 5 trials"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := GroupWarnings(GridOf(samples.Doubtful(weir.BusyMachine, c.said)))
			if len(list) != 1 {
				t.Fatalf("%d entries for one code", len(list))
			}
			if got := list[0].Where(); got != c.where {
				t.Errorf("it concerns %q, want %q", got, c.where)
			}
			if diff := cmp.Diff(c.want, list[0].Texts()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
