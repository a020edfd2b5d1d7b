package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
	"weir/internal/sim"
)

// mortal is a recorder whose process is killed after a number of records: what
// it holds then is what would be on disk.
type mortal struct {
	lives int // records until then; negative: none ends it
	disk  weir.Campaign
	twice []string // trials and results that were recorded more than once
	log   []record
}

// record puts something on a disk. A result's is the end of a step.
type record struct {
	put    func(disk *weir.Campaign)
	result bool
}

// killed is a recorder that has no more than the first n records of another one.
func (m *mortal) killed(t *testing.T, n int) *mortal {
	cut := &mortal{lives: -1}
	for _, r := range m.log[:n] {
		r.put(&cut.disk)
	}
	cut.disk = stored(t, cut.disk)
	return cut
}

var errKilled = errors.New("killed")

func (m *mortal) record(what string, result bool, put func(*weir.Campaign)) error {
	if m.lives == 0 {
		return errKilled
	}
	m.lives--
	if what != "" {
		for _, old := range m.names() {
			if old == what {
				m.twice = append(m.twice, what)
			}
		}
	}
	put(&m.disk)
	m.log = append(m.log, record{put, result})
	return nil
}

func (m *mortal) names() []string {
	var out []string
	for _, t := range m.disk.Trials {
		out = append(out, fmt.Sprint("trial ", t.Trial.Number))
	}
	for _, r := range m.disk.Results {
		out = append(out, resultName(r))
	}
	return out
}

func resultName(r weir.Result) string {
	return fmt.Sprint(r.Method, " ", levelsOf(r.Factors), " loss ", r.LossRatio, " of run ", r.Run.Number, ", trials ", r.First, "-", r.Last)
}

func (m *mortal) RecordManifest(_ context.Context, v weir.Manifest) error {
	v.Ceiling = maps.Clone(v.Ceiling) // which the campaign adds to
	return m.record("", false, func(disk *weir.Campaign) { disk.Manifest = v })
}

func (m *mortal) RecordTrial(_ context.Context, v weir.TrialResult) error {
	return m.record(fmt.Sprint("trial ", v.Trial.Number), false, func(disk *weir.Campaign) { disk.Trials = append(disk.Trials, v) })
}

func (m *mortal) RecordResult(_ context.Context, v weir.Result) error {
	return m.record(resultName(v), true, func(disk *weir.Campaign) { disk.Results = append(disk.Results, v) })
}

// stored is a campaign as it comes back from a store.
func stored(t *testing.T, c weir.Campaign) weir.Campaign {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := json.Marshal(c.Trials)
	if err != nil {
		t.Fatal(err)
	}
	var out weir.Campaign
	if err := errors.Join(json.Unmarshal(text, &out), json.Unmarshal(trials, &out.Trials)); err != nil {
		t.Fatal(err)
	}
	return out
}

// measured is what a campaign found, without the times of day.
func measured(t *testing.T, c weir.Campaign) string {
	t.Helper()
	c.Trials = slices.Clone(c.Trials)
	for i := range c.Trials {
		c.Trials[i].Start = time.Time{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := errors.Join(e.Encode(c.Results), e.Encode(c.Trials), e.Encode(c.Manifest.Ceiling)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// simulated is a lab with a simulated DUT, which is noisy.
func simulated(t *testing.T) Lab {
	t.Helper()
	router, err := sim.New(sim.Default)
	if err != nil {
		t.Fatal(err)
	}
	return Lab{
		Measure: router.Measure, SelfTest: true, CPUs: weir.CPUs{DUT: []int{0}}, Events: sim.Events(), Probe: true,
		Manifest: weir.Manifest{Kernel: "6.18", Backend: "sim", Simulated: true},
		Apply: func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
			return func(context.Context) error { return nil }, nil
		},
	}
}

// resumable has what decides on trials in all the ways there are: searches,
// several results of one method, a time limit, and levels.
const resumable = `testbed: {kind: sim}
traffic: {sizes: [64]}
modifiers: [plain, {filters: 25, burst: 16}]
methods:
  - frmol
  - {method: throughput, loss: 0, width: 10%}
  - {method: throughput, loss: 0.5%, width: 1%, trial: 1s, within: 4s}
  - {method: mlrsearch, goals: [{final: 1s, sum: 2s, width: 10%}, {final: 1s, sum: 2s, loss: 1%, width: 10%}]}
  - {method: latency, trials: 2}
`

// limited is a search that is cut short by its time.
const limited = `testbed: {kind: sim}
traffic: {sizes: [64]}
methods: [{method: throughput, loss: 0.5%, width: 1%, trial: 1s, within: 8s}]
`

// rounded has sweeps in rounds, a method that comes once, and an experiment.
const rounded = `testbed: {kind: sim}
traffic: {sizes: [64, 512]}
rounds: 2
methods:
  - {method: sweep, within: 120ms, window: 1ms, trial: 20ms}
  - frmol
then:
  traffic: {sizes: 64}
  factors: {firewall: [none, stateful]}
  methods: {method: frmol, trial: 100ms}
  runs: 3
`

// TestResume kills a campaign after each of its records, and lets it go on: it
// ends as one that was not killed, with every trial and every result once.
func TestResume(t *testing.T) {
	t.Run("searches", func(t *testing.T) { resumed(t, parsed(t, resumable), 12, simulated) })
	t.Run("limit", func(t *testing.T) { resumed(t, parsed(t, limited), 1, simulated) })
	t.Run("limit, disturbed", func(t *testing.T) {
		resumed(t, parsed(t, limited), 1, func(t *testing.T) Lab { return disturbed(simulated(t), 2) })
	})
	t.Run("rounds", func(t *testing.T) { resumed(t, parsed(t, rounded), 2*2+2+3*3, simulated) })
}

// Which trials are repeated, of those that are disturbed, is the same when the
// campaign goes on.
func TestResumeWhatIsDisturbed(t *testing.T) {
	again := resumed(t, parsed(t, resumable), 12, func(t *testing.T) Lab { return disturbed(simulated(t), 3) })
	if again == 0 {
		t.Error("no trial was repeated")
	}
}

// disturbed is a lab in which one of so many trials is disturbed and loses a frame.
func disturbed(lab Lab, oneOf int) Lab {
	measure := lab.Measure
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if err == nil && trial.Number%oneOf == 0 && !trial.Bypass && r.Received > 0 {
			r.Received--
			r.Warnings = append(r.Warnings, weir.Warn(weir.StealTime, "the hypervisor took the CPU"))
		}
		return r, err
	}
	return lab
}

// resumed kills a campaign that finds so many results after each of its records. It
// returns how many trials were repeated.
func resumed(t *testing.T, p plan.Plan, results int, lab func(*testing.T) Lab) (repeated int) {
	whole := &mortal{lives: -1}
	c, err := Run(t.Context(), p, lab(t), whole, nil)
	if err != nil || len(c.Results) != results {
		t.Fatalf("%d results, want %d: %v", len(c.Results), results, err)
	}
	want := measured(t, c)
	ended := 0 // steps
	for n := 1; n < len(whole.log); n++ {
		if whole.log[n-1].result {
			ended++
		}
		atEnd := whole.log[n].result || whole.log[n-1].result
		if testing.Short() && len(whole.log) > 40 && n%9 != 0 && !(atEnd && ended%3 == 0) {
			continue // -short: of many at the end of some steps, and here and there
		}
		m := whole.killed(t, n)
		before := len(m.disk.Trials)
		again, err := Resume(t.Context(), m.disk, p, lab(t), m, nil)
		if Recalls(m.disk, p) {
			recalled(t, whole.killed(t, n), p, lab(t), want, n)
		}
		if err != nil || again.Ended != "complete" {
			t.Fatalf("killed after %d records, of %d trials, it ends %q: %v", n, before, again.Ended, err)
		}
		if len(m.twice) > 0 {
			t.Fatalf("killed after %d records: recorded twice: %v", n, m.twice)
		}
		for what, got := range map[string]weir.Campaign{"returned": again, "on disk": m.disk} {
			if diff := cmp.Diff(want, measured(t, got)); diff != "" {
				t.Fatalf("killed after %d records, %s (-want +got):\n%.3000s", n, what, diff)
			}
		}
	}
	for _, trial := range c.Trials {
		if trial.Attempts > 1 {
			repeated++
		}
	}
	return repeated
}

// recalled lets a campaign that was killed after n records go on without the trials of steps that
// have ended: it measures what was left to be measured, and nothing else.
func recalled(t *testing.T, m *mortal, p plan.Plan, lab Lab, want string, n int) {
	t.Helper()
	c := m.disk
	c.Trials = slices.DeleteFunc(slices.Clone(c.Trials), func(r weir.TrialResult) bool {
		covered, first := false, r.Trial.Number == len(m.disk.Trials)
		for _, res := range c.Results {
			covered = covered || res.First <= r.Trial.Number && r.Trial.Number <= res.Last
			first = first || res.First == r.Trial.Number
		}
		return covered && !first
	})
	all := slices.Clone(m.disk.Trials)
	lab.Load = func(_ context.Context, first, last int) ([]weir.TrialResult, error) {
		return slices.Clone(all[first-1 : last]), nil
	}
	again, err := Resume(t.Context(), c, p, lab, m, nil)
	if err != nil || again.Ended != "complete" || len(m.twice) > 0 {
		t.Fatalf("killed after %d records, without trials of what ended, it ends %q, with %v twice: %v", n, again.Ended, m.twice, err)
	}
	if diff := cmp.Diff(want, measured(t, m.disk)); diff != "" {
		t.Fatalf("killed after %d records, without trials of what ended (-want +got):\n%.3000s", n, diff)
	}
}

// TestResumeAfterInterruption cancels a campaign in the middle of a search: what
// it had found is replaced by what it finds.
func TestResumeAfterInterruption(t *testing.T) {
	p := parsed(t, resumable)
	lab := simulated(t)
	c, err := Run(t.Context(), p, lab, &mortal{lives: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{5, 9, 14, 30} {
		m := &mortal{lives: -1}
		ctx, cancel := context.WithCancel(t.Context())
		part, err := Run(ctx, p, lab, m, func(e Event) {
			if e.Kind == TrialDone && e.Trial.Trial.Number == at {
				cancel()
			}
		})
		cancel()
		if part.Ended != "interrupted" || !errors.Is(err, context.Canceled) || len(part.Trials) != at {
			t.Fatalf("ended %q with %d trials: %v", part.Ended, len(part.Trials), err)
		}
		for _, r := range part.Results {
			if last := r.Last == at; weir.HasWarning(r.Warnings, weir.Interrupted) != last && last {
				t.Errorf("interrupted at trial %d, and %s does not say so", at, resultName(r))
			}
		}
		again, err := Resume(t.Context(), stored(t, m.disk), p, lab, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(measured(t, c), measured(t, again)); diff != "" {
			t.Errorf("interrupted at trial %d (-want +got):\n%.3000s", at, diff)
		}
	}
}

// TestResumeMeasuresWhatFailed lets one step fail in its middle while others go
// on: only this one is measured anew, in one go.
func TestResumeMeasuresWhatFailed(t *testing.T) {
	p := parsed(t, strings.Replace(resumable, "[64]", "[64, 512]", 1))
	lab, m := simulated(t), &mortal{lives: -1}
	sound := lab.Measure
	broken := 0
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Purpose == "throughput" && trial.Traffic.Name == "512" && trial.Condition.IsZero() {
			if broken++; broken == 3 {
				return weir.TrialResult{}, errors.New("the cable was out")
			}
		}
		return sound(ctx, trial)
	}
	c, err := Run(t.Context(), p, lab, m, nil)
	if err == nil || len(c.Results) != 22 { // with the latency, which needs it
		t.Fatalf("%d results, error %v", len(c.Results), err)
	}
	before := len(c.Trials)
	lab.Measure = sound
	again, err := Resume(t.Context(), stored(t, c), p, lab, m, nil)
	if err != nil || again.Ended != "complete" || len(again.Results) != 24 {
		t.Fatalf("ended %q with %d results: %v", again.Ended, len(again.Results), err)
	}
	if len(m.twice) > 0 {
		t.Errorf("recorded twice: %v", m.twice)
	}
	for _, r := range again.Results[22:] {
		if r.Factors["frame_size"] != 512 || r.Factors["filters"] != nil || r.First <= before || r.Last-r.First >= r.Trials+2 {
			t.Errorf("measured anew: %s, with %d trials after trial %d", resultName(r), r.Trials, before)
		}
	}
}

// A step that is measured anew, and is killed once more, goes on with what it
// measured last.
func TestResumeWhatFailedAndWasKilled(t *testing.T) {
	p := parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput, trial: 1s}, frmol]\n")
	lab, m := simulated(t), &mortal{lives: -1}
	sound := lab.Measure
	throughput := 0
	lab.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if trial.Purpose == "throughput" {
			if throughput++; throughput == 4 {
				return weir.TrialResult{}, errors.New("the cable was out")
			}
		}
		return sound(ctx, trial)
	}
	failed, err := Run(t.Context(), p, lab, m, nil)
	if err == nil || len(failed.Results) != 1 {
		t.Fatalf("%d results, error %v", len(failed.Results), err)
	}
	lab.Measure = sound
	for lives := 2; ; lives++ {
		m := &mortal{lives: lives, disk: stored(t, failed)}
		if _, err := Resume(t.Context(), stored(t, m.disk), p, lab, m, nil); err == nil {
			return // it came to its end
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		m.lives, m.disk = -1, stored(t, m.disk)
		before := len(m.disk.Trials)
		c, err := Resume(t.Context(), m.disk, p, lab, m, nil)
		if err != nil || len(c.Results) != 2 || len(m.twice) > 0 {
			t.Fatalf("killed after %d records: %d results, twice %v: %v", lives, len(c.Results), m.twice, err)
		}
		if r := c.Results[1]; r.First != len(failed.Trials)+1 || r.Last-r.First+1 < r.Trials || before > len(c.Trials) {
			t.Errorf("killed after %d records: %s with %d trials, after %d", lives, resultName(r), r.Trials, len(failed.Trials))
		}
	}
}

// What an older weir has recorded does not say which trial belongs to which step.
func TestResumeOfAnOlderWeir(t *testing.T) {
	p := parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: frmol\n")
	m := &mortal{lives: 4}
	if _, err := Run(t.Context(), p, simulated(t), m, nil); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	for i := range m.disk.Trials {
		m.disk.Trials[i].Trial.Step = ""
	}
	before := len(m.disk.Trials)
	_, err := Resume(t.Context(), m.disk, p, simulated(t), &mortal{lives: -1}, nil)
	if err == nil || !strings.Contains(err.Error(), "begun by an older weir") || len(m.disk.Trials) != before {
		t.Errorf("%v", err)
	}
}

// TestResumeElsewhere goes on with another kernel: what is measured there says
// so, and the manifest is that of the beginning.
func TestResumeElsewhere(t *testing.T) {
	p := parsed(t, "testbed: {kind: sim}\ntraffic: {sizes: [64, 512]}\nmethods: frmol\n")
	m := &mortal{lives: 6} // manifests, self-tests, the probe and the trial of 64
	if _, err := Run(t.Context(), p, simulated(t), m, nil); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	m.lives = -1
	lab := simulated(t)
	lab.Manifest.Kernel = "6.19"
	c, err := Resume(t.Context(), stored(t, m.disk), p, lab, m, nil)
	if err != nil || len(c.Results) != 2 {
		t.Fatalf("%d results: %v", len(c.Results), err)
	}
	if weir.HasWarning(c.Results[0].Warnings, weir.MachineChanged) || !weir.HasWarning(c.Results[1].Warnings, weir.MachineChanged) {
		t.Errorf("warnings %v and %v", c.Results[0].Warnings, c.Results[1].Warnings)
	}
	note := c.Manifest.Settings[len(c.Manifest.Settings)-1]
	if c.Manifest.Kernel != "6.18" || !strings.Contains(note.Value, `kernel was "6.18" and is "6.19"`) || !strings.HasPrefix(note.Name, "went on ") {
		t.Errorf("kernel %s, note %+v", c.Manifest.Kernel, note)
	}
}

func TestRecordedPlans(t *testing.T) {
	p := parsed(t, "name: mine\ntraffic: {sizes: [64]}\n").WithTestbed(plan.SimulatedTestbed()).Quickly()
	again, err := plan.Recorded(weir.Campaign{ID: "x", Name: "mine", Manifest: NewManifest(p, Lab{}, time.Now())}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, again, equal); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	if _, err := plan.Recorded(weir.Campaign{ID: "x"}, nil); err == nil || !strings.Contains(err.Error(), "before its plan was recorded") {
		t.Errorf("a campaign without a plan: %v", err)
	}
}

// plan parses a plan that has no mistakes.
func parsed(t *testing.T, text string) plan.Plan {
	t.Helper()
	p, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// equal compares addresses as they are, and no functions.
var equal = cmp.Options{cmpopts.EquateComparable(netip.Addr{}), cmpopts.IgnoreFields(method.Method{}, "Measure", "Check"), cmpopts.IgnoreFields(plan.Step{}, "At")}
