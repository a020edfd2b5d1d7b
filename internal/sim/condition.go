package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"weir"
)

// leastCapacity is the share of its capacity that noise leaves a DUT at least.
const leastCapacity = 1e-3

// bypass is what comes through where there is no DUT, in frames/s.
const bypass = 1e15

// wavePeriod is how many runs the slow wave of a DUT's capacity takes.
const wavePeriod = 5

// runDraws sets what is drawn for runs apart from what is drawn for trials.
const runDraws = 0x72756e

// firewallCosts is how often the cost of a firewall is paid for each kind.
var firewallCosts = map[weir.FirewallKind]float64{"": 0, weir.Stateless: 1, weir.Stateful: 2, weir.NAT: 3}

// napiCosts is how often the cost of NAPI threads is paid for each way of taking
// frames.
var napiCosts = map[weir.NAPI]float64{"": 0, weir.Softirq: 0, weir.Threaded: 1, weir.BusyPoll: -1}

// dut is the DUT as it is in one trial; every trial has a number of its own.
func (s *Router) dut(t weir.Trial) (dut, error) {
	if t.Bypass {
		tester := Config{Seed: s.config.Seed, Stalls: s.config.Stalls, Stall: s.config.Stall} // which is there all the same
		return dut{Config: tester, capacity: bypass, number: uint64(max(t.Number, 0))}, nil
	}
	first := t.Condition
	if len(t.Beside) > 0 {
		first = t.Beside[0]
	}
	c, err := s.config.under(first)
	if err != nil {
		return dut{}, err
	}
	n := uint64(t.Number)
	if t.Number <= 0 {
		n = s.count.Add(1)
	}
	d := dut{Config: c, number: n, random: rand.New(rand.NewPCG(c.Seed, n))}
	if len(c.speeds()) > 0 {
		d.began = s.clock.begin(n, t.Length())
	}
	d.capacity = c.Capacity * max(1+c.Noise*d.random.NormFloat64(), leastCapacity) * c.run(t.Run) * c.pace(first)
	const headers = 18 // of Ethernet, with the FCS
	if size := t.Traffic.MeanSize(); c.OctetRate > 0 && size > headers {
		d.capacity = min(d.capacity, c.OctetRate/(size-headers))
	}
	for arm, condition := range t.Beside {
		share, err := s.config.share(c, first, condition)
		if err != nil {
			return dut{}, fmt.Errorf("DUT %d of those side by side: %w", arm+1, err)
		}
		d.shares = append(d.shares, share)
	}
	return d, nil
}

// share is the capacity under a condition, relative to that under another one of
// which the truth is first. DUTs side by side are models of one machine, so that
// nothing but their capacity may differ.
func (c Config) share(first Config, under, condition weir.Condition) (float64, error) {
	own, err := c.under(condition)
	if err != nil {
		return 0, err
	}
	share := own.Capacity * own.pace(condition) / (first.Capacity * first.pace(under))
	own.Capacity, own.RouteCost, own.FilterCost, own.FirewallCost, own.NAPICost, own.XDPGain =
		first.Capacity, first.RouteCost, first.FilterCost, first.FirewallCost, first.NAPICost, first.XDPGain
	if own != first {
		return 0, weir.Wrong("simulated DUTs side by side differ in their capacity and in what things cost, and in nothing else").Advise("compare in blocks of runs (runs: {order: blocks})")
	}
	return share, nil
}

// under is the truth about the DUT under a condition.
func (c Config) under(condition weir.Condition) (Config, error) {
	c, err := c.tuned(condition.Tunings())
	if err == nil {
		err = c.check()
	}
	if f := condition.Firewall(); err == nil {
		if _, known := firewallCosts[f.Kind]; !known || f.Rules < 0 {
			err = weir.Wrong("a simulated DUT has no firewall %q", f).Advise("it has %s, %s and %s, with 0 rules or more", weir.Stateless, weir.Stateful, weir.NAT)
		}
	}
	if _, known := napiCosts[condition.NAPI()]; !known {
		err = errors.Join(err, weir.Wrong("a simulated DUT has no NAPI mode %q", condition.NAPI()).Advise("it has %s, %s and %s", weir.Softirq, weir.Threaded, weir.BusyPoll))
	}
	switch condition.Path() {
	case "", weir.PathStack, weir.PathXDP:
	default:
		err = errors.Join(err, weir.Wrong("a simulated DUT does not forward by %q", condition.Path()).Advise("it has %s and %s", weir.PathStack, weir.PathXDP))
	}
	return c, err
}

// pace is the capacity under a condition, relative to that of a DUT which only
// forwards.
func (c Config) pace(condition weir.Condition) float64 {
	p := 1.0
	if routes := condition.Routes().Count; routes > 0 {
		p *= math.Pow(1-c.RouteCost, math.Log10(float64(routes)))
	}
	if condition.Path() == weir.PathXDP {
		p *= cmp.Or(c.XDPGain, DefaultXDPGain)
	}
	f := condition.Firewall()
	return p / (1 + c.FilterCost*float64(condition.Filters()+f.Rules) + c.FirewallCost*firewallCosts[f.Kind] + c.NAPICost*napiCosts[condition.NAPI()])
}

// run is the capacity during a run, relative to that of no run (0), between a
// thousandth and a thousandfold of it.
func (c Config) run(n int) float64 {
	if n <= 0 {
		return 1
	}
	draw := rand.New(rand.NewPCG(c.Seed^runDraws, uint64(n))).NormFloat64()
	v := max(1+c.RunNoise*draw, leastCapacity)
	v *= 1 + c.Wave*math.Sin(2*math.Pi*float64(n)/wavePeriod)
	v *= math.Pow(1+c.Drift, float64(n-1))
	return min(max(v, leastCapacity), 1/leastCapacity)
}

// Cannot says what of a condition a simulated DUT of this truth cannot be
// set to, and what to do; nil when it can.
func Cannot(c Config, condition weir.Condition) error {
	_, err := c.under(condition)
	return errors.Join(err, condition.Conflict(func(weir.Tuning) weir.TuningInfo { return weir.TuningInfo{} }).Err())
}
