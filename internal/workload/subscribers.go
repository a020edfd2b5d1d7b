package workload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
)

// setup sets PPPoE sessions up for many subscribers of one access line, holds them, and
// ends them. What serves them is a concentrator of weir's own where that of the line is.
var setup = program{
	Info:  Info{Name: "pppoe-setup", Summary: "PPPoE sessions of many subscribers that are set up in a second, held and ended, by weir's own program"},
	begin: beginSetup,
}

// Of the subscribers: none of their addresses is anybody's.
var (
	lineAddress = netip.MustParseAddr("100.64.0.1") // of the concentrator (RFC 6598)
	linePool    = netip.MustParseAddr("100.64.0.2")
	lineNetwork = netip.MustParseAddr("2001:db8::") // (RFC 3849)
)

const (
	// lineService is what subscribers and a flood ask for: another concentrator on the
	// line does not have it, and keeps silent.
	lineService = "subscribers"
	// usualSessions is how many subscribers there are where nobody says.
	usualSessions = 1000
	// heldEcho is how often subscribers ask whether the concentrator is alive, or heldEchoes
	// times while they stay, but never more often than leastEcho: one that is not answered is
	// known when the next is due, and a machine may do something else for a while.
	heldEcho, leastEcho = 10 * time.Second, time.Second
	heldEchoes          = 5
	// setupLimit is how long all of them may take to come, or to leave.
	setupLimit = 10 * time.Minute
	// leavingLimit is how long a concentrator may still have sessions that have ended.
	leavingLimit = 20 * time.Second
)

// crowd is many subscribers that share a concentrator.
type crowd struct {
	job    *job
	server *agent.Agent
	users  []string // lines of their secrets
}

// gather starts a concentrator for so many subscribers.
func (j *job) gather(ctx context.Context, subscribers int, echo time.Duration) (*crowd, error) {
	switch {
	case j.line == nil:
		return nil, &weir.UnsupportedError{Feature: "PPPoE subscribers where the end host is connected by IP", Remedy: "give it access: {pppoe: userland}"}
	case j.number > 0:
		return nil, errors.New("subscribers are on one side: leave out direction: both")
	}
	j.pausing.Store(true)
	c := &crowd{job: j}
	for i := range subscribers {
		c.users = append(c.users, fmt.Sprintf("subscriber%05d %s\n", i, rand.Text()))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listenLimit, fmt.Errorf("it does not serve after %v", listenLimit))
	defer cancel()
	at := j.line[1]
	var err error
	c.server, err = agent.Start(ctx, at.self(), "subscribers-serve", endhost.SubscribersServe{
		Port: at.Port, Name: lineService, Service: lineService, Secrets: strings.Join(c.users, ""), Address: lineAddress,
		Pool: linePool, Size: subscribers, Network: lineNetwork, Echo: echo,
	}, nil)
	return c, err
}

// come starts a process for those from a number on to another one, which come no faster
// than rate in a second (0: as they can).
func (c *crowd) come(ctx context.Context, from, to, rate int, echo time.Duration) (*agent.Agent, error) {
	at := c.job.line[0]
	return agent.Start(ctx, at.self(), "subscribers", endhost.Subscribers{
		Port: at.Port, First: fmt.Sprintf("02:5c:%02x:%02x:%02x:%02x", byte(from>>24), byte(from>>16), byte(from>>8), byte(from)),
		Secrets: strings.Join(c.users[from:to], ""), Service: lineService, Concentrator: lineService, Rate: rate, Echo: echo, Network: lineNetwork,
	}, nil)
}

// told asks the subscribers of a process to do something, and how they stand then.
func told(ctx context.Context, a *agent.Agent, what string) (r endhost.SubscribersReport, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, setupLimit, fmt.Errorf("it did not end after %v", setupLimit))
	defer cancel()
	return r, a.Ask(ctx, what, nil, &r)
}

// dismiss has the subscribers of a process leave, and ends it.
func dismiss(ctx context.Context, a *agent.Agent) error {
	if a.Alive() == nil {
		told(ctx, a, "disconnect") // those who cannot are missed by the concentrator
	}
	return a.Stop(ctx)
}

func (c *crowd) served(ctx context.Context) (r endhost.ServedReport, err error) {
	return r, c.server.Ask(ctx, "count", nil, &r)
}

// servedLast is how the concentrator stands once it has read that its sessions are over, or has
// had time for that.
func (c *crowd) servedLast(ctx context.Context) (r endhost.ServedReport, err error) {
	for late := time.Now().Add(leavingLimit); ; {
		if r, err = c.served(ctx); err != nil || r.Sessions == 0 || time.Now().After(late) {
			return r, err
		}
		if err := pause(ctx, leavingLimit/1000); err != nil {
			return r, err
		}
	}
}

func beginSetup(ctx context.Context, j *job) (*session, error) {
	n := j.Sessions
	if n == 0 {
		n = usualSessions
	}
	echo := max(leastEcho, min(heldEcho, j.duration/heldEchoes))
	c, err := j.gather(ctx, n, echo)
	if err != nil {
		return nil, err
	}
	clients, err := c.come(ctx, 0, n, 0, echo)
	if err != nil {
		return nil, errors.Join(err, c.server.Stop(ctx))
	}
	return &session{
		move: func(ctx context.Context) (weir.Transferred, error) { return c.setUp(ctx, clients, j.duration) },
		end:  func(ctx context.Context) error { return errors.Join(dismiss(ctx, clients), c.server.Stop(ctx)) },
	}, nil
}

// setUp has all subscribers come, holds their sessions for a time, and has them leave.
func (c *crowd) setUp(ctx context.Context, clients *agent.Agent, hold time.Duration) (weir.Transferred, error) {
	out := weir.Transferred{Version: weir.Version}
	before, err := c.served(ctx)
	if err != nil {
		return out, err
	}
	idle, err := told(ctx, clients, "count")
	if err != nil {
		return out, err
	}
	came, err := told(ctx, clients, "connect")
	if err != nil {
		return out, err
	}
	there, err := c.served(ctx)
	if err != nil {
		return out, err
	}
	out.Count, out.Took, out.CPU = uint64(came.Up), came.Took, endsCPU(c.job.server, came.CPU-idle.CPU, 0)
	if came.Up == 0 {
		return out, fmt.Errorf("no session came about: %s", reasons(came.Failed))
	}
	if err := pause(ctx, hold); err != nil {
		return out, err
	}
	held, err := told(ctx, clients, "count")
	if err != nil {
		return out, err
	}
	left, err := told(ctx, clients, "disconnect")
	if err != nil {
		return out, err
	}
	after, err := c.servedLast(ctx)
	out.Figures = slices.Concat(cameFigures(came), heldFigures(held), faultFigures("at the subscribers", held.Protocol.Faults(idle.Protocol)),
		faultFigures("at the concentrator", after.Protocol.Faults(before.Protocol)), []weir.Figure{
			{Name: "frames that the subscribers had no room for", Value: float64(left.Missed - idle.Missed), Unit: "frames"},
			{Name: weir.SessionsLeft, Value: float64(after.Sessions), Unit: "sessions"},
			{Name: "time to end all sessions", Value: left.Took.Seconds(), Unit: "s"},
			{Name: "CPU time of the concentrator for each session", Value: (there.CPU - before.CPU).Seconds() / float64(came.Up), Unit: "s"},
			{Name: "memory of the concentrator for each session", Value: max(0, float64(there.Heap)-float64(before.Heap)) / float64(came.Up), Unit: "octets"},
		})
	return out, err
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cameFigures are how long each session took to be set up, and why some were not.
func cameFigures(r endhost.SubscribersReport) []weir.Figure {
	out := []weir.Figure{
		{Name: "sessions set up", Value: float64(r.Up), Unit: "sessions"},
		{Name: "time to set all sessions up", Value: r.Took.Seconds(), Unit: "s"},
		{Name: "set-up of a session, median", Value: r.Times.Quantile(.5), Unit: "s"},
		{Name: "set-up of a session, 99th percentile", Value: r.Times.Quantile(.99), Unit: "s"},
		{Name: "set-up of a session, longest", Value: float64(r.Times.Max) / 1e9, Unit: "s"},
	}
	return append(out, failedFigures(weir.SessionsFailed, r.Failed)...)
}

// heldFigures are what became of sessions that were up.
func heldFigures(r endhost.SubscribersReport) []weir.Figure {
	return append(failedFigures(weir.SessionsLost, r.Lost),
		weir.Figure{Name: "keep-alives sent", Value: float64(r.Protocol.Echoes), Unit: "echoes"},
		weir.Figure{Name: "keep-alives answered", Value: float64(r.Protocol.Echoed), Unit: "echoes"},
		weir.Figure{Name: weir.KeepAlivesMissed, Value: float64(r.Protocol.Unechoed), Unit: "echoes"})
}

// faultFigures are what an end has met that should not have been, and how often.
func faultFigures(where string, faults []endhost.Fault) (out []weir.Figure) {
	for _, f := range faults {
		out = append(out, weir.Figure{Name: f.What + ", " + where, Value: float64(f.Count), Unit: "times"})
	}
	return out
}

// failedFigures are how many failed, and how many for each reason.
func failedFigures(name string, failed map[string]int) []weir.Figure {
	out := []weir.Figure{{Name: name, Unit: "sessions"}}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		out[0].Value += float64(failed[why])
		out = append(out, weir.Figure{Name: name + ": " + why, Value: float64(failed[why]), Unit: "sessions"})
	}
	return out
}

// reasons are those of failures, for people.
func reasons(failed map[string]int) string {
	all := make(map[string]uint64)
	for why, n := range failed {
		all[why] = uint64(n)
	}
	return causes(all)
}
