package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/schema"
)

// Parameter is one of the parameters of a simulated router: the one place that says what a plan
// may write for it, what a manifest has of it, and whether the condition of a trial may set it.
type Parameter struct {
	schema.Field[Config]
	name   string              // in manifests and messages
	show   func(Config) string // its value in a manifest; "" where that has none
	values weir.Values         // of a condition
	set    func(*Config, string) error
}

// Bounds of what a plan may ask for.
const (
	mostStops    = 1000 // a second
	shortestStop = time.Microsecond
	longestStop  = time.Minute
	unlimited    = math.MaxInt32
	mostShare    = 1 // of a deviation
	longestTime  = time.Duration(math.MaxInt64)
)

// figure is a type of which a parameter may be.
type figure interface{ int | float64 | time.Duration }

// of describes a parameter that is a number, shown with a unit.
func of[T figure](key, name, unit, means, byDefault string, at func(*Config) *T, word schema.Word[T], low, high T) Parameter {
	p := Parameter{Field: schema.Numeric(key, at, word, low, high), name: name}
	p.Means, p.Default = means, byDefault
	p.show = func(c Config) string {
		v := *at(&c)
		if f, ok := any(v).(float64); ok && unit != "" {
			return fmt.Sprintf("%.0f %s", f, unit)
		}
		return strings.TrimSpace(fmt.Sprint(v, " ", unit))
	}
	p.set = func(c *Config, word string) (err error) {
		switch to := any(at(c)).(type) {
		case *int:
			*to, err = strconv.Atoi(word)
		case *float64:
			*to, err = strconv.ParseFloat(word, 64)
		case *time.Duration:
			var n int64
			n, err = strconv.ParseInt(word, 10, 64)
			*to = time.Duration(n)
		}
		return err
	}
	return p
}

// unlessZero leaves the parameter out of a manifest where it is 0.
func (p Parameter) unlessZero() Parameter {
	show := p.show
	zero := show(Config{})
	p.show = func(c Config) string {
		if text := show(c); text != zero {
			return text
		}
		return ""
	}
	return p
}

// settable lets the condition of a trial set the parameter, as a plain number: frames/s and
// prefixes/s, whole nanoseconds, or a part of 1.
func (p Parameter) settable(values weir.Values) Parameter {
	p.values = values
	return p
}

// stops describes for how long something stands still, beside how often.
func stops(key, name, means string, at func(*Config) (often float64, times *[2]time.Duration)) Parameter {
	p := Parameter{name: name}
	one := schema.Within(schema.Duration, shortestStop, longestStop)
	p.Key, p.Means, p.Default, p.Shape = key, means, "`[1ms, 30ms]`", schema.ListOf(one.Shape)
	p.Item = func(c *Config, i int, word string) error {
		v, err := one.Read(word)
		if _, to := at(c); err == nil && i < 2 {
			to[i] = v
		}
		return err
	}
	p.CheckList = func(c *Config, n int) error {
		_, to := at(c)
		if n == 1 {
			to[1] = to[0]
		}
		if n > 2 || to[0] > to[1] {
			return fmt.Errorf("%s needs the shortest and the longest: [1ms, 30ms]", key)
		}
		return nil
	}
	p.Check = func(c Config) error {
		if _, v := at(&c); *v != [2]time.Duration{} && (v[0] <= 0 || v[1] < v[0]) {
			return fmt.Errorf("lengths of %v are not above 0, the shortest one first", *v)
		}
		return nil
	}
	p.show = func(c Config) string {
		often, v := at(&c)
		if often == 0 {
			return ""
		}
		return fmt.Sprintf("%v a second, %v to %v", often, cmp.Or(v[0], ShortestInterruption), cmp.Or(v[1], LongestInterruption))
	}
	return p
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

// often describes how often something stands still; the parameter of how long shows both.
func often(key, means string, at func(*Config) *float64) Parameter {
	p := of(key, "number of "+key+" a second", "", means, "0", at, schema.Fraction, 0, mostStops)
	p.show = func(Config) string { return "" }
	return p
}

// shownWith shows a time, or its default, where the parameter that it belongs to has a value.
func shownWith(p Parameter, byDefault time.Duration, there func(Config) bool) Parameter {
	show := p.show
	p.show = func(c Config) string {
		switch text := show(c); {
		case !there(c):
			return ""
		case text == "0s":
			return byDefault.String()
		default:
			return text
		}
	}
	return p
}

// Words of parameters that have bounds of their own.
var (
	octets = schema.Custom(schema.FileSize, func(word string) (float64, error) {
		n, err := schema.Octets.Read(word)
		return float64(n), err
	})
	mtu                = schema.Within(schema.Int, 576, math.MaxUint16)
	atLeastMillisecond = schema.Within(schema.Duration, time.Millisecond, time.Hour)
)

// check says what is wrong with a truth, or nil.
func (c Config) check() error {
	for _, p := range Parameters {
		if p.Check == nil {
			continue
		}
		if err := p.Check(c); err != nil {
			return fmt.Errorf("simulated DUT: %s: %w", p.name, err)
		}
	}
	if !(c.Link >= 0) || math.IsInf(c.Link, 1) {
		return fmt.Errorf("simulated DUT: media rate of %v bit/s is not 0 or more", c.Link)
	}
	return nil
}

// Settings returns the truth about a simulated router, for the manifest. What machines have that
// others use too is left out where it has nothing of that.
func (c Config) Settings() (out []weir.Setting) {
	for _, p := range Parameters {
		if value := p.show(c); value != "" {
			out = append(out, weir.Setting{Where: "dut", Name: p.name, Value: value})
		}
	}
	return out
}

// Tunings returns what of the model the condition of a trial may set (weir.Tuning).
func Tunings() (out []weir.TuningInfo) {
	for _, p := range tunable() {
		out = append(out, weir.TuningInfo{Name: p.Key, Values: p.values, Summary: "of a simulated DUT: " + p.Means})
	}
	return out
}

// tunable returns the parameters that the condition of a trial may set.
func tunable() []Parameter {
	return slices.DeleteFunc(slices.Clone(Parameters), func(p Parameter) bool { return p.values == weir.Words })
}

// tuned returns the truth with other parameters.
func (c Config) tuned(tunings []weir.Tuning) (Config, error) {
	all := tunable()
	for _, t := range tunings {
		i := slices.IndexFunc(all, func(p Parameter) bool { return p.Key == t.Name })
		if i < 0 {
			var names []string
			for _, p := range all {
				names = append(names, p.Key)
			}
			return c, weir.Wrong("a simulated DUT has no setting %s", t.Name).Advise("it has %s", strings.Join(names, ", "))
		}
		if err := all[i].set(&c, t.Value); err != nil {
			return c, weir.Wrong("the setting %s of a simulated DUT: %q is no plain number", t.Name, t.Value).Advise("frames/s, whole nanoseconds, or a part of 1")
		}
	}
	return c, nil
}
