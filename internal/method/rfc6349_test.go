package method

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/claim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// path is a path between two end hosts: what it has, and what it can do.
type path struct {
	mtu       int
	rtt       float64 // s
	bandwidth float64 // bit/s
	hosts     float64 // bit/s of datagrams that the hosts can send; 0: any
	loss      float64 // of whatever is sent
	dropped   float64 // share of what arrives that the socket of the receiving host has no room for
	jitter    float64 // s
	collapse  float64 // share of the bandwidth above which nothing arrives; 0: none
	probed    bool    // whether the jitter is that of round trips
	tcp       float64 // share of what TCP can do
	asked     []weir.Transfer
}

func (p *path) answer(t weir.Trial) (weir.Transferred, error) {
	asked := *t.Transfer
	p.asked = append(p.asked, asked)
	found := weir.Transferred{Took: t.Duration - asked.WarmUp, Server: weir.Destination}
	switch asked.Program {
	case "path":
		found.PathMTU, found.IdleRTT = p.mtu, 1.2*p.rtt
		found.Figures = []weir.Figure{{Name: weir.LeastRTT, Value: p.rtt}}
		if p.jitter > 0 && p.probed {
			found.RTT.Add(uint64(1e9*p.rtt), 1)
			found.RTT.Add(uint64(1e9*(p.rtt+p.jitter)), 1)
		}
	case "udp":
		most := frame.LineRate(p.bandwidth, claim.FrameSize(p.mtu)) * float64(asked.Payload) * 8
		sent := asked.Rate
		if sent == 0 {
			sent = 9 * most
		}
		if p.hosts > 0 {
			sent = min(sent, p.hosts)
		}
		arrived := min(sent, most) * (1 - p.loss)
		if p.collapse > 0 && sent > p.collapse*most {
			arrived = 0
		}
		taken := arrived * (1 - p.dropped)
		datagrams := func(rate float64) float64 { return rate * t.Duration.Seconds() / 8 / float64(asked.Payload) } // of the whole trial
		found.Octets = uint64(taken / 8 * found.Took.Seconds())
		found.Figures = []weir.Figure{
			{Name: weir.DatagramsSent, Value: datagrams(sent)}, {Name: weir.DatagramsReceived, Value: datagrams(taken)},
			{Name: weir.DatagramsDropped, Value: datagrams(arrived - taken)},
		}
		if !p.probed {
			found.Figures = append(found.Figures, weir.Figure{Name: weir.Jitter, Value: p.jitter})
		}
	default:
		rate := p.tcp * claim.AchievableTCP(p.bandwidth, p.mtu, t.Traffic.Family)
		found.Octets, found.Segment = uint64(rate/8*found.Took.Seconds()), p.mtu-52
		found.Retransmitted = found.Octets / uint64(found.Segment) / 50
		found.RTT.Add(uint64(1.28*p.rtt*1e9), 40)
		found.CPU = weir.EndsCPU{Source: found.Took / 4, Destination: found.Took / 4}
	}
	return found, nil
}

func good() *path { return &path{mtu: 1500, rtt: .025, bandwidth: 100e6, jitter: .001, tcp: .98} }

func figures(r weir.Result) string {
	var b strings.Builder
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "%-40s %12.6g %s\n", f.Name, f.Value, f.Unit)
	}
	return b.String()
}

// The figures and the claim of a test, by the book and by default, where the plan
// knows the bandwidth and where it does not.
func TestTCPThroughputGolden(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct {
		name   string
		link   float64
		params Params
		change func(*path, *Env)
	}{
		{"by the book, 100 Mbit/s in the plan", 100e6, Params{Trial: 40 * time.Second}, func(*path, *Env) {}},
		{"by default, bandwidth not known", 0, Params{}, func(*path, *Env) {}},
		{"jumbo frames, IPv6", 100e6, Params{}, func(p *path, e *Env) { p.mtu = 9000; e.Traffic.Family = weir.IPv6 }},
		{"collapses", 0, Params{}, func(p *path, _ *Env) { p.collapse = 1.02 }},
		{"far slower than the links", 10e9, Params{}, func(*path, *Env) {}},
		{"slower than the links", 1e9, Params{}, func(*path, *Env) {}},
		{"hosts too slow for datagrams", 0, Params{}, func(p *path, _ *Env) { p.hosts = 20e6 }},
		{"four connections, both directions", 100e6, Params{Transfer: weir.Transfer{Streams: 4}}, func(_ *path, e *Env) { e.Traffic.Bidirectional = true }},
	} {
		p := good()
		env := hosts(p.answer)
		env.LinkRate = tt.link
		tt.change(p, &env)
		r := run(t, "rfc6349", env, tt.params)
		fmt.Fprintf(&b, "== %s\n", tt.name)
		for _, asked := range p.asked {
			fmt.Fprintf(&b, "%s: rate %.6g, payload %d\n", asked.Program, asked.Rate, asked.Payload)
		}
		fmt.Fprintf(&b, "%.6g %s: %s\n%s", r.Value, r.Unit, r.Claim.Name, figures(r))
		for _, w := range r.Warnings {
			fmt.Fprintf(&b, "%s: %s\n", w.Code, w.Text)
		}
		for _, missed := range r.Claim.Missed {
			fmt.Fprintf(&b, "misses %s\n", missed)
		}
	}
	const golden = "testdata/rfc6349.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; %s is\n%s", err, golden, b.String())
	}
}

// The examples of the text: 94.9 and 949.2 Mbit/s at most, a ratio of 12 s to 8,
// an efficiency of 98.03 % and a buffer delay of 28 %.
func TestMetricsOfTheText(t *testing.T) {
	for _, tt := range []struct{ bandwidth, want float64 }{{100e6, 94.9e6}, {1e9, 949.2e6}, {10e9, 9492e6}} {
		if got := claim.AchievableTCP(tt.bandwidth, 1500, weir.IPv4); math.Abs(got-tt.want) > .001*tt.want {
			t.Errorf("over %v bit/s TCP can carry %v, and the text has %v", tt.bandwidth, got, tt.want)
		}
	}
	p := path6349{family: weir.IPv4, mtu: 1500, base: .025, bandwidth: 500e6}
	r := weir.TrialResult{Transferred: &weir.Transferred{Octets: 100_000, Retransmitted: 2, Segment: 1000}}
	r.Transferred.Took = time.Duration(1.5 * 8 * 100_000 / p.achievable() * 1e9)
	r.Transferred.RTT.Add(32e6, 10)
	want := map[string]float64{claim.TransferRatio: 1.5, claim.Efficiency: .9803, claim.BufferDelay: .28}
	for _, f := range p.metrics(r) {
		if w, ok := want[f.Name]; ok && math.Abs(f.Value-w) > 1e-3 {
			t.Errorf("%s is %v, and the text has %v", f.Name, f.Value, w)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// What the socket of the receiving host drops has passed the path: it is no loss,
// and the bottleneck is as wide as without it. The result has the warning of that
// stream, but not that a host was busy which was told to send all it can.
func TestSlowReceiverOfRFC6349(t *testing.T) {
	for name, both := range map[string]bool{"one direction": false, "both": true} {
		bottleneck := func(dropped float64) (weir.Result, float64) {
			p := good()
			p.dropped = dropped
			env := hosts(p.answer)
			env.Traffic.Bidirectional = both
			measure := env.Measure
			env.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
				r, err := measure(ctx, t)
				if t.Transfer.Program == "udp" {
					r.Warnings = []weir.Warning{weir.Warn(weir.TesterLimited, "busy")}
					if dropped > 0 {
						r.Warnings = append(r.Warnings, weir.Warn(weir.ReceiverSaturated, "dropped"))
					}
					if t.Transfer.Rate > 0 {
						r.Warnings[0].Text = "busy at a rate"
					}
				}
				return r, err
			}
			r := run(t, "rfc6349", env, Params{})
			bandwidth, _ := r.Figure(claim.Bottleneck)
			return r, bandwidth
		}
		_, want := bottleneck(0)
		r, got := bottleneck(.3)
		if math.Abs(got-want) > .001*want || r.Unmeasured != "" {
			t.Errorf("%s: the bottleneck is %v, want %v; %q", name, got, want, r.Unmeasured)
		}
		if loss, ok := r.Figure(claim.StreamLoss); !ok || loss > 1e-6 {
			t.Errorf("%s: a loss of %v", name, loss)
		}
		if got := warningOf(r, weir.ReceiverSaturated); got != "dropped" {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
		if got := warningOf(r, weir.TesterLimited); got != "busy at a rate" {
			t.Errorf("%s: warnings %v", name, r.Warnings)
		}
	}
}

func TestRefusalsOfRFC6349(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*path, *Env)
		want   string
		figure string
	}{
		"loss":           {func(p *path, _ *Env) { p.loss = .07 }, "not testable by RFC 6349 section 3: the path lost 7 % of a stream of datagrams at", claim.StreamLoss},
		"loss, known":    {func(p *path, e *Env) { p.loss, e.LinkRate = .07, 100e6 }, "lost 7 %", claim.StreamLoss},
		"all is lost":    {func(p *path, e *Env) { p.loss, e.LinkRate = 1, 100e6 }, "lost 100 % of each of 8 streams of datagrams", claim.StreamLoss},
		"jitter, probed": {func(p *path, _ *Env) { p.jitter, p.probed = .2, true }, "a jitter of 200 ms", claim.PathJitter},
		"jitter":         {func(p *path, _ *Env) { p.jitter = .2 }, "a jitter of 200 ms; more than 150 ms is too much", claim.PathJitter},
		"slow receiver":  {func(p *path, _ *Env) { p.loss, p.dropped = .04, .5 }, "", claim.StreamLoss},
		"just in terms":  {func(p *path, _ *Env) { p.loss, p.jitter = .049, .149 }, "", claim.StreamLoss},
	} {
		p := good()
		env := hosts(p.answer)
		tt.change(p, &env)
		results, err := tcpThroughput.Run(t.Context(), env, Params{})
		r := results[0]
		if err != nil || (tt.want == "") != (r.Unmeasured == "") || !strings.Contains(r.Unmeasured, tt.want) || (r.Value > 0) != (tt.want == "") {
			t.Errorf("%s: %v, unmeasured because %q, %v", name, r.Value, r.Unmeasured, err)
		}
		if _, known := r.Figure(tt.figure); !known {
			t.Errorf("%s: figures\n%s", name, figures(r))
		}
		if last := p.asked[len(p.asked)-1]; tt.want != "" && (last.Program == "tcp" || r.Claim.Name != "nothing measured") {
			t.Errorf("%s: %s was asked for, claim %q", name, last.Program, r.Claim.Name)
		}
		if r.Transfer.Program != "tcp" || len(p.asked) > 1+mostLookups {
			t.Errorf("%s: transfer %+v after %d trials", name, r.Transfer, len(p.asked))
		}
	}
	for program, want := range map[string]string{"path": "path came to its end, but the path MTU is not known", "udp": "udp broke off: the link went down", "tcp": "tcp broke off: the link went down"} {
		p := good()
		env := hosts(func(t weir.Trial) (weir.Transferred, error) {
			found, err := p.answer(t)
			if t.Transfer.Program == program {
				if found.PathMTU = 0; program != "path" {
					found.Failed = "the link went down"
				}
			}
			return found, err
		})
		results, err := tcpThroughput.Run(t.Context(), env, Params{})
		var broken *BrokenOffError
		if !errors.As(err, &broken) || !strings.Contains(results[0].Unmeasured, want) {
			t.Errorf("%s: %q, %v", program, results[0].Unmeasured, err)
		}
	}
}
