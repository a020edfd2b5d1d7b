package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weir"
)

// byEach has the end host's access as a factor, in runs of random order.
const byEach = "factors: {access: [ip, {pppoe: userland}, {pppoe: xdp}]}\nruns: {count: %d}\n"

// accessed are the promises about access by PPPoE (docs/access.md).
func accessed() []promise {
	const sessions = 10_000
	return []promise{
		throughUserland(1e9),
		framesByXDP(5, .8),
		subscribed(fmt.Sprintf("%d PPPoE sessions are set up, held for 60 s and ended", sessions), "in 20 s, with 10,000 octets each; each held, each keep-alive answered, none left",
			fmt.Sprintf("{method: pppoe-setup, sessions: %d, trial: 60s, trials: 1}", sessions), []bound{
				{"sessions set up", sessions, sessions, "sessions"},
				{"time to set all sessions up", 0, 20, "s"},
				{"memory of the concentrator for each session", 1, 10_000, "octets each"},
				{weir.SessionsLost, 0, 0, "lost"},
				{"keep-alives sent", 5 * sessions, 8 * sessions, "keep-alives"},
				{weir.KeepAlivesMissed, 0, 0, "missed"},
				{weir.SessionsLeft, 0, 0, "left"},
				{"time to end all sessions", 0, 20, "s to end them"},
			}),
		underLoad(sessions),
		subscribed("a flood of 100k PADIs a second", "established sessions lose nothing; each subscriber who comes has a session",
			"{method: pppoe-flood, sessions: 200, flood: 100k, trial: 10s, trials: 1}", []bound{
				{weir.FloodRate, 95_000, 105_000, "PADIs/s"},
				{"datagrams sent in a session", 400, math.Inf(1), "datagrams in a session"},
				{weir.SessionDatagramsLost, 0, 0, "of them lost"},
				{weir.SessionsLost, 0, 0, "sessions lost"},
				{"keep-alives sent", 4000, math.Inf(1), "keep-alives"},
				{weir.KeepAlivesMissed, 0, 0, "missed"},
				{weir.SessionsFailed, 0, 0, "subscribers failed"},
				{weir.SetUpUnderFlood, 0, 1, "s for a set-up"},
			}),
	}
}

// accessLevel is that of a result, by its last word: "ip", "userland", "xdp".
func accessLevel(r result) string {
	level := strings.Fields(r.level("access"))
	return level[len(level)-1]
}

// byAccess are the values of results that have one, by their access.
func byAccess(all []result) map[string][]float64 {
	out := map[string][]float64{}
	for _, r := range all {
		if r.Value > 0 {
			out[accessLevel(r)] = append(out[accessLevel(r)], r.Value)
		}
	}
	for _, values := range out {
		slices.Sort(values)
	}
	return out
}

// spread is the median of sorted values, with the least and the most, in a unit.
func spread(values []float64, unit float64) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g (%.4g to %.4g; %d runs)", median(values)/unit, values[0]/unit, values[len(values)-1]/unit, len(values))
}

// throughUserland is the promise about TCP through a session whose octets a program moves.
func throughUserland(least float64) promise {
	return promise{
		group: "access", name: "TCP through PPPoE of a plain program", asked: fmt.Sprintf("%.0f Gbit/s and more, in each run", least/1e9),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			n := s.often(5)
			t := s.run(ctx, fmt.Sprintf(byEach, n)+"methods: [{method: tcp, trial: 5s}]\n")
			by := byAccess(t.Results)
			userland := by["userland"]
			return fmt.Sprintf("%s Gbit/s; XDP %s, plain IP %s", spread(userland, 1e9), spread(by["xdp"], 1e9), spread(by["ip"], 1e9)),
				len(userland) == n && userland[0] >= least, t.err
		},
	}
}

// leastRuns have to have a number, as a disturbed one has none.
const leastRuns = 3

// framesByXDP is the promise about the smallest frames in sessions: how often userland's rate
// XDP forwards, in the worst of its runs beside the best of userland's, and which part of plain
// IP's, at the lower end of the interval.
func framesByXDP(times, part float64) promise {
	return promise{
		group: "access", name: "66-octet frames through PPPoE by XDP", asked: fmt.Sprintf("%g times a plain program's rate in each run that has a number, and %.0f %% of plain IP's with the interval", times, 100*part),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			t := s.run(ctx, fmt.Sprintf(byEach, s.often(5))+"traffic: {sessions: 1, sizes: [66]}\nmethods: [{method: saturated, within: 6s}]\n")
			if t.err != nil {
				return "", false, t.err
			}
			by := byAccess(t.Results)
			found := fmt.Sprintf("XDP %s kpps, a plain program %s, plain IP %s", spread(by["xdp"], 1e3), spread(by["userland"], 1e3), spread(by["ip"], 1e3))
			if len(by["xdp"]) < leastRuns || len(by["userland"]) < leastRuns {
				return found, false, nil
			}
			is := slices.IndexFunc(t.Comparisons, func(c comparison) bool {
				return c.Metric == saturated && !c.Again && strings.Contains(c.Arm, "xdp")
			})
			if is < 0 || t.Comparisons[is].Lower == nil {
				return found + "; nothing is known of XDP beside plain IP", false, nil
			}
			lower := *t.Comparisons[is].Lower
			ratio := by["xdp"][0] / by["userland"][len(by["userland"])-1]
			return fmt.Sprintf("%s: %.1f times, and %+.1f %% of plain IP at least", found, ratio, 100*lower), ratio >= times && lower >= part-1, nil
		},
	}
}

// subscribed is a promise about a method of many subscribers, by figures of its result.
func subscribed(name, asked, method string, bounds []bound) promise {
	return bounded("access", name, asked, "testbed: {kind: netns}\ndut: {access: {pppoe: userland}}\nmethods: ["+method+"]\n", bounds)
}

// underLoad is the promise about so many sessions that more test frames go through than the
// DUT forwards, while each asks whether the concentrator is alive. Such a question may be lost as
// a test frame may; a session that is lost is a promise that was broken.
func underLoad(sessions int) promise {
	const (
		length = time.Minute
		echoes = 5 // of each, at least
	)
	return promise{
		group: "access", name: fmt.Sprintf("%d PPPoE sessions under load for 60 s", sessions), asked: fmt.Sprintf("all of them alive at both ends, %d keep-alives of each and more", echoes),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			t := s.run(ctx, fmt.Sprintf("testbed: {kind: netns}\ndut: {access: {pppoe: xdp}}\ntraffic: {sessions: %d, sizes: [128]}\nmethods: [{method: frmol, trial: %v, trials: 1}]\n", sessions, length), "--trials")
			if t.err != nil {
				return "", false, t.err
			}
			var all []string
			kept := true
			for _, one := range t.Trials {
				if one.Host.Over < length { // it looks for what the tester sends, or how long it lasts
					continue
				}
				said := map[string]float64{}
				for _, r := range one.Readings {
					if r.Source == "pppoe" {
						said[r.Name] = r.Value
					}
				}
				alive, served := said["sessions at the end of the trial"], said["sessions of the concentrator at the end of the trial"]
				sent, answered, late := said["keep-alives sent"], said["keep-alives answered"], said["keep-alives not answered in time"]
				kept = kept && alive == float64(sessions) && served == alive && sent >= float64(echoes*sessions)
				all = append(all, fmt.Sprintf("%.0f and %.0f alive, %.0f of %.0f keep-alives answered, %.0f not until the next", alive, served, answered, sent, late))
			}
			if len(all) == 0 || len(t.Results) != 1 {
				return fmt.Sprintf("%d trials of a minute, %d results", len(all), len(t.Results)), false, nil
			}
			rate := t.Results[0].Value
			return fmt.Sprintf("at %.0f kpps: %s", rate/1e3, strings.Join(all, "; ")), kept && rate > 0, nil
		},
	}
}
