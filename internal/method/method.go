// Package method holds the benchmarking procedures, one file for each, named
// after the RFC that defines it.
//
// A method knows what to ask of a tester and what may be concluded from the answers.
// It knows no kernel, no testbed and no store: trials are performed by the
// weir.Measurer that it is given, and recorded by whoever made that.
//
// Rates in a result are frames/s over all sending ports together; loads in
// Params, in Env and in trials are frames/s per port.
package method

import (
	"context"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
)

// Params are what a plan may say of a method; a zero field means the method's
// default. A method ignores what it has no use for.
type Params struct {
	Loss    float64       // loss ratio that meets the goal, 0 to 1
	Exceed  float64       // share of the trials at one load that may exceed Loss, 0 to 1
	Width   float64       // relative width of the bounds at which a search ends, 0 to 1
	Trial   time.Duration // how long each trial sends
	Trials  int           // trials at one load; those of a search end as soon as the load is decided
	Load    float64       // load as a share of the throughput: latency, recovery (the overload), reset, soak, profile
	Minimum float64       // lowest load of a search, frames/s per port; 0: one frame per trial
	Maximum float64       // highest load, frames/s per port; 0: what tester and medium can do

	// Of groups of methods. The list of each is next to what fills in its defaults.
	Ladder  Ladder
	Phases  Phases
	MLR     MLR
	Soak    Soak
	Windows Windows

	// Transfer is what programs of end hosts are asked, less the program and the seed,
	// which are no parameters. A warm-up may be NoWarmUp.
	Transfer weir.Transfer
}

// or is p with the zero fields filled in from d.
func (p Params) or(d Params) Params {
	fill(&p.Loss, d.Loss)
	fill(&p.Exceed, d.Exceed)
	fill(&p.Width, d.Width)
	fill(&p.Trial, d.Trial)
	fill(&p.Trials, d.Trials)
	fill(&p.Load, d.Load)
	fill(&p.Minimum, d.Minimum)
	fill(&p.Maximum, d.Maximum)
	p.Ladder = p.Ladder.or(d.Ladder)
	p.Phases = p.Phases.or(d.Phases)
	p.MLR = p.MLR.or(d.MLR)
	p.Soak = p.Soak.or(d.Soak)
	p.Windows = p.Windows.or(d.Windows)
	p.Transfer = orTransfer(p.Transfer, d.Transfer)
	return p
}

// quicker is p cut down to what q allows: no longer and no more trials.
func (p Params) quicker(q Params) Params {
	shorten(&p.Trial, q.Trial)
	shorten(&p.Trials, q.Trials)
	p.Width = max(p.Width, q.Width)
	p.Ladder = p.Ladder.quicker(q.Ladder)
	p.Phases = p.Phases.quicker(q.Phases)
	p.MLR = p.MLR.quicker(q.MLR)
	p.Soak = p.Soak.quicker(q.Soak)
	p.Windows = p.Windows.quicker(q.Windows)
	p.Transfer = quickerTransfer(p.Transfer, q.Transfer)
	return p
}

func fill[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

// shorten lowers to to a limit, unless there is none.
func shorten[T int | int64 | time.Duration](to *T, limit T) {
	if limit > 0 {
		*to = min(*to, limit)
	}
}

// Env is what a method is given: who measures, with what traffic, and what is
// known already.
type Env struct {
	Measure   weir.Measurer
	Traffic   weir.Traffic
	Waits     weir.Waits
	Condition weir.Condition // how the DUT is set; copied into the trials
	Factors   weir.Factors   // copied into the result
	Ceiling   float64        // what the tester alone does, frames/s per port; 0: unknown
	MediaRate float64        // what the medium carries, frames/s per port; 0: no limit is known
	DUTCPUs   int            // CPUs of the DUT; 0: unknown
	Events    []string       // what can be done to the DUT during a trial (weir.Event)
	Probe     bool           // whether the DUT's control plane can be asked (weir.Trial.Probe)
	LinkRate  float64        // media rate in bit/s; 0: no limit is known
	Past      []weir.Result  // found at the same levels before, in order
	Method    Method         // which it is, set by Method.Run
	Ring      int            // frames that the medium before the DUT holds; 0: nobody knows
	Shared    bool           // whether others use the DUT's machine, too (sweep.Goal)

	// Probed is a trial of some thousand frames of the traffic at a low load; the zero one
	// where there was none.
	Probed weir.TrialResult

	// Of a campaign that goes round (Method.Rounds): which round it is, of how many,
	// and all trials that the method took at the same levels in those before, each
	// attempt by itself. 0, 0 and none where it does not.
	Round, Rounds int
	Earlier       []weir.TrialResult

	// Others are results of the same campaign from before that know several speeds, in their
	// order: what the machine does to one sweep it does to another.
	Others []weir.Result

	// Of DUTs that stand side by side, of which each gets a result, in this order:
	// which they are, and how often such were built by now. None, and 0, where there
	// is one.
	Arms  []Arm
	Build int
}

// Method is one benchmarking procedure.
type Method struct {
	Name    string // as in a plan
	RFC     string // that defines it, with the section; "" for weir's own
	Summary string // one line
	Kind    Kind   // of what it finds, for those who show and compare it
	Title   string // how people call that; "": as the method
	Means   string // what its value is, where the name does not say it
	// Leads are the figures that are shown beside the value where there is room for few, with
	// their names written out; Curved says that the points are, too.
	Leads  []Lead
	Curved bool
	// Check is the checklist by which its results earn a name; nil: they are called by
	// the name of the method.
	Check claim.Checklist
	// Earns are the names that its results may earn, in addition to those of the ladder
	// (claim.Ladder): in each list the weakest first, and each satisfies those before it.
	Earns    [][]string
	Defaults Params // good numbers within minutes
	Quick    Params // the most that a quick run spends; zero fields are no limit
	Book     Params // what the RFC demands, where that is more than the defaults
	// Needs are methods of which one has to have been run before at the same
	// levels, without loss where it is the throughput; none where it is empty.
	Needs []string
	Lossy bool // whether a throughput at some loss will do, too
	// Rounds says that a campaign which goes round performs it in each round
	// (Env.Round), and not in the last one alone.
	Rounds bool
	// Timed says that it keeps to its time (Windows.Time) by itself.
	Timed bool
	// Abreast says that it can measure DUTs that stand side by side (Env.Arms).
	Abreast bool
	// Does is what is done to the DUT in each of its trials; nil: nothing.
	Does *Doing
	// Application says that programs of end hosts talk in its trials
	// (weir.Trial.Transfer), and no test frames are sent.
	Application bool
	// Line says that it takes an end host that is connected by an access line
	// (weir.Access).
	Line bool
	// Takes are the fields of a plan that mean something to it, in addition to those that all
	// methods have: "loss", "streams", "files". Any other is a mistake there.
	Takes []string
	// Tests are those that its program has by name (Params.Transfer), the usual one
	// first; none: it has only one.
	Tests []string
	// Measure performs it, for Run. What the plan left open in the parameters has the
	// method's defaults.
	Measure func(context.Context, Env, Params) ([]weir.Result, error)
}

// A Lead is a figure that matters most beside the value.
type Lead struct {
	Figure string // by its name in the result; "": the value
	Is     string // its name written out
}

// Run performs the method and returns its results: one, or one for each goal.
// Its error is that of a trial or of the context, or says why the method
// cannot be performed; along with the context's error the results hold what was
// found until then.
func (m Method) Run(ctx context.Context, env Env, p Params) ([]weir.Result, error) {
	env.Method = m
	p, measure, trials := m.Params(p), env.Measure, slices.Clone(env.Earlier)
	env.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, t)
		if err == nil {
			trials = append(trials, r)
		}
		return r, err
	}
	results, err := m.Measure(ctx, env, p)
	limits(env, p, results, trials)
	return results, err
}

// Quickly is p cut down to what a quick run of the method may spend.
func (m Method) Quickly(p Params) Params { return p.quicker(m.Quick) }

// ByTheBook is p with what it leaves open filled in from what the RFC demands,
// and then from the defaults.
func (m Method) ByTheBook(p Params) Params { return p.or(m.Book).or(m.Defaults) }

// Params is p with what it leaves open filled in from the method's defaults.
func (m Method) Params(p Params) Params { return p.or(m.Defaults) }
