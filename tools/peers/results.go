package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weir/stats"
)

// The senders that are no peers.
const (
	weirName = "weir"
	loopName = "drop_only_loop"
	bareName = "bare_redirect"
)

// confidence is that of the intervals.
const confidence = .95

// turn is what came of one turn of a sender.
type turn struct {
	Block  int     `json:"block"` // from 1
	Sender string  `json:"sender"`
	At     float64 `json:"at"`             // s since the first block began
	Rate   float64 `json:"rate,omitempty"` // frames/s that arrived
	Lost   string  `json:"lost,omitempty"` // why it could not be used
}

// results are all turns, in the order in which they were taken.
type results struct {
	senders []string
	without map[string]string // why a sender had no turn
	turns   []turn
}

// rates are those of a sender, by block, in which it had a turn that could be used.
func (r results) rates(sender string) map[int]float64 {
	rates := map[int]float64{}
	for _, t := range r.turns {
		if t.Sender == sender && t.Lost == "" {
			rates[t.Block] = t.Rate
		}
	}
	return rates
}

// lost is how many turns of a sender could not be used, and why the latest could not.
func (r results) lost(sender string) (n int, reason string) {
	for _, t := range r.turns {
		if t.Sender == sender && t.Lost != "" {
			n, reason = n+1, t.Lost
		}
	}
	return n, reason
}

// trouble is why a sender that was asked for has no rate.
func (r results) trouble(sender string) (reason string, failed bool) {
	if !slices.Contains(r.senders, sender) || len(r.rates(sender)) > 0 {
		return "", false
	}
	if reason, failed = r.without[sender]; !failed {
		_, reason = r.lost(sender)
	}
	return reason, true
}

// ratio is a sender's rate in terms of another's: the mean of the logarithms of
// the ratios in each block in which both have a rate. One block gives no interval.
type ratio struct {
	Ratio  float64 `json:"ratio"`
	Lower  float64 `json:"lower,omitempty"`
	Upper  float64 `json:"upper,omitempty"`
	Blocks int     `json:"blocks"`
}

func (r results) ratio(sender, other string) ratio {
	var logs []float64
	others := r.rates(other)
	for block, rate := range r.rates(sender) {
		if others[block] > 0 {
			logs = append(logs, math.Log(rate/others[block]))
		}
	}
	if change, known := stats.MeanChange(logs, confidence); known {
		return ratio{1 + change.Estimate, 1 + change.Lower, 1 + change.Upper, len(logs)}
	}
	if len(logs) == 1 {
		return ratio{Ratio: math.Exp(logs[0]), Blocks: 1}
	}
	return ratio{}
}

// chosen are the senders of those names, or all when there are none.
func chosen(all []string, names string) ([]string, error) {
	wanted := strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
	for _, name := range wanted {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("there is no sender %q", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return len(wanted) > 0 && !slices.Contains(wanted, name)
	}), nil
}

// median of at least one value; of an even number the mean of the middle two.
func median(values []float64) float64 {
	slices.Sort(values)
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}
