package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// tuning is a parameter of the model that the condition of a trial may set.
type tuning struct {
	name    string
	values  weir.Values
	summary string
	set     func(*Config, string) error
}

// tuningTable are all of them. Values are plain numbers: frames/s and prefixes/s,
// nanoseconds that are whole, and shares as parts of 1.
var tuningTable = []tuning{
	{"capacity", weir.Rates, "frames/s that it forwards", number(func(c *Config) *float64 { return &c.Capacity })},
	{"buffer", weir.Count, "frames that it can queue", func(c *Config, v string) (err error) { c.Buffer, err = strconv.Atoi(v); return err }},
	{"latency", weir.Times, "one way, without a queue", nanoseconds(func(c *Config) *time.Duration { return &c.Latency })},
	{"jitter", weir.Times, "by how much longer a frame takes at most", nanoseconds(func(c *Config) *time.Duration { return &c.Jitter })},
	{"livelock", weir.Shares, "of the capacity lost for each unit of overload", number(func(c *Config) *float64 { return &c.Livelock })},
	{"noise", weir.Shares, "deviation of the capacity between trials", number(func(c *Config) *float64 { return &c.Noise })},
	{"recovery", weir.Times, "for how long frames are lost after an overload", nanoseconds(func(c *Config) *time.Duration { return &c.Recovery })},
	{"reset", weir.Times, "for how long frames are lost after a reset", nanoseconds(func(c *Config) *time.Duration { return &c.Reset })},
	{"learning", weir.Rates, "prefixes/s that it learns", number(func(c *Config) *float64 { return &c.Learning })},
	{"route_cost", weir.Shares, "of the capacity lost with each tenfold number of routes", number(func(c *Config) *float64 { return &c.RouteCost })},
	{"filter_cost", weir.Shares, "time that a filter takes, in terms of a frame", number(func(c *Config) *float64 { return &c.FilterCost })},
	{"firewall_cost", weir.Shares, "time that a stateless firewall takes, in terms of a frame", number(func(c *Config) *float64 { return &c.FirewallCost })},
	{"napi_cost", weir.Shares, "time that NAPI threads take, in terms of a frame", number(func(c *Config) *float64 { return &c.NAPICost })},
	{"mtu", weir.Count, "octets of the largest packet of transfers", func(c *Config, v string) (err error) { c.MTU, err = strconv.Atoi(v); return err }},
	{"xdp_gain", weir.Shares, "by which XDP multiplies the capacity", number(func(c *Config) *float64 { return &c.XDPGain })},
}

func number(of func(*Config) *float64) func(*Config, string) error {
	return func(c *Config, v string) (err error) { *of(c), err = strconv.ParseFloat(v, 64); return err }
}

func nanoseconds(of func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		*of(c) = time.Duration(n)
		return err
	}
}

// Tunings are what of the model the condition of a trial may set (weir.Tuning).
func Tunings() []weir.TuningInfo {
	var out []weir.TuningInfo
	for _, t := range tuningTable {
		out = append(out, weir.TuningInfo{Name: t.name, Values: t.values, Summary: "of a simulated DUT: " + t.summary})
	}
	return out
}

// tuned is the truth with other parameters.
func (c Config) tuned(tunings []weir.Tuning) (Config, error) {
	for _, t := range tunings {
		i := slices.IndexFunc(tuningTable, func(s tuning) bool { return s.name == t.Name })
		if i < 0 {
			var names []string
			for _, s := range tuningTable {
				names = append(names, s.name)
			}
			return c, fmt.Errorf("a simulated DUT has no setting %s: it has %s", t.Name, strings.Join(names, ", "))
		}
		if err := tuningTable[i].set(&c, t.Value); err != nil {
			return c, fmt.Errorf("the setting %s of a simulated DUT: %q is no plain number: frames/s, whole nanoseconds, or a part of 1", t.Name, t.Value)
		}
	}
	return c, nil
}
