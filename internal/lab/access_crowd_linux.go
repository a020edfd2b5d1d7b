package lab

import (
	"cmp"
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
	"weir/internal/endhost"
)

const (
	// crowdFirst is the Ethernet address of the first subscriber; each has the next.
	crowdFirst = "02:5c:00:00:00:00"
	// crowdEcho is how often each asks whether the concentrator is alive: some times in
	// a trial of a minute.
	crowdEcho = 10 * time.Second
	// crowdLimit is how long all of them may take to come, or to leave.
	crowdLimit = 5 * time.Minute
	// crowdGoodbye is how long a concentrator may have sessions that have ended.
	crowdGoodbye = 5 * time.Second
)

// Where subscribers have their addresses: nobody else has.
var (
	crowdIPv4    = netip.MustParsePrefix("100.64.0.0/10") // (RFC 6598)
	crowdNetwork = netip.MustParsePrefix("2001:db8::/64") // (RFC 3849)
)

// crowd are many subscribers on an access line, each with an Ethernet address, a name, a
// secret, addresses and a session of its own. One process keeps all of their sessions up.
type crowd struct {
	n       int
	secrets string
}

// manySessions is in how many sessions the plan's test frames go.
func (l *netnsLab) manySessions() (n int) {
	for _, t := range l.plan.Traffic {
		n = max(n, t.Sessions)
	}
	return n
}

// crowded makes the ends of a line those of many sessions.
func crowded(ends *[2]lineEnd, n int) *crowd {
	c := &crowd{n: n}
	var secrets strings.Builder
	address := crowdIPv4.Addr().Next() // the first one ends in 0
	for i := range n {
		address = address.Next()
		fmt.Fprintf(&secrets, "subscriber%05d %s %s\n", i, rand.Text(), address)
	}
	c.secrets = secrets.String()
	ends[1].behind = []netip.Prefix{crowdIPv4, crowdNetwork}
	return c
}

// dialMany has all subscribers set their sessions up, and gives the concentrator what it
// needs to use them.
func (l *accessLine) dialMany(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, crowdLimit, fmt.Errorf("%d sessions did not come in %v", l.crowd.n, crowdLimit))
	defer cancel()
	client, concentrator := &l.ends[0], &l.ends[1]
	err := l.start(ctx, concentrator, "pppoe-concentrator", endhost.AccessConcentrator{
		Access: endhost.Access{Port: concentrator.port, Device: accessDevice, XDP: concentrator.past}, Name: concentrator.name, Address: concentrator.own[weir.IPv4],
		Secrets: l.crowd.secrets, Sessions: l.crowd.n, Network: crowdNetwork.Addr(),
	}, nil)
	if err != nil {
		return err
	}
	err = l.start(ctx, client, "subscribers", endhost.Subscribers{
		Port: client.port, First: crowdFirst, Secrets: l.crowd.secrets, Concentrator: concentrator.name, Echo: crowdEcho, Network: crowdNetwork.Addr(), Urgent: true,
	}, nil)
	if err != nil {
		return err
	}
	var came endhost.SubscribersReport
	if err := client.agent.Ask(ctx, "connect", nil, &came); err != nil {
		return err
	}
	if came.Up < l.crowd.n {
		return fmt.Errorf("%d of %d sessions came about: %s", came.Up, l.crowd.n, told(came.Failed))
	}
	l.undo.Add(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, crowdLimit, fmt.Errorf("the sessions did not end in %v", crowdLimit))
		defer cancel()
		if errors.Join(client.agent.Alive(), concentrator.agent.Alive()) != nil {
			return nil // they end with the processes
		}
		if err := client.agent.Ask(ctx, "disconnect", nil, &came); err != nil {
			return err
		}
		return l.noneLeft(ctx)
	})
	var last endhost.AccessSession
	if err := concentrator.agent.Ask(ctx, "session", nil, &last); err != nil {
		return err
	}
	l.mtu = int(min(last.MRU, last.OwnMRU))
	if err := client.agent.Ask(ctx, "sessions", nil, &l.sessions); err != nil {
		return err
	}
	return l.lead(ctx, concentrator)
}

// noneLeft waits until the concentrator has no session, as all have ended theirs.
func (l *accessLine) noneLeft(ctx context.Context) error {
	for left := time.After(crowdGoodbye); ; {
		is, err := l.ends[1].counts(ctx)
		if err != nil || is.Sessions == 0 {
			return err
		}
		select {
		case <-left:
			return fmt.Errorf("%d PPPoE sessions are left at the concentrator %v after the subscribers ended all of them", is.Sessions, crowdGoodbye)
		case <-time.After(crowdGoodbye / 100):
		}
	}
}

// told are reasons with how often each was one.
func told(reasons map[string]int) string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		all = append(all, fmt.Sprintf("%s (%d)", why, reasons[why]))
	}
	return cmp.Or(strings.Join(all, "; "), "nobody says why")
}

// counts are what has become of the subscribers.
func (c *crowd) counts(ctx context.Context, e lineEnd) (endhost.AccessCounts, error) {
	var r endhost.SubscribersReport
	err := e.agent.Ask(ctx, "count", nil, &r)
	return endhost.AccessCounts{
		Sessions: r.Up, Lost: r.Lost, Missed: r.Missed, Unsent: r.Unsent, CPU: r.CPU, Protocol: r.Protocol,
	}, err
}

// tell adds to a trial's result how its subscribers stand at its end, by what they and their
// concentrator say, and what they have asked. That one has lost its session is an error: of
// its frames none came then.
func (c *crowd) tell(r *weir.TrialResult, before, after lineCounts) error {
	was, is, served := before[0], after[0], after[1].Sessions
	if is.Sessions < c.n {
		return fmt.Errorf("%d of %d PPPoE sessions were lost by the end of the trial: %s", c.n-is.Sessions, c.n, told(is.Lost))
	}
	if served != c.n {
		return fmt.Errorf("the concentrator had %d PPPoE sessions at the end of the trial, and its subscribers %d", served, is.Sessions)
	}
	add := func(name string, n uint64, unit string) {
		r.Readings = append(r.Readings, weir.Reading{Source: "pppoe", Name: name, Value: float64(n), Unit: unit})
	}
	add("sessions at the end of the trial", uint64(is.Sessions), "sessions")
	add("sessions of the concentrator at the end of the trial", uint64(served), "sessions")
	add("keep-alives sent", is.Protocol.Echoes-was.Protocol.Echoes, "echoes")
	add("keep-alives answered", is.Protocol.Echoed-was.Protocol.Echoed, "echoes")
	add("keep-alives not answered in time", is.Protocol.Unechoed-was.Protocol.Unechoed, "echoes")
	return nil
}
