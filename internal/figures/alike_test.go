package figures

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv/samples"
)

// However often something is said, it stands there once, with all that differs.
func TestWarningsAreToldOnce(t *testing.T) {
	busy := "other processes used %s %% of the CPU time; stop them"
	short := "%s of the intended %s frames were sent"
	for name, c := range map[string]struct {
		texts map[int][]string
		where string
		want  []string
	}{
		"one": {map[int][]string{64: {fmt.Sprintf(busy, "12.8")}}, "64", []string{"other processes used 12.8 % of the CPU time; stop them"}},
		"one number differs": {
			map[int][]string{64: {fmt.Sprintf(busy, "12.8"), fmt.Sprintf(busy, "65.6")}, 512: {fmt.Sprintf(busy, "9.1")}},
			"64, 512; 2 results", []string{"other processes used 9.1 to 65.6 % of the CPU time; stop them"},
		},
		"two numbers differ": {
			map[int][]string{64: {fmt.Sprintf(short, "2000000", "2,000,100")}, 1518: {fmt.Sprintf(short, "990", "1000")}},
			"64, 1518; 2 results", []string{"2,000,000 of the intended 2,000,100 frames were sent (and 1 more alike, with 990 and 1,000)"},
		},
		"of three": {
			map[int][]string{64: {fmt.Sprintf(short, "5", "7"), fmt.Sprintf(short, "3", "9"), fmt.Sprintf(short, "4", "8")}},
			"64", []string{"5 of the intended 7 frames were sent (and 2 more alike; in all of them the numbers are 3 to 5 and 7 to 9)"},
		},
		"times": {
			map[int][]string{64: {"kept for 950µs;", "kept for 5.164ms;", "kept for 1.2s;"}}, "64", []string{"kept for 950µs to 1.2s;"},
		},
		"another text": {
			map[int][]string{64: {"cut short after 12 trials", "even a single frame was lost"}, 512: {"cut short after 5 trials"}},
			"64, 512; 2 results", []string{"cut short after 5 to 12 trials", "64: even a single frame was lost"},
		},
		"numbers that are names": {
			map[int][]string{64: {"see RFC 2544 section 24", "see RFC 2544 section 26.1", "no answer from 198.18.0.1"}},
			"64", []string{"see RFC 2544 section 24", "see RFC 2544 section 26.1", "no answer from 198.18.0.1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := Doubts(GridOf(samples.Doubtful(weir.BusyMachine, c.texts)))
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
