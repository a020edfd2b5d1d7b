package campaign

import (
	"time"

	"weir"
	"weir/internal/method"
)

// Plan says what a campaign measures, where, and in which order. Parse makes
// one; every value in it has been checked.
type Plan struct {
	Name    string
	Testbed Testbed
	DUT     DUT
	Traffic []weir.Traffic // one for each frame size or mix, in the order of measuring
	Steps   []Step         // in the order of measuring, for each Traffic
	Waits   weir.Waits     // of every trial
	Text    string         // as it was written, for the manifest
}

// The kinds of testbed that a plan may ask for.
const (
	NetNS = "netns" // network namespaces of this machine
	Sim   = "sim"   // a model of a DUT in simulated time
)

// Testbed is the place of a campaign.
type Testbed struct {
	Kind string    // NetNS or Sim
	CPUs weir.CPUs // who runs where; empty sets are chosen by the testbed
	Link float64   // media rate in bit/s; 0 when the links have none
	Sim  Simulated // of kind Sim
}

// Simulated describes the model of a DUT.
type Simulated struct {
	Capacity float64       // frames/s that it forwards at most
	Buffer   int           // frames that it can queue
	Latency  time.Duration // one way, without a queue
	Jitter   time.Duration // by which a frame takes longer at most
	Livelock float64       // share of the capacity that is lost for each unit of overload
	Noise    float64       // relative deviation of the capacity between trials
	Seed     uint64        // of the noise and the jitter

	Recovery   time.Duration // for how long frames are lost after an overload
	Reset      time.Duration // for how long frames are lost after a reset
	Learning   float64       // prefixes/s learnt after an announcement; 0: all at once
	RouteCost  float64       // share of the capacity that is lost with each tenfold number of routes
	FilterCost float64       // time that each filter takes, relative to that of a frame without any
}

// DUT is how the device under test is set up.
type DUT struct {
	Platform string  // "linux"
	Policer  Policer // none when its Kind is ""
}

// Policer is a known limit put into the DUT, which a search must find.
type Policer struct {
	Kind string  // "nft", "tbf" or ""
	Rate float64 // frames/s
}

// Step is one method with its parameters.
type Step struct {
	Method method.Method
	Params method.Params
	Within time.Duration // no trial begins that would end after this; 0 is no limit
}

// WithTestbed is p on another testbed. The text says so, as it is what a
// reader of the manifest will go by.
func (p Plan) WithTestbed(t Testbed) Plan {
	p.Testbed = t
	p.Text = "# the testbed below was replaced by one of kind " + t.Kind + "\n" + p.Text
	return p
}

// SimulatedTestbed is the model that stands in for a testbed when a plan is to
// be tried without one.
func SimulatedTestbed() Testbed { return Testbed{Kind: Sim, Sim: defaultModel} }

var defaultModel = Simulated{
	Capacity: 1_200_000, Buffer: 256, Latency: 20 * time.Microsecond, Livelock: 0.02, Noise: 0.01, Seed: 1,
	Recovery: 5 * time.Millisecond, Reset: 200 * time.Millisecond, Learning: 100_000,
}
