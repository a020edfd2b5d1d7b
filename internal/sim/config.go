// Package sim is the simulated router: a tester with a DUT that is a formula, in
// simulated time. What is found of it can be compared with the truth.
//
// It sends no frame, and knows nothing of plans.
package sim

import (
	"time"
)

// Config is the truth about a simulated DUT; Router has the formulas. Zero is
// a good value of all but the capacity.
type Config struct {
	Capacity float64       // frames/s that it forwards, all directions together; > 0
	Buffer   int           // frames that it can hold, >= 0
	Latency  time.Duration // one way, of a frame that does not queue; >= 0
	Jitter   time.Duration // by which a frame takes longer at most, evenly distributed; >= 0
	Livelock float64       // share of the capacity lost per unit of overload, >= 0
	Noise    float64       // standard deviation of the capacity between trials, relative to it; 0 to 1
	Seed     uint64        // of the noise, between trials and between runs, and the jitter

	Recovery   time.Duration // after an overload has ended, for how long frames are still lost; >= 0
	Reset      time.Duration // for how long frames are lost after a reset; >= 0
	Learning   float64       // prefixes/s learnt after an announcement; 0: all at once
	RouteCost  float64       // share of the capacity lost with each tenfold number of routes; 0 to 1
	FilterCost float64       // time that each filter takes, relative to that of a frame without any; >= 0

	RunNoise float64 // standard deviation of the capacity between runs, relative to it; 0 to 1
	Wave     float64 // amplitude of the capacity's slow wave over runs, relative to it; 0 to 1
	Drift    float64 // relative change of the capacity from each run to the next; -1 to 1

	FirewallCost float64 // time that a stateless firewall takes, relative to that of a frame without; a stateful one takes twice, NAT three times as long; >= 0
	XDPGain      float64 // by which forwarding by XDP multiplies the capacity; 0: DefaultXDPGain
	NAPICost     float64 // time that a frame takes longer in threads of ordinary priority, relative to that of a frame without conditions, and shorter in a process that polls; 0 to 0.9
	Link         float64 // media rate of transfers in bit/s; 0: there is no limit
	MTU          int     // octets of the largest packet of transfers, 576 to 65535; 0: 1500
	Disk         float64 // octets/s that the disks of the end hosts read and write; 0: there is no limit

	// What a machine has that others use too. All but the speeds is drawn anew for each trial.
	SharedWave    float64          // deviation of the logarithm of the capacity in a slow wave in time; 0 to 1
	WaveTime      time.Duration    // time constant of that wave, >= 0; 0: DefaultWaveTime
	Interruptions float64          // how often a second the DUT stands still; 0 to 1000
	Interruption  [2]time.Duration // for how long: the shortest and the longest one, > 0; both 0: ShortestInterruption and LongestInterruption
	WindowNoise   float64          // standard deviation of the logarithm of the capacity between windows; 0 to 1
	Stalls        float64          // how often a second the generator stands still; 0 to 1000
	Stall         [2]time.Duration // for how long, as of Interruption

	// Speeds are what the capacity is multiplied with in turn, each for a time that is
	// drawn around SpeedTime; from the first 0 on there are no more. A DUT without has
	// one speed. Unlike the rest of this they go on from trial to trial.
	Speeds    [MaxSpeeds]float64
	SpeedTime time.Duration // mean time of a speed, >= 0; 0: DefaultSpeedTime

	// Bucket is how many frames the DUT accepts above its capacity that do not
	// wait, as a policer does whose bucket holds so many tokens; Capacity is its
	// rate then, and Buffer its queue. >= 0.
	Bucket int

	OctetRate float64 // octets/s of IP packets that it forwards at most; 0: there is no such limit

	// What it loses whatever the load (defects). Zero is none of each.
	DropFlows    float64 // share of the flows of which no frame passes, drawn by their numbers; 0 to 1
	DropPorts    [2]int  // the lowest and the highest destination port of the flows of which no frame passes
	FlowTable    int     // flows that work, the first ones; no frame passes of any other; >= 0
	FlowFrames   int     // frames of each flow that pass in a trial; >= 0
	LargestFrame int     // octets with FCS of the largest frame that passes; >= 0
	RandomLoss   float64 // share of all frames that is lost, each by itself; 0 to 1
	Damage       float64 // share of all frames that comes back changed, each by itself; 0 to 1
}

// Default is the DUT of a testbed that says nothing else.
var Default = Config{
	Capacity: 1_200_000, Buffer: 256, Latency: 20 * time.Microsecond, Livelock: 0.02, Noise: 0.01, Seed: 1,
	Recovery: 5 * time.Millisecond, Reset: 200 * time.Millisecond, Learning: 100_000, FirewallCost: 0.1, NAPICost: 0.05,
}

// DefaultXDPGain is by which forwarding by XDP multiplies the capacity of a
// simulated DUT that does not say so.
const DefaultXDPGain = 2

// New makes a simulated tester, or says what is wrong with its truth.
func New(c Config) (*Router, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Router{config: c}, nil
}
