package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// userHZ are the ticks of a second in /proc.
const userHZ = 100

// readings is the promise about what it costs to read a DUT that SSH reaches. The time is by
// how much longer a trial takes with all that lies between it and the next one than where
// the DUT is one of which nothing is read; the CPU time is that of the SSH server and all
// that it has started, of which the part that is the same for a few trials is not theirs. It is
// of weir's agent: plain commands, where that cannot be there, cost something else.
func readings() promise {
	const (
		few, many = 5, 25 // trials
		most      = 20 * time.Millisecond
		share     = .01 // of a CPU
	)
	const plan = "%s\ntraffic: {sizes: [64]}\nmethods: [%s]\nwaits: {residual: 20ms, learning: 20ms}\n"
	read := fmt.Sprintf(sshPorts, "{}")
	blind := strings.ReplaceAll(read, `host: "ssh://r1", ports: [dut0, dut1]`, "platform: opaque")
	return promise{
		group: "readings", name: "readings of a DUT over SSH, trials of 1 s",
		asked: fmt.Sprintf("%v of a trial and %g %% of a CPU at most", most, 100*share),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			gap, ticks := map[string]time.Duration{}, map[int]float64{}
			for _, c := range []struct {
				dut string
				n   int
			}{{read, few}, {blind, many}, {read, many}} {
				each, ran, err := s.readingCosts(ctx, fmt.Sprintf(plan, c.dut, strings.Repeat("{method: frmol, trial: 1s}, ", c.n)), c.dut == blind)
				if err != nil {
					return "", false, err
				}
				s.say("%d trials, %q: one each %v, servers ran %.2f s", c.n, strings.SplitN(c.dut, "\n", 2)[1], each, ran)
				gap[c.dut] = each
				if c.dut == read {
					ticks[c.n] = ran
				}
			}
			took := gap[read] - gap[blind]
			cpu := (ticks[many] - ticks[few]) / (many - few) / gap[read].Seconds()
			return fmt.Sprintf("%.1f ms of a trial, %.2f %% of a CPU", took.Seconds()*1e3, 100*cpu), took <= most && cpu <= share, nil
		},
	}
}

// readingCosts measures a plan beside a machine that SSH reaches: the median time from a
// trial to the next one, and how long all that the SSH server has started has run, s. A DUT
// that weir tells nothing has to forward by itself.
func (s setup) readingCosts(ctx context.Context, plan string, alone bool) (each time.Duration, ran float64, err error) {
	f, err := os.CreateTemp("", "truth-*.cpu")
	if err != nil {
		return 0, 0, err
	}
	f.Close()
	defer os.Remove(f.Name())
	kind := "dut"
	if alone {
		kind = "router"
	}
	s.near = []string{"env", "WEIR_HOSTS_CPU=" + f.Name(), hostsScript, kind}
	t := s.run(ctx, plan, "--trials")
	if t.err == nil && !alone {
		t.err = t.readBy("weir-agent")
	}
	if t.err != nil {
		return 0, 0, t.err
	}
	var gaps []float64
	for i := 1; i < len(t.Trials); i++ {
		gaps = append(gaps, t.Trials[i].Start.Sub(t.Trials[i-1].Start).Seconds())
	}
	if len(gaps) == 0 {
		return 0, 0, fmt.Errorf("%d trials tell nothing of the time between them", len(t.Trials))
	}
	said, err := os.ReadFile(f.Name())
	if err != nil {
		return 0, 0, err
	}
	ticks, err := strconv.ParseFloat(strings.TrimSpace(string(said)), 64)
	return time.Duration(median(gaps) * float64(time.Second)), ticks / userHZ, err
}
