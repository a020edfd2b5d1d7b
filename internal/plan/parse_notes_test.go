package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

const noted = `testbed: {kind: sim, name: shelf 3}
traffic: {sizes: [64, 1518]}
factors:
  firewall: [{name: open, level: none}, {kind: stateful, rules: 25, name: "pf, 25 rules"}]
methods: [frmol]
notes:
  - flow control was off
  - {of: {firewall: "pf, 25 rules", frame_size: 64}, text: with the new kernel}
`

// Levels have the names that the user gave them, and notes are about results at them.
func TestNamesAndNotes(t *testing.T) {
	p := parsed(t, noted)
	if p.Testbed.Name != "shelf 3" || p.Levels[0].Condition.Firewall().Kind != "" || p.Levels[1].Condition.Firewall().Rules != 25 {
		t.Errorf("testbed %q, levels %+v", p.Testbed.Name, p.Levels)
	}
	if diff := cmp.Diff([]weir.Factor{{Name: "firewall", Levels: []string{"open", "pf, 25 rules"}}}, p.Experiment.Factors); diff != "" {
		t.Errorf("factors (-want +got):\n%s", diff)
	}
	want := []weir.Note{{Text: "flow control was off"}, {Text: "with the new kernel", Of: map[string]string{"firewall": "pf, 25 rules", "frame_size": "64"}}}
	if diff := cmp.Diff(want, p.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	var about []string
	for _, l := range p.Levels {
		for _, traffic := range l.Traffic {
			r := weir.Result{Method: "frmol", Factors: l.Factors(traffic)}
			about = append(about, fmt.Sprint(p.Notes[0].About(r), " ", p.Notes[1].About(r)))
		}
	}
	if got := strings.Join(about, ", "); got != "false false, false false, false true, false false" {
		t.Errorf("about: %s", got)
	}
	l := parsed(t, "testbed: {kind: sim}\nmodifiers: [plain, {filters: 25, name: branch office}]\n").Levels
	if l[1].Name != "branch office" || l[1].Condition.Filters() != 25 {
		t.Errorf("modifier %+v", l[1])
	}
}

func TestNotesOfNothing(t *testing.T) {
	for note, want := range map[string]string{
		`{of: {firewall: "pf, 24 rules"}, text: x}`: `no result of this plan has the firewall "pf, 24 rules": did you mean "pf, 25 rules"?`,
		`{of: {framesize: 64}, text: x}`:            `no result of this plan has a "framesize": did you mean "frame_size"?`,
		`{of: {frame_size: 64}}`:                    "a note needs its text",
		`{of: {}, text: x}`:                         "which results?",
	} {
		_, err := Parse("plan.yaml", []byte(noted+"  - "+note+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", note, err, want)
		}
	}
}
