package result

import (
	"math"
	"time"

	"weir"
)

// What tells that a machine has the speeds that sweeps met.
const (
	leastAtSpeed  = 5   // exchanges at each of two speeds
	leastFollows  = .3  // correlation of what the DUT forwards with how fast an exchange is
	mostByChance  = .05 // share of the moments at which exchanges would fit the speeds as well
	leastExchange = 1   // ns: less was not measured
	mostMoved     = 400 // moments that are tried, spread over all
)

// exchange has how long a cache line took between the CPUs of the generator and the DUT, and
// what the DUT forwarded next to that.
type exchange struct {
	took  float64 // logarithm of ns
	rate  float64 // logarithm of the capacity in terms of the fastest speed
	speed int     // index of the nearest speed
}

// SpeedsOfMachine reports whether the speeds of the sweeps of a campaign are those of the
// machine that weir runs on: whether the DUT was slower when a cache line, which no frame and
// no DUT has a part in, took longer between two CPUs. Speeds of a DUT may do so by chance;
// then they do as well where the exchanges are moved in time against the speeds.
func SpeedsOfMachine(c weir.Campaign) bool {
	all := exchangesOf(c)
	at := map[int]int{}
	for _, e := range all {
		at[e.speed]++
	}
	several := 0
	for _, n := range at {
		if n >= leastAtSpeed {
			several++
		}
	}
	found := follows(all, 0)
	if several < 2 || found < leastFollows {
		return false
	}
	chance, tried := 0, 0
	for by := 0; by < len(all); by += 1 + len(all)/mostMoved {
		tried++
		if follows(all, by) >= found {
			chance++
		}
	}
	return float64(chance) <= mostByChance*float64(tried)
}

// follows is the correlation of rates with how short the exchanges are that come so many
// places later, round about.
func follows(all []exchange, by int) float64 {
	var x, y, xx, xy, yy float64
	n := float64(len(all))
	for i, e := range all {
		a, b := -all[(i+by)%len(all)].took, e.rate
		x, y, xx, xy, yy = x+a, y+b, xx+a*a, xy+a*b, yy+b*b
	}
	if xx, yy = n*xx-x*x, n*yy-y*y; !(xx > 0 && yy > 0) {
		return 0
	}
	return (n*xy - x*y) / math.Sqrt(xx*yy)
}

// exchangesOf returns the exchanges before and after the passes of sweeps that met several
// speeds, each once, with the first or the last capacity that is known of the pass.
func exchangesOf(c weir.Campaign) (out []exchange) {
	results := weir.Latest(c.Results)
	for _, t := range c.Trials {
		r, known := knownIn(t, results)
		for i, took := range t.Host.Exchange {
			if len(known) > 0 && took >= leastExchange {
				out = append(out, exchangeAt(r.Speeds, known[i*(len(known)-1)], took))
			}
		}
	}
	return out
}

// knownIn returns the first result whose track, with several speeds, knows capacities in a
// trial, and these in their order: arms that a trial alternates have one track each.
func knownIn(t weir.TrialResult, results []weir.Result) (of weir.Result, known []float64) {
	for _, r := range results {
		if r.Sweep == nil || len(r.Speeds) == 0 {
			continue
		}
		for _, m := range r.Track {
			at := r.TrackBegan.Add(time.Duration((m.From + m.Until) / 2 * float64(time.Second)))
			if !m.AtLeast && at.After(t.Start) && at.Before(t.Start.Add(t.Sending)) {
				known = append(known, m.Capacity)
			}
		}
		if len(known) > 0 {
			return r, known
		}
	}
	return weir.Result{}, nil
}

// exchangeAt makes an exchange next to a capacity.
func exchangeAt(speeds []weir.Speed, capacity float64, took time.Duration) exchange {
	e := exchange{took: math.Log(float64(took)), rate: math.Log(capacity / speeds[0].Capacity)}
	for i, s := range speeds {
		if math.Abs(math.Log(s.Capacity/capacity)) < math.Abs(math.Log(speeds[e.speed].Capacity/capacity)) {
			e.speed = i
		}
	}
	return e
}
