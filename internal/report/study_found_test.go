package report

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
	"weir/stats"
)

// Where every run is in doubt the table of what they found is there all the same, and
// after it why there is no verdict.
func TestFoundWithoutVerdict(t *testing.T) {
	made := samples.Experiment{Arms: samples.Firewalls, Factors: samples.FirewallFactor(), Sizes: []any{64}, Blocks: 4, Spread: .004, Wave: .05, Busy: []int{1, 2, 3, 4}}
	c := made.Campaign(3)
	const why = "no run of firewall none counts, where a verdict takes 3 of each arm, as the machine was busy with something else"
	for format, wants := range map[string][]string{
		"text":     {"no verdict: " + why, "measured without a verdict, kpps", "64     none ", " x ", "There is no verdict: no run of firewall none counts"},
		"markdown": {"Measured without a verdict, kpps", "| 64 | stateful | 4 | 4 | ", "There is no verdict: " + why + "."},
		"html":     {"easured without a verdict", "There is no verdict: " + why},
		"json":     {`"verdict": "vetoed"`, `"veto": "` + why + `"`, `"runs": 0`},
	} {
		text := render(t, format, c)
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range wants {
			if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s does not say %q:\n%s", format, want, text)
			}
		}
	}
	// Two runs of an arm have their median, and no interval and no change.
	few := made
	few.Blocks, few.Busy = 2, nil
	text := render(t, "markdown", few.Campaign(3))
	if !strings.Contains(text, "| 64 | stateful | 2 | 0 | ") || !strings.Contains(text, " x | - | - | - |") || !strings.Contains(text, "There is no verdict: firewall none has 2 runs, where a verdict takes 3 of each arm.") {
		t.Errorf("of two runs:\n%s", text)
	}
}

// A lower bound is one in the table, and the change beside it has one bound.
func TestFoundAtLeast(t *testing.T) {
	made := samples.Experiment{Arms: samples.Firewalls, Factors: samples.FirewallFactor(), Sizes: []any{64}, Blocks: 4, Spread: .004, Wave: .01}
	limited := func(arm string) weir.Campaign {
		c := made.Campaign(3)
		for i := range c.Results {
			if r := &c.Results[i]; arm == "" || r.Run.Arm == arm {
				r.Warnings = append(r.Warnings, weir.Warn(weir.SearchLimit, "even the highest load met the goal"))
			}
		}
		return c
	}
	text := strings.Join(strings.Fields(render(t, "text", limited("firewall none"))), " ")
	for _, want := range []string{"stateful nftables costs at least 12.9 %", "at most -12.9 %", "64 at least 819.0 811.7 *", "firewall none forwards at least what was found, as no higher load could be sent"} {
		if !strings.Contains(text, want) {
			t.Errorf("where the baseline is at least: no %q in %s", want, text)
		}
	}
	text = strings.Join(strings.Fields(render(t, "text", limited(""))), " ")
	for _, want := range []string{"no verdict: firewall stateless and firewall none both forward at least what was found, so that their difference is not known", "64 stateful 4 0 at least 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("where all are at least: no %q in %s", want, text)
		}
	}
}

// Of an arm that does at least what was found no upper bound is printed.
func TestBoundsOfAnEffect(t *testing.T) {
	change := stats.Interval{Estimate: 1.8, Lower: 1.71, Upper: 1.92}
	for _, c := range []struct {
		effect stats.Effect
		want   string
	}{
		{stats.Effect{Change: change}, "+171 to +192 %"},
		{stats.Effect{Change: change, AtLeast: true}, "at least +171 %"},
	} {
		if got := boundsOf(c.effect); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
