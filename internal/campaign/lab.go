package campaign

import (
	"context"
	"slices"
	"time"

	"weir"
	"weir/internal/plan"
)

// Lab is an open testbed as a campaign sees it.
type Lab struct {
	Measure  weir.Measurer
	Manifest weir.Manifest // what is known of the environment; Run adds what the plan says
	LinkRate float64       // media rate in bit/s; 0 when the links have none
	Ring     int           // frames that the medium before the DUT holds; 0: nobody knows
	Shared   bool          // whether others use the DUT's machine, too, as those of a virtual one do
	CPUs     weir.CPUs     // who runs where
	SelfTest bool          // whether the tester can be measured without the DUT (Trial.Bypass)
	Observe  Observer      // nil when the testbed has nothing to be sampled
	Events   []string      // what can be done to the DUT during a trial (weir.Event)
	Probe    bool          // whether the DUT's control plane can be asked (weir.Trial.Probe)
	// Load reads trials of a campaign that goes on with the trials alone that Recalls wants; nil: it
	// has all of them.
	Load Load
	// Ask asks whoever sits before weir a question, and reports whether the answer is
	// yes; nil: nobody does.
	Ask func(ctx context.Context, question string) bool
	// Prompt asks whoever sits before weir to do something at the DUT by hand, and waits until
	// it is done; nil: nobody sits there.
	Prompt func(ctx context.Context, do string) error
	// Answers waits until frames get through the DUT, which somebody has had in hand; nil:
	// nobody can have.
	Answers func(context.Context) error
	// Announce lets others on this machine know which campaign is measured here;
	// nil: nobody asks.
	Announce func(ctx context.Context, campaign string) error
	// Diagnose says what the DUT knows of a traffic's addresses and its ports, a sentence
	// each, for people who wonder why it forwards nothing of it; nil: not known.
	Diagnose func(context.Context, weir.Traffic) []string
	// Apply sets the DUT to a condition, or each of several side by side to its own,
	// and returns what undoes it; nil when it can be set to none but the plain one.
	Apply func(context.Context, ...weir.Condition) (undo func(context.Context) error, err error)
	// Cannot says what of a condition the DUT cannot be set to here, with what to do.
	// It changes nothing; nil: all of it can be tried.
	Cannot func(context.Context, weir.Condition) error
	// Rebuild takes the testbed down and sets another one up in its place, or the
	// same anew: Measure, Observe and all other functions are that one's from then
	// on, and what else a Lab says is returned. nil when it cannot.
	Rebuild func(context.Context, plan.Testbed) (Lab, error)
	// Restart starts the DUT anew between runs, and waits until it forwards, without any
	// condition; nil: it cannot be.
	Restart func(context.Context, weir.Reset) error
	// Holds says why the DUT is no longer as Apply has set it: a daemon or a
	// program of the condition has ended, say. It is asked when a trial could not be measured; nil:
	// not known.
	Holds func() error
}

// Observation is what was seen of the machine during a trial.
type Observation struct {
	Host     weir.HostLoad  // what else ran
	DUTCPU   time.Duration  // CPU time that the DUT used for the frames of the trial; 0 when unknown
	Readings []weir.Reading // of the DUT's machine
}

// Observer samples the machine before a trial; done is given for how long frames
// were sent, samples it again and gives the difference.
type Observer func(context.Context) (done func(sending time.Duration) (Observation, error), err error)

// NewManifest is the environment of a campaign in a lab, with what its plan
// adds to it.
func NewManifest(p plan.Plan, l Lab, now time.Time) weir.Manifest {
	m := l.Manifest
	m.Weir = weir.Version
	m.Testbed = p.Testbed.Kind
	m.Plan = p.Text
	m.Place, m.Notes = p.Testbed.Name, p.Notes
	m.Ceiling = map[string]float64{}
	if m.Started.IsZero() {
		m.Started = now
	}
	if m.Platform == "" {
		m.Platform = p.DUT.Platform
	}
	if len(p.Traffic) > 0 {
		m.Seed = p.Traffic[0].Seed
	}
	m.Settings = append(slices.Clone(m.Settings), p.Settings()...)
	for _, part := range p.Parts() {
		if part.Experiment != nil {
			e := part.Experiment.Experiment
			m.Experiment = &e
		}
	}
	return m
}
