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
	name string
	set  func(*Config, string) error
}

// tuningTable are all of them. Values are plain numbers: frames/s and prefixes/s,
// nanoseconds that are whole, and shares as parts of 1.
var tuningTable = []tuning{
	{"capacity", number(func(c *Config) *float64 { return &c.Capacity })},
	{"buffer", func(c *Config, v string) (err error) { c.Buffer, err = strconv.Atoi(v); return err }},
	{"latency", nanoseconds(func(c *Config) *time.Duration { return &c.Latency })},
	{"jitter", nanoseconds(func(c *Config) *time.Duration { return &c.Jitter })},
	{"livelock", number(func(c *Config) *float64 { return &c.Livelock })},
	{"noise", number(func(c *Config) *float64 { return &c.Noise })},
	{"recovery", nanoseconds(func(c *Config) *time.Duration { return &c.Recovery })},
	{"reset", nanoseconds(func(c *Config) *time.Duration { return &c.Reset })},
	{"learning", number(func(c *Config) *float64 { return &c.Learning })},
	{"route_cost", number(func(c *Config) *float64 { return &c.RouteCost })},
	{"filter_cost", number(func(c *Config) *float64 { return &c.FilterCost })},
	{"firewall_cost", number(func(c *Config) *float64 { return &c.FirewallCost })},
	{"napi_cost", number(func(c *Config) *float64 { return &c.NAPICost })},
	{"mtu", func(c *Config, v string) (err error) { c.MTU, err = strconv.Atoi(v); return err }},
	{"xdp_gain", number(func(c *Config) *float64 { return &c.XDPGain })},
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

// Tunings are the names of the tunings (weir.Tuning) of a simulated DUT: the
// parameters of the model, for one trial. Their values are plain numbers: rates
// in frames/s or prefixes/s, times in whole nanoseconds, shares as parts of 1.
func Tunings() []string {
	var out []string
	for _, t := range tuningTable {
		out = append(out, t.name)
	}
	return out
}

// tuned is the truth with other parameters.
func (c Config) tuned(tunings []weir.Tuning) (Config, error) {
	for _, t := range tunings {
		i := slices.IndexFunc(tuningTable, func(s tuning) bool { return s.name == t.Name })
		if i < 0 {
			return c, fmt.Errorf("a simulated DUT has no setting %s: it has %s", t.Name, strings.Join(Tunings(), ", "))
		}
		if err := tuningTable[i].set(&c, t.Value); err != nil {
			return c, fmt.Errorf("the setting %s of a simulated DUT: %q is no plain number: frames/s, whole nanoseconds, or a part of 1", t.Name, t.Value)
		}
	}
	return c, nil
}
