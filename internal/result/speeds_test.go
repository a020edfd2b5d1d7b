package result

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"weir"
)

// telegraph is a state that changes at random, after so many seconds in the mean.
type telegraph struct {
	random *rand.Rand
	mean   [2]float64 // s
	state  int
	until  float64
}

func (g *telegraph) at(now float64) int {
	for now >= g.until {
		g.state = 1 - g.state
		g.until += g.mean[g.state] * g.random.ExpFloat64()
	}
	return g.state
}

// witnessed is a campaign of sweeps of four sizes in three rounds, on a DUT of two speeds
// that change with the machine's or by themselves. Exchanges follow the machine's but for a
// tenth of them, as on real ones.
func witnessed(seed uint64, own bool) (c weir.Campaign) {
	random := rand.New(rand.NewPCG(seed, 1))
	machine := &telegraph{random: rand.New(rand.NewPCG(seed, 2)), mean: [2]float64{3, 6}}
	box := machine
	if own {
		box = &telegraph{random: rand.New(rand.NewPCG(seed, 3)), mean: machine.mean}
	}
	began, capacity := time.Unix(1e9, 0), [2]float64{1e6, .7e6}
	took := func(now float64) time.Duration {
		state := machine.at(now)
		if random.Float64() < .1 {
			state = 1 - state
		}
		return time.Duration([2]float64{70, 230}[state] * (.9 + .2*random.Float64()))
	}
	c.Results = make([]weir.Result, 4)
	for size := range c.Results {
		c.Results[size] = weir.Result{Method: "sweep", Factors: weir.Factors{"frame_size": size}, Value: 1e6, Sweep: &weir.Sweep{
			TrackBegan: began, Speeds: []weir.Speed{{Capacity: capacity[0], Share: .4, Lead: true}, {Capacity: capacity[1], Share: .6}}}}
	}
	for now := 0.; len(c.Trials) < 28; {
		r := &c.Results[len(c.Trials)/2%4]
		t := weir.TrialResult{Start: began.Add(time.Duration(now * 1e9)), Sending: 1300 * time.Millisecond}
		t.Host.Exchange[0] = took(now - .05)
		for end := now + 1.3; now < end; now += .1 {
			r.Track = append(r.Track, weir.Moment{From: now + .001, Until: now + .1, Capacity: capacity[box.at(now)]})
		}
		t.Host.Exchange[1] = took(now)
		c.Trials = append(c.Trials, t)
		now += .3
	}
	return c
}

// Speeds are the machine's where exchanges between its CPUs were slower when the DUT was,
// and seldom where the DUT has speeds of its own and the machine others at other times.
func TestSpeedsOfMachine(t *testing.T) {
	const campaigns = 400
	told := func(own bool) (n int) {
		for seed := range uint64(campaigns) {
			if SpeedsOfMachine(witnessed(seed, own)) {
				n++
			}
		}
		return n
	}
	if machine, box := told(false), told(true); machine < campaigns*8/10 || box > campaigns*4/100 {
		t.Errorf("of %d campaigns %d tell speeds of the machine as its own, and %d those of the DUT", campaigns, machine, box)
	}
	for name, change := range map[string]func(*weir.Campaign){
		"a store of before": func(c *weir.Campaign) {
			for i := range c.Trials {
				c.Trials[i].Host.Exchange = [2]time.Duration{}
			}
		},
		"no trials":                  func(c *weir.Campaign) { c.Trials = nil },
		"exchanges are all the same": func(c *weir.Campaign) { same(c.Trials, 40) },
		"two trials, each for eight arms": func(c *weir.Campaign) {
			c.Trials = c.Trials[:2]
			for range 3 { // eight tracks of the same moments
				c.Results = append(c.Results, c.Results...)
			}
			c.Trials[0].Host.Exchange, c.Trials[1].Host.Exchange = [2]time.Duration{70, 70}, [2]time.Duration{230, 230}
			for i := range c.Results {
				c.Results[i].Factors = weir.Factors{"dut": strconv.Itoa(i)}
				c.Results[i].Track = []weir.Moment{momentIn(*c, 0, 1e6), momentIn(*c, 1, .7e6)}
			}
		},
		"one speed": func(c *weir.Campaign) {
			for i := range c.Results {
				c.Results[i].Speeds, c.Results[i].Track = nil, nil
			}
		},
	} {
		c := witnessed(1, false)
		if change(&c); SpeedsOfMachine(c) {
			t.Errorf("%s: the speeds are told as the machine's", name)
		}
	}
}

// momentIn is a capacity that was known throughout a trial of a campaign.
func momentIn(c weir.Campaign, trial int, capacity float64) weir.Moment {
	t := c.Trials[trial]
	from := t.Start.Sub(c.Results[0].TrackBegan).Seconds()
	return weir.Moment{From: from, Until: from + t.Sending.Seconds(), Capacity: capacity}
}

// same gives all trials the same exchanges.
func same(trials []weir.TrialResult, took time.Duration) {
	for i := range trials {
		trials[i].Host.Exchange = [2]time.Duration{took, took}
	}
}
