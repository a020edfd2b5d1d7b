package tester

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// simTuning is a parameter of the model that the condition of a trial may set.
type simTuning struct {
	name string
	set  func(*SimConfig, string) error
}

// simTunings are all of them. Values are plain numbers: frames/s and prefixes/s,
// nanoseconds that are whole, and shares as parts of 1.
var simTunings = []simTuning{
	{"capacity", number(func(c *SimConfig) *float64 { return &c.Capacity })},
	{"buffer", func(c *SimConfig, v string) (err error) { c.Buffer, err = strconv.Atoi(v); return err }},
	{"latency", nanoseconds(func(c *SimConfig) *time.Duration { return &c.Latency })},
	{"jitter", nanoseconds(func(c *SimConfig) *time.Duration { return &c.Jitter })},
	{"livelock", number(func(c *SimConfig) *float64 { return &c.Livelock })},
	{"noise", number(func(c *SimConfig) *float64 { return &c.Noise })},
	{"recovery", nanoseconds(func(c *SimConfig) *time.Duration { return &c.Recovery })},
	{"reset", nanoseconds(func(c *SimConfig) *time.Duration { return &c.Reset })},
	{"learning", number(func(c *SimConfig) *float64 { return &c.Learning })},
	{"route_cost", number(func(c *SimConfig) *float64 { return &c.RouteCost })},
	{"filter_cost", number(func(c *SimConfig) *float64 { return &c.FilterCost })},
	{"firewall_cost", number(func(c *SimConfig) *float64 { return &c.FirewallCost })},
	{"xdp_gain", number(func(c *SimConfig) *float64 { return &c.XDPGain })},
}

func number(of func(*SimConfig) *float64) func(*SimConfig, string) error {
	return func(c *SimConfig, v string) (err error) { *of(c), err = strconv.ParseFloat(v, 64); return err }
}

func nanoseconds(of func(*SimConfig) *time.Duration) func(*SimConfig, string) error {
	return func(c *SimConfig, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		*of(c) = time.Duration(n)
		return err
	}
}

// SimTunings are the names of the tunings (weir.Tuning) of a simulated DUT: the
// parameters of the model, for one trial. Their values are plain numbers: rates
// in frames/s or prefixes/s, times in whole nanoseconds, shares as parts of 1.
func SimTunings() []string {
	var out []string
	for _, t := range simTunings {
		out = append(out, t.name)
	}
	return out
}

// tuned is the truth with other parameters.
func (c SimConfig) tuned(tunings []weir.Tuning) (SimConfig, error) {
	for _, t := range tunings {
		i := slices.IndexFunc(simTunings, func(s simTuning) bool { return s.name == t.Name })
		if i < 0 {
			return c, fmt.Errorf("a simulated DUT has no setting %s: it has %s", t.Name, strings.Join(SimTunings(), ", "))
		}
		if err := simTunings[i].set(&c, t.Value); err != nil {
			return c, fmt.Errorf("the setting %s of a simulated DUT: %q is no plain number: frames/s, whole nanoseconds, or a part of 1", t.Name, t.Value)
		}
	}
	return c, nil
}
