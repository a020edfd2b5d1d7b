// Package method holds the benchmarking procedures, one file for each, named
// after the RFC that defines it.
//
// A method knows what to ask of a tester and what may be said of the answers.
// It knows no kernel, no testbed and no store: trials are performed by the
// weir.Measurer that it is given, and recorded by whoever made that.
//
// Rates in a result are frames/s over all sending ports together; loads in
// Params, in Env and in trials are frames/s per port.
package method

import (
	"context"
	"time"

	"weir"
)

// Params are what a plan may say of a method; a zero field means the method's
// default.
type Params struct {
	Loss    float64       // loss ratio that meets the goal, 0 to 1
	Exceed  float64       // share of the trials at one load that may exceed Loss, 0 to 1
	Width   float64       // relative width of the bounds at which a search ends, 0 to 1
	Trial   time.Duration // how long each trial sends
	Trials  int           // trials at one load; those of a search end as soon as the load is decided
	Load    float64       // latency: load as a share of the throughput
	Minimum float64       // lowest load of a search, frames/s per port; 0: one frame per trial
	Maximum float64       // highest load of a search, frames/s per port; 0: what tester and medium can do
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
	return p
}

func fill[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

// Env is what a method is given: who measures, with what traffic, and what is
// known already.
type Env struct {
	Measure   weir.Measurer
	Traffic   weir.Traffic
	Waits     weir.Waits
	Factors   weir.Factors  // copied into the result
	Ceiling   float64       // what the tester alone does, frames/s per port; 0: unknown
	MediaRate float64       // what the medium carries, frames/s per port; 0: no limit is known
	DUTCPUs   int           // CPUs of the DUT; 0: unknown
	Past      []weir.Result // found at the same levels before, in order
}

// Method is one benchmarking procedure.
type Method struct {
	Name     string // as in a plan
	RFC      string // that defines it, with the section; "" for weir's own
	Summary  string // one line
	Defaults Params
	// Run performs the method. Its error is that of a trial or of the context,
	// or says why the method cannot be performed; beside the context's error
	// the result holds what was found until then.
	Run func(context.Context, Env, Params) (weir.Result, error)
}

// Params is p with what it leaves open filled in from the method's defaults.
func (m Method) Params(p Params) Params { return p.or(m.Defaults) }

// All are the methods, in the order in which a user meets them.
func All() []Method { return []Method{selfTest, frmol, throughput, latency} }

// ByName is the method that a plan calls by name.
func ByName(name string) (Method, bool) {
	for _, m := range All() {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}
