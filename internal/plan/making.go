package plan

import (
	"time"

	"weir"
)

// What a lab of namespaces takes beside its trials, as measured on two CPUs that others
// use too.
const (
	labTime     = 6 * time.Second        // to look at the machine, make the lab, and take it down
	buildTime   = 500 * time.Millisecond // to make a DUT of the lab anew
	routeTime   = 18 * time.Microsecond  // to set a route and take it back
	windowsTime = 250 * time.Millisecond // to look at the windows of a trial
)

// Takes is an upper estimate of what a plan takes: its trials (WorstCase), and of a lab
// of namespaces what it takes to make that, its DUTs and their tables of routes, each
// time anew. How long machines of others take to be reset nobody knows.
func (p Plan) Takes() time.Duration {
	sum := p.WorstCase()
	if p.Testbed.Kind == NetNS {
		sum += labTime
	}
	for _, part := range p.Parts() {
		sum += part.making()
	}
	return sum
}

// making is what it takes to have the DUT as the runs of a plan, or its levels, need it.
func (p Plan) making() (sum time.Duration) {
	if p.Testbed.Kind == Sim {
		return 0
	}
	if p.Experiment == nil {
		for _, l := range p.Levels {
			sum += time.Duration(max(p.Rounds, 1)) * routesTime(l)
		}
		return sum
	}
	for _, b := range p.blocks() {
		for _, c := range b.cells {
			sum += p.resetTime(c.Level)
		}
		if p.Experiment.Schedule != weir.Abreast {
			continue
		}
		for _, s := range p.Steps { // a load that turns out to be no overload is raised once
			sum += p.TrialCost(s.Params.Windows.Time) + 2*windowsTime
		}
	}
	return time.Duration(p.Experiment.Replicates()) * sum
}

// routesTime is what it takes to set the routes of a level and take them back.
func routesTime(l Level) time.Duration {
	return time.Duration(l.Condition.Routes.Count) * routeTime
}

// resetTime is what it takes to have the DUT of a run as it is to be.
func (p Plan) resetTime(l Level) time.Duration {
	switch e := p.Experiment; {
	case e.Reset == weir.NoReset:
		return 0
	case p.Testbed.Kind == NetNS && e.Reset == weir.Rebuild:
		return buildTime + routesTime(l)
	}
	return routesTime(l)
}
