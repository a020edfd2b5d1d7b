package endhost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"weir/frame"
	"weir/internal/agent"
	"weir/internal/pppoe"
)

// openSubscribers is the role "subscribers".
func openSubscribers(ctx context.Context, c Subscribers) (agent.Opened, error) {
	if err := urgent(c.Urgent); err != nil {
		return agent.Opened{}, err
	}
	p, err := openSessionPort(c.Port, true)
	if err != nil {
		return agent.Opened{}, err
	}
	clients, err := c.clients(payload(p.port))
	if err == nil {
		err = p.only(clients)
	}
	if err != nil {
		return agent.Opened{}, errors.Join(err, p.close())
	}
	all, err := pppoe.NewSubscribers(pppoe.SubscribersConfig{Clients: clients, Rate: c.Rate, InFlight: c.InFlight})
	if err != nil {
		return agent.Opened{}, errors.Join(err, p.close())
	}
	p.protocol, p.counts = all, &all.Counts
	p.left = func() bool { return all.Settled() && all.Census().Up == 0 }
	count := func(context.Context, struct{}) (SubscribersReport, error) { return p.subscribed(all, len(clients)) }
	over, why := make(chan struct{}), error(nil)
	// settle does something with all of them, and waits until it is done, or nobody takes
	// their frames any more.
	settle := func(begin func(time.Time) pppoe.Output) agent.Command {
		return agent.Do(func(ctx context.Context, none struct{}) (SubscribersReport, error) {
			p.does(begin)
			settled := func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return all.Settled()
			}
			for !settled() {
				select {
				case <-time.After(sessionsLook / 10):
				case <-over:
					return SubscribersReport{}, cmp.Or(why, errors.New("the subscribers have ended"))
				case <-ctx.Done():
					return SubscribersReport{}, context.Cause(ctx)
				}
			}
			return count(ctx, none)
		})
	}
	return agent.Opened{
		Commands: map[string]agent.Command{
			"connect":    settle(all.Start),
			"disconnect": settle(func(now time.Time) pppoe.Output { return all.Close("it was told to leave", now) }),
			"count":      agent.Do(count),
			"sessions": agent.Do(func(context.Context, struct{}) (out []frame.Session, err error) {
				p.mu.Lock()
				defer p.mu.Unlock()
				for s := range all.Each() {
					out = append(out, listed(s, c.Network, s.Agreed.Local, s.Agreed.LocalID))
				}
				return out, nil
			}),
		},
		Serve: func() error {
			why = p.serve(ctx)
			close(over)
			return why
		},
		Close: func() { p.close() },
	}, nil
}

// urgent gives this process precedence over a generator, if it is to have it.
func urgent(is bool) error {
	if !is {
		return nil
	}
	return agent.RaisePriority()
}

// subscribed is how the subscribers at a port stand.
func (p *sessionPort) subscribed(all *pppoe.Subscribers, asked int) (SubscribersReport, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := all.Census()
	missed, err := missedBy(p.sockets)
	p.missed += missed
	r := SubscribersReport{
		Asked: asked, Up: c.Up, Left: c.Left, Failed: c.Failed, Lost: c.Lost, Took: c.Ended.Sub(c.Began),
		Missed: p.missed, Unsent: p.unsent, CPU: cpuTime(), Protocol: all.Counts,
	}
	for took := range all.SetUp() {
		r.Times.Add(uint64(took), 1)
	}
	return r, err
}

// serveSubscribers is the role "subscribers-serve".
func serveSubscribers(ctx context.Context, c SubscribersServe) (agent.Opened, error) {
	secrets, err := pppoe.ParseSecrets(c.Secrets)
	if err != nil {
		return agent.Opened{}, fmt.Errorf("secrets: %w", err)
	}
	if c.Size > 0 && !c.Pool.Is4() {
		return agent.Opened{}, errors.New("a pool of addresses has a first one, of IPv4")
	}
	p, err := openSessionPort(c.Port, false)
	if err != nil {
		return agent.Opened{}, err
	}
	config := pppoe.ConcentratorConfig{
		MAC: pppoe.MAC(p.port.HardwareAddr), Name: c.Name, MaxPayload: payload(p.port), MaxSessions: c.Most,
		Offers: cmp.Or(c.Offers, usualOffers), Pool: pppoe.NewPool(c.Pool, c.Size),
		Link: pppoe.Config{Demand: []pppoe.Protocol{pppoe.CHAP}, Secrets: secrets, IPv4: true, Address: c.Address, IPv6: true, Echo: orUsual(c.Echo)},
	}
	if c.Service != "" {
		config.Services = []string{c.Service}
	}
	concentrator, err := pppoe.NewConcentrator(config)
	if err != nil {
		return agent.Opened{}, errors.Join(err, p.close())
	}
	p.protocol, p.counts = concentrator, &concentrator.Counts
	p.left = func() bool { return concentrator.Sessions() == 0 }
	return agent.Opened{
		Commands: map[string]agent.Command{
			"count": agent.Do(func(context.Context, struct{}) (ServedReport, error) { return p.served(concentrator) }),
			"sessions": agent.Do(func(context.Context, struct{}) (out []frame.Session, err error) {
				p.mu.Lock()
				defer p.mu.Unlock()
				for s := range concentrator.Each() {
					out = append(out, listed(s, c.Network, s.Agreed.Remote, s.Agreed.RemoteID))
				}
				return out, nil
			}),
		},
		Serve: func() error { return p.serve(ctx) },
		Close: func() { p.close() },
	}, nil
}

// served is how a concentrator stands.
func (p *sessionPort) served(c *pppoe.Concentrator) (ServedReport, error) {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p.mu.Lock()
	defer p.mu.Unlock()
	missed, err := missedBy(p.sockets)
	p.missed += missed
	return ServedReport{Sessions: c.Sessions(), Heap: memory.HeapAlloc, Missed: p.missed, Unsent: p.unsent, CPU: cpuTime(), Protocol: c.Counts}, err
}

// listed is a session as those who send frames know it. The client's addresses are this
// end's, or the other one's.
func listed(e pppoe.Established, network, ipv4 netip.Addr, identifier [8]byte) frame.Session {
	if !network.IsValid() {
		network = linkLocal
	}
	s := frame.Session{ID: e.ID, Client: e.Client[:], Concentrator: e.Concentrator[:], IPv4: ipv4}
	if identifier != ([8]byte{}) {
		s.IPv6 = pppoe.Address6(network, identifier)
	}
	return s
}
