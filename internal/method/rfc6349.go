package method

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// tcpThroughput measures the TCP throughput of RFC 6349: first the path MTU and
// the round trip without load, then with datagrams the bottleneck bandwidth and
// whether the path is sound, and then TCP, for which the result has the three
// metrics of section 4. The value is the goodput of the median test of TCP.
//
// The bottleneck bandwidth is that of the links, where the plan gives it and a
// stream of datagrams confirms it, or else what of such a stream arrives. It
// counts what a frame takes of an Ethernet.
//
// A path that loses more than 5 % of a stream below that bandwidth, or that has
// a jitter of more than 150 ms, is not testable: the result says so, without a
// value. Of both directions at once, the metrics are those of both together.
var tcpThroughput = Method{
	Name:     "rfc6349",
	RFC:      "RFC 6349",
	Summary:  "TCP throughput with transfer time ratio, efficiency and buffer delay, after path MTU, round trip and bandwidth",
	Check:    claim.CheckTCPThroughput,
	Earns:    [][]string{{"TCP goodput, short trials", "TCP goodput", "RFC 6349 TCP throughput"}},
	Defaults: ownStream,
	Quick:    quickStream,
	Book:     Params{Trial: 40 * time.Second},

	Application: true,
	Takes:       tcpStream.Takes,
	Measure:     single(runTCPThroughput),
}

const (
	// lookupLength is how long a trial lasts at most that prepares those of TCP.
	lookupLength = 5 * time.Second
	// udpHeader is how many octets the header of a datagram has, and mostPayload
	// what it has room for.
	udpHeader   = 8
	mostPayload = 65_507
)

func runTCPThroughput(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	asked, m := s.asked("tcp"), goodput(s.params)
	path, err := s.path6349(ctx)
	if err == nil {
		err = s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) { return s.transfer(ctx, asked, m) })
	}
	r := s.result(m.unit)
	r.Transfer, r.Server, r.Figures = &asked, env.Traffic.Server, path.figures()
	warnOfLookups(&r, claim.TransferredBy(s.trials, "udp"))
	var refused *notTestableError
	if errors.As(err, &refused) {
		r.Unmeasured = refused.Error()
		r.Claim = s.env.Method.claim(r, s.trials)
		return r, nil
	}
	if err := s.unmeasured(ctx, &r, err); r.Unmeasured != "" {
		return r, err
	}
	tests := complete(claim.TransferredBy(s.trials, asked.Program))
	if len(tests) == 0 {
		return r, err
	}
	t := s.fill(&r, tests, m)
	r.Figures = append(path.figures(), append(path.metrics(t), r.Figures[len(path.figures()):]...)...)
	if ideal := path.achievable() * float64(env.Traffic.Ports()); claim.Beyond(r.Value, ideal) {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.TesterLimited, "TCP came at %s, and at most %s fit into what was taken for the bottleneck bandwidth: its hosts cannot fill the path with datagrams, or the plan names a slower link; there is no transfer time ratio", megabits(r.Value), megabits(ideal)))
	}
	r.Claim = s.env.Method.claim(r, s.trials)
	return r, err
}

// notTestableError says that RFC 6349 does not test a path as it is.
type notTestableError struct{ why string }

func (e *notTestableError) Error() string {
	return "not testable by RFC 6349 section 3: " + e.why
}

// path6349 is what is known of a path before TCP is tested.
type path6349 struct {
	family    weir.Family
	mtu       int
	base      float64 // s
	bandwidth float64 // bit/s; 0: not known
	lookups   int     // streams of datagrams
	loss      float64 // of a stream just below the bandwidth; of the last one where that is not known
	jitter    float64 // s; negative: not known
}

// path6349 looks at a path: its error is a *notTestableError when it cannot be
// tested.
func (s *session) path6349(ctx context.Context) (path6349, error) {
	p := path6349{family: s.env.Traffic.Family, jitter: -1}
	length := min(s.params.Trial, lookupLength)
	r, err := s.prepare(ctx, length, weir.Transfer{Program: "path"}, measure{lacks: func(t weir.Transferred) string {
		switch {
		case t.PathMTU == 0:
			return "the path MTU is not known: no packet that must not be fragmented came through"
		case t.IdleRTT <= 0:
			return "no round trip was timed"
		}
		return ""
	}})
	if err != nil {
		return p, err
	}
	p.idle(r)
	if err := p.find(ctx, s); err != nil {
		return p, err
	}
	return p, p.testable()
}

// prepare performs one trial of those that prepare the tests of TCP.
func (s *session) prepare(ctx context.Context, length time.Duration, asked weir.Transfer, m measure) (weir.TrialResult, error) {
	if err := ctx.Err(); err != nil {
		return weir.TrialResult{}, err
	}
	asked.Seed = s.env.Traffic.Seed
	return s.transferFor(ctx, length, asked, m)
}

// payload is how much fits into a datagram that is not fragmented.
func (p *path6349) payload() int { return min(p.mtu-claim.IPHeader(p.family)-udpHeader, mostPayload) }

// idle takes what is known of the path without load. The shortest round trip is
// the one that counts (RFC 6349 section 3.2.1).
func (p *path6349) idle(r weir.TrialResult) {
	found := r.Transferred
	p.mtu, p.base = found.PathMTU, found.IdleRTT
	if found.RTT.N > 0 {
		p.base, p.jitter = found.RTT.Quantile(0), found.RTT.Quantile(1)-found.RTT.Quantile(0)
	}
	if least := counted(*found, weir.LeastRTT); least > 0 {
		p.base = least
	}
}

// check takes what a stream of datagrams says of the path's jitter. Where a program
// does not say it, it stays by how much round trips without load differed at most,
// which is no less than that of either direction alone.
func (p *path6349) check(r weir.TrialResult) {
	for _, f := range r.Transferred.Figures {
		if f.Name == weir.Jitter {
			p.jitter = f.Value
		}
	}
}

// testable is nil when TCP can be tested over the path.
func (p *path6349) testable() error {
	switch {
	case p.bandwidth == 0:
		return &notTestableError{fmt.Sprintf("the path lost %.3g %% of each of %d streams of datagrams, or more; more than 5 %% is too much", 100*p.loss, p.lookups)}
	case p.loss > claim.MostLoss:
		return &notTestableError{fmt.Sprintf("the path lost %.3g %% of a stream of datagrams at %s, which is below its bandwidth; more than 5 %% is too much", 100*p.loss, megabits(soundLoad*p.bandwidth))}
	case p.jitter > claim.MostJitter.Seconds():
		return &notTestableError{fmt.Sprintf("the path has a jitter of %.3g ms; more than 150 ms is too much", 1e3*p.jitter)}
	}
	return nil
}
