package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"

	"weir/stats"
)

// boxScript makes a box of which weir knows nothing, by plain commands.
const boxScript = "examples/box/box.sh"

// place has something done by a weir for which something else is there meanwhile.
type place func(ctx context.Context, s setup, do func(setup) error) error

// box is a place with a box of a kind.
func box(kind, rules string) place {
	return func(ctx context.Context, s setup, do func(setup) error) error {
		return within(ctx, kind, rules, func() error { return do(s) })
	}
}

// within makes a box of a kind, has what do with it, and removes it.
func within(ctx context.Context, kind, rules string, do func() error) (err error) {
	if _, err := program(ctx, searchLimit, boxScript, "up", kind); err != nil {
		return err
	}
	defer func() {
		_, down := program(context.WithoutCancel(ctx), searchLimit, boxScript, "down")
		err = errors.Join(err, down)
	}()
	if rules != "" {
		cmd := exec.CommandContext(ctx, "ip", "netns", "exec", "weirbox", "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(rules)
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("nft: %w: %s", err, said)
		}
	}
	return do()
}

// boxes are the promises about a device at two ports, of which nothing is known.
func boxes() []promise {
	const limit = 50_000
	policer := func(family string) string {
		return fmt.Sprintf("table %s filter { chain forward { type filter hook forward priority 0; limit rate over %d/second drop; }; }", family, limit)
	}
	// As weir sets its own stateful firewall, word for word.
	const rules = `table ip filter { chain forward { type filter hook forward priority 0; policy accept;
		ct state established,related accept
		ct state invalid counter drop
		ip saddr { 198.18.0.0/16, 198.19.0.0/16 } ip daddr { 198.18.0.0/16, 198.19.0.0/16 } ct state new accept
		counter drop; }; }`
	const bridgeRules = "table bridge filter { chain forward { type filter hook forward priority 0; policy drop; ip saddr 198.18.0.0/15 accept; ether type { arp, ip6 } accept; }; }"
	const bed = "testbed: {kind: ports, ports: [box0, box1]}"
	return []promise{
		alike("boxes", "a box is like a lab: router", "dut: {platform: linux}", bed, box("router", "")),
		alike("boxes", "a box is like a lab: router with nftables", "dut: {firewall: stateful}", bed, box("router", rules)),
		boxBenched("router", "", ""),
		boxBenched("bridge", "", ""),
		boxBenched("bridge", " with nftables", bridgeRules),
		boxPoliced("router", policer("ip"), limit),
		boxPoliced("bridge", policer("bridge"), limit),
		restored("boxes", "at ports", "testbed: {kind: ports, ports: [box0, box1]}\ntraffic: {sizes: [64, 1518]}\nrounds: 2\nmethods: [{method: sweep, loss: 0.5%, within: 2400ms, trial: 200ms}]\n",
			[]string{"unshare", "--net", "--mount"}, "box0", "box1", "weirbox", boxScript),
		restored("restores", "at ports, with a restore under limits", "testbed: {kind: ports, ports: [box0, box1]}\ntraffic: {sizes: [64]}\nmethods: [{method: sweep, loss: 0.5%, within: 2400ms, trial: 200ms}]\n",
			[]string{"env", "LIMITED=yes", "unshare", "--net", "--mount"}, "box0", "box1", "weirbox", boxScript),
	}
}

// figuresOf is what is compared of a sweep, by the names that people have for it.
func figuresOf(r result) map[string]float64 {
	return map[string]float64{"knee": r.Value, "saturated": r.Saturated.Value, "median latency": r.Latency.P50}
}

// a way is how something is measured, and where.
type way struct {
	at      place // nil: anywhere
	measure func(context.Context, setup) (result, error)
}

// byPlan measures the only result of a plan.
func byPlan(plan string, at place) way {
	return way{at, func(ctx context.Context, s setup) (result, error) { return s.planned(ctx, plan) }}
}

// sweepOf is a plan of one sweep at a testbed.
func sweepOf(bed string, size int) string {
	return fmt.Sprintf("%s\ntraffic: {sizes: [%d]}\nmethods: [{method: sweep, loss: 0.5%%, within: 4s}]\nwaits: {residual: 20ms}\n", bed, size)
}

const zeroOrNoise = "the difference is zero, or no larger than that of two %s, within the 95 %% intervals of both"

// alike has weir measure a testbed at a place and a lab of network namespaces that is set
// to the same, in turn.
func alike(group, name, lab, other string, at place) promise {
	return promise{
		group: group, name: name, asked: fmt.Sprintf(zeroOrNoise, "labs"),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			var text []string
			kept := true
			for _, size := range []int{64, 1518} {
				said, alike, err := s.compared(ctx, byPlan(sweepOf(lab, size), nil), byPlan(sweepOf(other, size), at))
				if err != nil {
					return "", false, err
				}
				kept = kept && alike
				text = append(text, fmt.Sprintf("%d octets: %s", size, said))
			}
			return strings.Join(text, "; "), kept, nil
		},
	}
}

// boxBenched has weir bench and weir run measure one box, in turn.
func boxBenched(kind, with, rules string) promise {
	layer := 3
	if kind == "bridge" {
		layer = 2
	}
	run := byPlan(sweepOf(fmt.Sprintf("testbed: {kind: ports, ports: [box0, box1]}\ndut: {layer: %d}", layer), 64), box(kind, rules))
	bench := way{box(kind, rules), func(ctx context.Context, s setup) (result, error) {
		b, err := s.bench(ctx, false, "--ports", "box0,box1", "--layer", fmt.Sprint(layer))
		return b.sizes["64"], errors.Join(err, b.err)
	}}
	return promise{
		group: "boxes", name: "weir bench --ports is like weir run: " + kind + with,
		asked: fmt.Sprintf(zeroOrNoise, "weir runs"),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			return s.compared(ctx, run, bench)
		},
	}
}

// compared measures one way, another and the first again, in turn: the two that are the
// same tell how much of a difference is noise.
func (s setup) compared(ctx context.Context, same, other way) (string, bool, error) {
	logs, err := s.turns(ctx, []way{same, other, same})
	if err != nil {
		return "", false, err
	}
	var text []string
	kept := true
	for _, figure := range []string{"knee", "saturated", "median latency"} {
		var ofOther, ofSame []float64
		for _, l := range logs {
			ofOther = append(ofOther, l[1][figure]-(l[0][figure]+l[2][figure])/2)
			ofSame = append(ofSame, l[2][figure]-l[0][figure])
		}
		there, ok := stats.MeanChange(ofOther, .95)
		noise, _ := stats.MeanChange(ofSame, .95)
		zero := there.Lower <= 0 && there.Upper >= 0
		meets := there.Lower <= noise.Upper && there.Upper >= noise.Lower
		kept = kept && ok && (zero || meets)
		text = append(text, fmt.Sprintf("%s %s, two alike %s", figure, percent(there), percent(noise)))
	}
	return strings.Join(text, ", "), kept, nil
}

func percent(i stats.Interval) string {
	return fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*i.Estimate, 100*i.Lower, 100*i.Upper)
}

// turns measures in several ways, five times in an order drawn anew: the logarithms of the
// figures of each, by round and way.
func (s setup) turns(ctx context.Context, ways []way) (logs [][]map[string]float64, err error) {
	n := s.often(5)
	draw := rand.New(rand.NewPCG(1, uint64(len(ways)))) // the same order for everybody
	for i := range n {
		round := make([]map[string]float64, len(ways))
		for _, which := range draw.Perm(len(ways)) {
			measure := func(s setup) error {
				r, err := ways[which].measure(ctx, s)
				if err != nil {
					return err
				}
				round[which] = map[string]float64{}
				for name, value := range figuresOf(r) {
					if !(value > 0) {
						return fmt.Errorf("no %s was found", name)
					}
					round[which][name] = math.Log(value)
				}
				s.say("%d of %d, way %d: knee %s, saturated %.1f kpps, p50 %.1f us", i+1, n, which, r.kpps(), r.Saturated.Value/1e3, r.Latency.P50*1e6)
				return nil
			}
			if at := ways[which].at; at != nil {
				err = at(ctx, s, measure)
			} else {
				err = measure(s)
			}
			if err != nil {
				return nil, err
			}
		}
		logs = append(logs, round)
	}
	return logs, nil
}

// boxPoliced has weir sweep a box that lets a known rate through.
func boxPoliced(kind, rules string, limit float64) promise {
	const loss, margin = .005, .01
	layer := ""
	if kind == "bridge" {
		layer = "dut: {layer: 2}\n"
	}
	plan := fmt.Sprintf("testbed: {kind: ports, ports: [box0, box1]}\n%straffic: {sizes: [64]}\nmethods: [{method: sweep, loss: %g%%, within: 8s}]\nwaits: {residual: 20ms}\n", layer, 100*loss)
	return promise{
		group: "boxes",
		name:  fmt.Sprintf("a box with a policer of %.0f frames/s: %s", limit, kind),
		asked: fmt.Sprintf("each time within %g %%", 100*margin),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			n, kept := s.often(5), 0
			var off []string
			for i := range n {
				err := within(ctx, kind, rules, func() error {
					r, err := s.planned(ctx, plan)
					if err != nil {
						return err
					}
					wrong := r.Value*(1-loss)/limit - 1
					if math.Abs(wrong) <= margin {
						kept++
					}
					off = append(off, fmt.Sprintf("%+.2f", 100*wrong))
					s.say("%d of %d: %s, off by %+.2f %%, saturated %.1f kpps", i+1, n, r.kpps(), 100*wrong, r.Saturated.Value/1e3)
					return nil
				})
				if err != nil {
					return "", false, err
				}
			}
			return fmt.Sprintf("%d of %d, off by %s %%", kept, n, strings.Join(off, " ")), kept == n, nil
		},
	}
}
