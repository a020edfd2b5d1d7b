// Package sim is the simulated router: a tester with a DUT that is a formula, in
// simulated time. What is found of it can be compared with the truth.
//
// It sends no frame, and knows nothing of plans.
package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"weir"
	"weir/internal/schema"
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

// Parameters are all of them, in the order of manifests and of docs/plans.md.
var Parameters = []Parameter{
	of("capacity", "capacity", "frames/s", "frames/s that it forwards at most, both directions together", "`1.2M`",
		func(c *Config) *float64 { return &c.Capacity }, schema.Rate, math.SmallestNonzeroFloat64, math.MaxFloat64).settable(weir.Rates),
	of("buffer", "buffer", "frames", "frames that it can queue", "256",
		func(c *Config) *int { return &c.Buffer }, schema.Int, 0, unlimited).settable(weir.Count),
	of("latency", "latency", "", "one way, of a frame that does not queue", "`20us`",
		func(c *Config) *time.Duration { return &c.Latency }, schema.Duration, 0, longestTime).settable(weir.Times),
	of("jitter", "jitter", "", "by how much longer a frame takes at most, evenly distributed", "0",
		func(c *Config) *time.Duration { return &c.Jitter }, schema.Duration, 0, longestTime).settable(weir.Times),
	of("livelock", "livelock", "", "share of the capacity that is lost for each unit of overload: with 0.3 it forwards 70 % of its capacity when offered twice that", "0.02",
		func(c *Config) *float64 { return &c.Livelock }, schema.Fraction, 0, math.MaxFloat64).settable(weir.Shares),
	of("noise", "noise", "", "standard deviation of the capacity between trials, relative, such as 0.01", "0.01",
		func(c *Config) *float64 { return &c.Noise }, schema.Fraction, 0, mostShare).settable(weir.Shares),
	{Field: schema.Field[Config]{Described: schema.Described{Key: "seed", Means: "of the noise, the jitter and all else that is drawn", Default: "1", Shape: schema.Uint64.Shape}, Read: func(c *Config, word string) (err error) {
		c.Seed, err = schema.Uint64.Read(word)
		return err
	}}, name: "seed", show: func(c Config) string { return fmt.Sprint(c.Seed) }},
	of("recovery", "recovery", "", "for how long frames are lost after an overload has ended", "`5ms`",
		func(c *Config) *time.Duration { return &c.Recovery }, schema.Duration, 0, longestTime).settable(weir.Times),
	of("reset", "reset", "", "for how long frames are lost after a reset", "`200ms`",
		func(c *Config) *time.Duration { return &c.Reset }, schema.Duration, 0, longestTime).settable(weir.Times),
	of("learning", "learning", "prefixes/s", "prefixes/s that it learns after an announcement", "`100k`",
		func(c *Config) *float64 { return &c.Learning }, schema.Rate, 0, math.MaxFloat64).settable(weir.Rates),
	of("route_cost", "cost of routes", "", "share of the capacity that is lost with each tenfold number of routes, such as 0.1", "0",
		func(c *Config) *float64 { return &c.RouteCost }, schema.Fraction, 0, .99).settable(weir.Shares),
	of("filter_cost", "cost of filters", "", "time that each filter takes, relative to that of a frame without any, such as 0.02", "0",
		func(c *Config) *float64 { return &c.FilterCost }, schema.Fraction, 0, math.MaxFloat64).settable(weir.Shares),
	of("run_noise", "noise between runs", "", "deviation of the capacity between the runs of an [experiment](experiments.md), relative to it", "0",
		func(c *Config) *float64 { return &c.RunNoise }, schema.Fraction, 0, mostShare),
	of("wave", "wave over runs", "", "amplitude of a slow wave of the capacity over the runs, five to a period", "0",
		func(c *Config) *float64 { return &c.Wave }, schema.Fraction, 0, mostShare),
	of("drift", "drift over runs", "", "change of the capacity from each run to the next, such as `-0.001`", "0",
		func(c *Config) *float64 { return &c.Drift }, schema.Signed, -.99, .99),
	of("firewall_cost", "cost of a firewall", "", "time that a stateless firewall takes, relative to that of a frame without; a stateful one takes twice, NAT three times that", "0.1",
		func(c *Config) *float64 { return &c.FirewallCost }, schema.Fraction, 0, math.MaxFloat64).settable(weir.Shares),
	of("napi_cost", "cost of NAPI threads", "", "time that a frame takes longer with threaded NAPI, and shorter with busy polling, relative to that of a frame without", "0.05",
		func(c *Config) *float64 { return &c.NAPICost }, schema.Fraction, 0, .9).settable(weir.Shares),
	xdpGain,
	of("shared_wave", "shared wave", "", "deviation of the capacity in a slow wave in time, within each trial and between trials: `8%` or `0.08`", "0",
		func(c *Config) *float64 { return &c.SharedWave }, schema.Share, 0, mostShare).unlessZero(),
	shownWith(of("wave_time", "time of the wave", "", "time constant of that wave: after so long it has forgotten two thirds of what it was", "`1.5s`",
		func(c *Config) *time.Duration { return &c.WaveTime }, atLeastMillisecond, 0, time.Hour), DefaultWaveTime, func(c Config) bool { return c.SharedWave > 0 }),
	speeds,
	shownWith(of("speed_time", "time of a speed", "", "the mean time of a speed, each drawn from an exponential distribution", "`2s`",
		func(c *Config) *time.Duration { return &c.SpeedTime }, atLeastMillisecond, 0, time.Hour), DefaultSpeedTime, func(c Config) bool { return len(c.speeds()) > 0 }),
	of("disk", "disks", "octets/s", "what the disks of the end hosts read and write in a second, such as `200 MB`", "no limit",
		func(c *Config) *float64 { return &c.Disk }, octets, 0, math.MaxFloat64).unlessZero(),
	of("mtu", "MTU", "", "octets of the largest packet of transfers", "1500",
		func(c *Config) *int { return &c.MTU }, mtu, 0, math.MaxUint16).unlessZero().settable(weir.Count),
	often("interruptions", "how often a second the router stands still, at random: frames wait in its buffer, and those beyond are lost", func(c *Config) *float64 { return &c.Interruptions }),
	stops("interruption", "interruptions", "for how long: `[1ms, 30ms]`, the shortest and the longest, each order of magnitude as often; or one time for all",
		func(c *Config) (float64, *[2]time.Duration) { return c.Interruptions, &c.Interruption }),
	of("window_noise", "window noise", "", "deviation of the capacity between the windows of a trial, `2%` or `0.02`; a trial of one load is one window", "0",
		func(c *Config) *float64 { return &c.WindowNoise }, schema.Share, 0, mostShare).unlessZero(),
	often("stalls", "how often a second the tester's generator stands still; what is due meanwhile is not sent", func(c *Config) *float64 { return &c.Stalls }),
	stops("stall", "stalls of the generator", "for how long it does, as of `interruption`", func(c *Config) (float64, *[2]time.Duration) { return c.Stalls, &c.Stall }),
	of("bucket", "bucket", "frames", "frames that are accepted above the capacity and do not wait, as by a policer of that burst", "0",
		func(c *Config) *int { return &c.Bucket }, schema.Int, 0, unlimited).unlessZero(),
	of("octet_rate", "octets of IP packets", "octets/s", "octets of IP packets that it forwards in a second at most, such as `1 MB`", "no limit",
		func(c *Config) *float64 { return &c.OctetRate }, octets, 0, math.MaxFloat64).unlessZero(),
	of("drop_flows", "dropped flows", "", "share of the flows of which no frame passes, such as `2%`", "none",
		func(c *Config) *float64 { return &c.DropFlows }, schema.Share, 0, 1).unlessZero(),
	of("random_loss", "random loss", "", "share of all frames that is lost, each by itself, whatever the load", "0",
		func(c *Config) *float64 { return &c.RandomLoss }, schema.Share, 0, 1).unlessZero(),
	of("damage", "damage", "", "share of all frames that comes back changed", "0",
		func(c *Config) *float64 { return &c.Damage }, schema.Share, 0, 1).unlessZero(),
	droppedPorts,
	of("flow_table", "table of flows", "flows", "how many flows work, the first ones", "all",
		func(c *Config) *int { return &c.FlowTable }, schema.Int, 0, unlimited).unlessZero(),
	of("flow_frames", "frames of a flow", "frames", "how many frames of each flow pass in a trial", "all",
		func(c *Config) *int { return &c.FlowFrames }, schema.Int, 0, unlimited).unlessZero(),
	of("largest_frame", "largest frame", "octets", "octets with FCS of the largest frame that passes", "all",
		func(c *Config) *int { return &c.LargestFrame }, schema.Int, 0, unlimited).unlessZero(),
}

// xdpGain shows its default where it has no value.
var xdpGain = func() Parameter {
	p := of("xdp_gain", "gain of XDP", "", "how many times its capacity it forwards with XDP", "2",
		func(c *Config) *float64 { return &c.XDPGain }, schema.Within(schema.Fraction, .01, 100), 0, 100).settable(weir.Shares)
	p.show = func(c Config) string { return fmt.Sprint(cmp.Or(c.XDPGain, DefaultXDPGain)) }
	return p
}()

// speed is one of the speeds of a router.
var speed = schema.Within(schema.Share, .01, 100)

// speeds describes what the capacity is multiplied with in turn.
var speeds = Parameter{Field: schema.Field[Config]{
	Described: schema.Described{Key: "speeds", Default: "one speed", Shape: schema.ListOf(speed.Shape),
		Means: "`[1, 0.73, 0.46]`: what the capacity is multiplied with in turn, in any order, as on machines whose host moves virtual processors about"},
	Item: func(c *Config, i int, word string) error {
		v, err := speed.Read(word)
		if err == nil && i < len(c.Speeds) {
			c.Speeds[i] = v
		}
		return err
	},
	CheckList: func(c *Config, n int) error {
		if n > len(c.Speeds) {
			return fmt.Errorf("%d speeds are more than the %d that a simulated DUT can have", n, len(c.Speeds))
		}
		return nil
	},
	Check: func(c Config) error {
		if !c.checkSpeeds() {
			return fmt.Errorf("%v are not a list of at most %d numbers above 0, up to 100", c.Speeds, len(c.Speeds))
		}
		return nil
	},
}, name: "speeds", show: func(c Config) string {
	if all := c.speeds(); len(all) > 0 {
		return fmt.Sprint(all)
	}
	return ""
}}

// port is a port of UDP or TCP.
var port = schema.Within(schema.Int, 1, math.MaxUint16)

// droppedPorts describes the lowest and the highest destination port of flows that are dropped.
var droppedPorts = Parameter{Field: schema.Field[Config]{
	Described: schema.Described{Key: "drop_ports", Default: "none", Shape: schema.ListOf(port.Shape),
		Means: "the lowest and the highest destination port of flows of which no frame passes: `[2000, 2999]`"},
	Item: func(c *Config, i int, word string) error {
		v, err := port.Read(word)
		if err == nil && i < 2 {
			c.DropPorts[i] = v
		}
		return err
	},
	CheckList: func(c *Config, n int) error {
		if n != 2 || c.DropPorts[0] > c.DropPorts[1] {
			return errors.New("drop_ports needs the lowest and the highest port: [2000, 2999]")
		}
		return nil
	},
	Check: func(c Config) error {
		if p := c.DropPorts; p[0] < 0 || p[1] < p[0] || p[1] > math.MaxUint16 {
			return fmt.Errorf("%v are not two ports, the lower one first", p)
		}
		return nil
	},
}, name: "dropped ports", show: func(c Config) string {
	if c.DropPorts[1] == 0 {
		return ""
	}
	return fmt.Sprintf("%d to %d", c.DropPorts[0], c.DropPorts[1])
}}

// Words of parameters that have bounds of their own.
var (
	octets = schema.Custom(schema.FileSize, func(word string) (float64, error) {
		n, err := schema.Octets.Read(word)
		return float64(n), err
	})
	mtu                = schema.Within(schema.Int, 576, math.MaxUint16)
	atLeastMillisecond = schema.Within(schema.Duration, time.Millisecond, time.Hour)
)
