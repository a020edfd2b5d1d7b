package weir

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A sentence keeps its figures, those of the sentences in it, too, and comes back from JSON as
// it was.
func TestSay(t *testing.T) {
	for _, c := range []struct {
		say  Sentence
		want Sentence
	}{
		{Say("even a single frame was lost"), Sentence{Text: "even a single frame was lost"}},
		{Say("%d of %.1f %% at %s", 31_400, 2.25, "t1"),
			Sentence{Text: "31,400 of 2.2 % at t1", Format: "%d of %.1f %% at %s", Args: Args{31400., 2.25, "t1"}}},
		{Say("kept for %v: %v", 5*time.Millisecond, errors.New("no room")),
			Sentence{Text: "kept for 5ms: no room", Format: "kept for %v: %v", Args: Args{5 * time.Millisecond, "no room"}}},
		{Say("%s, and %d more", Say("by %+.2g %% of the time", -12.), 2),
			Sentence{Text: "by -12 % of the time, and 2 more", Format: "by %+.2g %% of the time, and %d more", Args: Args{-12., 2.}}},
		{Say("%s, and %d more", Say("all 5 %% of it"), uint64(math.MaxUint32)),
			Sentence{Text: "all 5 % of it, and 4,294,967,295 more", Format: "all 5 %% of it, and %d more", Args: Args{4294967295.}}},
		{Say("p = %.2g, %+.2g %%, %.2g", 3e-6, 150., 123456.), Sentence{Text: "p = 3e-06, +150 %, 120,000", Format: "p = %.2g, %+.2g %%, %.2g", Args: Args{3e-6, 150., 123456.}}},
		{Say("%v and %v", 65*time.Microsecond, 1001*time.Millisecond),
			Sentence{Text: "65µs and 1.001s", Format: "%v and %v", Args: Args{65 * time.Microsecond, 1001 * time.Millisecond}}},
		{Say("%.0f frames/s", math.NaN()), Sentence{Text: "NaN frames/s", Format: "%s frames/s", Args: Args{"NaN"}}},
		{Say("%d runs do not count", 3).Then(": %s; measure again", "they differ"),
			Sentence{Text: "3 runs do not count: they differ; measure again", First: "3 runs do not count",
				Format: "%d runs do not count: %s; measure again", Args: Args{3., "they differ"}}},
	} {
		if diff := cmp.Diff(c.want, c.say); diff != "" {
			t.Error(diff)
		}
		text, err := json.Marshal(Warning{Code: NoisyResult, Sentence: c.say})
		if err != nil {
			t.Fatal(err)
		}
		var back Warning
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.say, back.Sentence); diff != "" || back.Code != NoisyResult {
			t.Errorf("%s: %s", text, diff)
		}
	}
	var before Warning
	if err := json.Unmarshal([]byte(`{"code": "steal-time", "text": "1.4 % of it"}`), &before); err != nil || before.Text != "1.4 % of it" {
		t.Errorf("of a store of before: %+v, %v", before, err)
	}
}

func TestAlike(t *testing.T) {
	busy := func(share float64) Sentence { return Say("others used %.1f %%", share) }
	for _, c := range []struct {
		a, b  Sentence
		alike bool
	}{
		{busy(1), busy(2), true},
		{busy(1), Say("others took %.1f %%", 1.), false},
		{Say("%s works", "CPU 1"), Say("%s works", "CPU 2"), false},
		{Say("for %v", time.Second), Say("for %v", 1), false},
		{Say("no frame"), Say("no frame"), true},
		{Sentence{Text: "after 5 trials"}, Sentence{Text: "after 6 trials"}, false},
	} {
		if c.a.Alike(c.b) != c.alike || c.b.Alike(c.a) != c.alike {
			t.Errorf("%q and %q: alike is not %v", c.a, c.b, c.alike)
		}
	}
}
