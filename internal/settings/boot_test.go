package settings

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"testing"

	"weir"
)

// saying is a host that says one thing.
type saying struct {
	weir.Host
	text string
}

func (s saying) Run(context.Context, string, ...string) (string, error) { return s.text, nil }

func (saying) ReadFile(context.Context, string) (string, error) { return "", fs.ErrNotExist }

// Each of the three says of which start it is, by what sysctl(8) of it writes (from their
// sources, not run here).
func TestBootOfBSDs(t *testing.T) {
	const clocks = `^started 1700000000 asked 1700003600 here \d+$`
	for text, want := range map[string]string{
		"id 2f4a8c80b0e14a6fb1b2\n": `^2f4a8c80b0e14a6fb1b2$`,
		"{ sec = 1700000000, usec = 305123 } Tue Nov 14 22:13:20 2023\n1700003600\n": clocks,
		"1700000000\n1700003600\n": clocks,
		"1700003600\n":             `^$`, // neither
		"":                         `^$`,
	} {
		boot, err := BootOf(t.Context(), saying{text: text})
		if err != nil || !regexp.MustCompile(want).MatchString(boot) {
			t.Errorf("%q: %q, %v", text, boot, err)
		}
	}
}

// A host has started anew where both clocks say so: neither a clock that is set is a new
// start, nor one that runs.
func TestStartedAnew(t *testing.T) {
	const asked = "started 1000 asked 5000 here 90000"
	for _, c := range []struct {
		name string
		now  [3]int // started, asked, here
		anew bool
	}{
		{"a day later", [3]int{1000, 91400, 176400}, false},
		{"a second of rounding", [3]int{1001, 5001, 90000}, false},
		{"started anew", [3]int{5060, 5070, 90070}, true},
		{"started anew, a month later", [3]int{5060, 2_600_000, 2_685_000}, true},
		{"its clock was set forward", [3]int{1_001_000, 1_005_010, 90010}, false},
		{"its clock was set back", [3]int{100, 4110, 90010}, false},
		{"this machine's clock was set forward", [3]int{1000, 5010, 1_090_010}, false},
		{"this machine's clock was set back", [3]int{1000, 5010, 100}, false},
		{"started anew with a clock that has stood still", [3]int{900, 910, 90100}, false}, // not seen: see StartedAnew
	} {
		if got := StartedAnew(asked, fmt.Sprintf("started %d asked %d here %d", c.now[0], c.now[1], c.now[2])); got != c.anew {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	for _, c := range []struct {
		before, now string
		anew        bool
	}{{"a", "a", false}, {"a", "b", true}, {"", "", false}, {"", asked, false}, {"a", "", false}, {asked, "a", true}} {
		if got := StartedAnew(c.before, c.now); got != c.anew {
			t.Errorf("%q, %q: %v", c.before, c.now, got)
		}
	}
}
