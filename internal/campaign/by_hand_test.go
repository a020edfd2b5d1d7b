package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// handled is a lab that notes what a person is asked for and what is set and measured
// then. It asks until answers are at their end.
func handled(log *[]string, answers int) Lab {
	lab := applied(log)
	lab.Prompt = func(ctx context.Context, do string) error {
		*log = append(*log, do)
		if answers--; answers < 0 {
			return io.EOF
		}
		return ctx.Err()
	}
	return lab
}

const handPlan = `
testbed: {kind: ports, ports: [a, b]}
traffic: {sizes: 64}
factors: {command: [none, {name: old}, {name: new}, {name: x, do: y, undo: z}]}
methods: frmol
runs: {count: 4, seed: SEED, same: SAME}
`

func handSeed(seed int, same string) string {
	return strings.NewReplacer("SEED", fmt.Sprint(seed), "SAME", same).Replace(handPlan)
}

// A person is asked before each run for which the box has to be set otherwise, and
// not for a command or a second baseline.
func TestSetByHand(t *testing.T) {
	p := parsed(t, handSeed(2, "yes"))
	p.Levels[0], p.Levels[1] = p.Levels[1], p.Levels[0] // so that the baseline is set by hand
	var log []string
	var rec memory
	left := ""
	c, err := Run(t.Context(), p, handled(&log, 100), &rec, func(e Event) { left += e.Left })
	if err != nil || len(c.Results) != 20 {
		t.Fatalf("%d results, %v", len(c.Results), err)
	}
	now, asked := "", 0
	for _, line := range log {
		switch _, level, set := strings.Cut(line, "Set the box to "); {
		case set:
			level, _, _ = strings.Cut(strings.TrimPrefix(level, `"`), `"`)
			if level == now {
				t.Errorf("asked twice for %s: %q", level, log)
			}
			now, asked = level, asked+1
		case strings.HasPrefix(line, "Make sure that the box is set as usual"):
			if asked > 0 {
				t.Errorf("asked after %d others: %s", asked, line)
			}
			asked++
		case strings.HasPrefix(line, "Set the box back"):
			if line != fmt.Sprintf("Set the box back (it was set to %q), then press Enter:", now) {
				t.Errorf("%s, when it is set to %q", line, now)
			}
			now, asked = "", asked+1
		case strings.HasPrefix(line, "run "):
			var run int
			fmt.Sscanf(line, "run %d", &run)
			want := map[string]string{"command old": "old", "command new": "new"}[c.Results[run-1].Run.Arm]
			if now != want {
				t.Errorf("run %d, of %s, is measured with the box set to %q", run, c.Results[run-1].Run.Arm, now)
			}
		}
	}
	if e := c.Manifest.Experiment; asked != p.Questions() || e.ByHand != asked || rec.manifests[len(rec.manifests)-1].Experiment.ByHand != asked {
		t.Errorf("asked %d times, and the plan says %d; recorded are %d", asked, p.Questions(), e.ByHand)
	}
	if left != now || c.Manifest.Experiment.Left != now {
		t.Errorf("left at %q, says the end, and %q the manifest; it is %q", left, c.Manifest.Experiment.Left, now)
	}
}

// Where nobody answers the campaign ends, and goes on later with what it lacks.
func TestNobodySetsByHand(t *testing.T) {
	p := parsed(t, handSeed(2, "no"))
	var log []string
	c, err := Run(t.Context(), p, handled(&log, 2), &memory{}, nil)
	if !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "the box was not set by hand") || c.Ended == weir.EndedComplete || len(c.Results) == 0 {
		t.Fatalf("%d results, ended %q: %v", len(c.Results), c.Ended, err)
	}
	last := log[len(log)-1]
	log = nil
	c, err = Resume(t.Context(), stored(t, c), p, handled(&log, 100), &memory{}, nil)
	if err != nil || len(c.Results) != 16 || log[0] != last {
		t.Errorf("%d results, asked %q first, and it was %q: %v", len(c.Results), log[0], last, err)
	}

	log = nil
	c, err = Run(t.Context(), p, applied(&log), &memory{}, nil)
	if !errors.Is(err, ErrNobody) || len(c.Trials) > 0 || len(log) > 0 {
		t.Errorf("with nobody there: %d trials, %q, %v", len(c.Trials), log, err)
	}
}

// A campaign asks also for the box as usual when it begins: an earlier one may have left
// it set. At its end it says how it is left.
func TestSetAsUsual(t *testing.T) {
	p := parsed(t, "testbed: {kind: ports, ports: [a, b]}\ntraffic: {sizes: 64}\nmodifiers: [plain, {command: {name: new}}]\nmethods: frmol\n")
	var log []string
	left := ""
	progress := func(e Event) { left += e.Left }
	if _, err := Run(t.Context(), p, handled(&log, 100), &memory{}, progress); err != nil {
		t.Fatal(err)
	}
	asked := questions(log)
	want := []string{"Make sure that the box is set as usual, with nothing of this plan, then press Enter:", `Set the box to "new" by hand, then press Enter:`}
	if diff := cmp.Diff(want, asked); diff != "" || len(asked) != p.Questions() || left != "new" {
		t.Errorf("the plan says %d questions, left at %q: %s", p.Questions(), left, diff)
	}

	log, left = nil, ""
	plain := parsed(t, "testbed: {kind: ports, ports: [a, b]}\ntraffic: {sizes: 64}\nmethods: frmol\n")
	if _, err := Run(t.Context(), plain, handled(&log, 100), &memory{}, progress); err != nil || len(questions(log)) > 0 || left != "" {
		t.Errorf("where nothing is set by hand: %q, left at %q, %v", log, left, err)
	}

	// One that goes on asks again, also for that.
	ctx, cancel := context.WithCancel(t.Context())
	c, err := Run(ctx, p, handled(&log, 100), &memory{}, func(e Event) {
		if e.Kind == TrialDone {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	log = nil
	p.Levels[0].Traffic = append(p.Levels[0].Traffic, parsed(t, "testbed: {kind: ports, ports: [a, b]}\ntraffic: {sizes: 512}\nmethods: frmol\n").Levels[0].Traffic...)
	if _, err = Resume(t.Context(), stored(t, c), p, handled(&log, 100), &memory{}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, questions(log)); diff != "" {
		t.Error(diff)
	}
}

// questions are what a person was asked for in the log of a lab.
func questions(log []string) []string {
	return slices.DeleteFunc(slices.Clone(log), func(line string) bool { return !strings.HasSuffix(line, "press Enter:") })
}

// A campaign that was interrupted asks once more for what is set: somebody may have
// set something else since.
func TestSetByHandOnceMore(t *testing.T) {
	p := parsed(t, "testbed: {kind: ports, ports: [a, b]}\ntraffic: {sizes: [64, 512]}\nmodifiers: [{command: {name: new}}, plain]\nmethods: frmol\n")
	var log []string
	first, cancel := context.WithCancel(t.Context())
	lab := handled(&log, 100)
	c, err := Run(first, p, lab, &memory{}, func(e Event) {
		if e.Kind == ResultDone {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || c.Ended != weir.EndedInterrupted {
		t.Fatalf("ended %q: %v", c.Ended, err)
	}
	if c, err = Resume(t.Context(), stored(t, c), p, lab, &memory{}, nil); err != nil || len(c.Results) != 4 {
		t.Fatalf("%d results, %v", len(c.Results), err)
	}
	const to, back = `Set the box to "new" by hand, then press Enter:`, `Set the box back (it was set to "new"), then press Enter:`
	if diff := cmp.Diff([]string{to, to, back}, questions(log)); diff != "" {
		t.Error(diff)
	}
}

// Who interrupts at the question interrupts the campaign.
func TestInterruptedAtTheQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var log []string
	lab := handled(&log, 100)
	lab.Prompt = func(ctx context.Context, _ string) error { cancel(); <-ctx.Done(); return ctx.Err() }
	c, err := Run(ctx, parsed(t, handSeed(2, "no")), lab, &memory{}, nil)
	if err != context.Canceled || c.Ended != weir.EndedInterrupted {
		t.Errorf("ended %q: %v", c.Ended, err)
	}
}

// The time that a person takes is no time of a method's, also where a campaign goes on
// in the middle of one.
func TestTimeByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		lab := handled(&log, 100)
		lab.Answers = func(context.Context) error { time.Sleep(time.Hour); return nil }
		lab.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
			r, err := wire(ctx, t)
			if t.Intended > 4321 {
				r.Received /= 2
			}
			return r, err
		}
		p := parsed(t, strings.Replace(handSeed(2, "no"), "methods: frmol", "methods: [{method: throughput, trial: 100ms, within: 30s, maximum: 10k}]", 1))
		ctx, cancel := context.WithCancel(t.Context())
		c, err := Run(ctx, p, lab, &memory{}, func(e Event) {
			if e.Kind == TrialDone && e.Method == "throughput" && e.Trial.Trial.Condition.ByHand() != "" {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if c, err = Resume(t.Context(), stored(t, c), p, lab, &memory{}, nil); err != nil || len(c.Results) != 16 {
			t.Fatalf("%d results, %v", len(c.Results), err)
		}
		for _, r := range c.Results {
			if weir.HasWarning(r.Warnings, weir.SearchLimit) {
				t.Errorf("run %d: %v", r.Run.Number, r.Warnings)
			}
		}
	})
}

// A box that does not answer is for the person to mend, three times at most.
func TestBoxThatDoesNotAnswer(t *testing.T) {
	for dead, want := range map[int]bool{0: true, 2: true, 3: false} {
		var log []string
		lab := handled(&log, 100)
		lab.Answers = func(context.Context) error {
			if dead--; dead >= 0 {
				return errors.New("nobody is there")
			}
			return nil
		}
		_, err := Run(t.Context(), parsed(t, handSeed(2, "no")), lab, &memory{}, nil)
		if (err == nil) != want {
			t.Errorf("%v: %q", err, log)
		}
	}
}

// After a command, and after what undoes it, nothing is sent until the box answers. One
// that does not is not measured.
func TestAnswersAfterCommands(t *testing.T) {
	p := parsed(t, `
testbed: {kind: ports, ports: [a, b]}
traffic: {sizes: 64}
factors: {command: [none, {name: x, do: y, undo: z}]}
methods: frmol
runs: {count: 3, seed: 2, same: no}
`)
	for _, dead := range []bool{false, true} {
		var log []string
		lab := applied(&log)
		lab.Answers = func(context.Context) error {
			if log = append(log, "answers"); dead {
				return errors.New("nobody is there")
			}
			return nil
		}
		c, err := Run(t.Context(), p, lab, &memory{}, nil)
		said := strings.Join(log, ", ")
		if dead {
			if err == nil || !strings.Contains(err.Error(), "no frame gets through the box: nobody is there") {
				t.Errorf("%v: %s", err, said)
			}
			continue
		}
		if err != nil || len(c.Results) != 6 {
			t.Fatalf("%d results, %v", len(c.Results), err)
		}
		const want = "y, answers, run 1, undone, answers, run 2, run 3, y, answers, run 4, undone, y, answers, run 5, undone, answers, run 6"
		if diff := cmp.Diff(want, said); diff != "" {
			t.Error(diff)
		}
	}
}
