package endhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/pppoe"
)

const (
	// AccessService is what a concentrator of one session offers: it is silent where
	// another is asked for, as by the subscribers of a crowd and a flood of PADIs.
	AccessService = "session"
	// accessLimit is how long a concentrator waits for the session that it is asked for.
	accessLimit = time.Minute
	// accessGoodbye is how long an end waits for the other one to agree that the session
	// is over.
	accessGoodbye = 2 * time.Second
)

// accessProtocol is an end of PPPoE without the way of its octets: a pppoe.Client or
// a pppoe.Concentrator.
type accessProtocol interface {
	Receive(frame []byte, now time.Time) pppoe.Output
	Advance(now time.Time) pppoe.Output
	Next() time.Time
	Close(reason string, now time.Time) pppoe.Output
}

// accessEnd is an end of an access line that runs: frames come from the port, go through
// the protocol, and what they bring goes to the device; what the device brings goes out
// of the port.
type accessEnd struct {
	port    *net.Interface
	sockets [2]int // at the port: of discovery, of sessions
	device  netif.TunDevice
	past    *accessPast
	quit    int // an event: readable when the end is to end
	client  bool

	running sync.WaitGroup
	over    chan error // why the end has ended; nil: it was told to
	led     ledSessions
	sent    atomic.Uint64
	unsent  atomic.Uint64

	mu       sync.Mutex // of what follows
	protocol accessProtocol
	counts   *pppoe.Counts
	log      pppoe.Log
	sessions map[sessionKey]*accessSession
	latest   *accessSession // that datagrams can be sent through; nil: there is none
	up       int            // sessions of which that is so
	began    time.Time      // of a client's session
	ready    chan struct{}  // closed while there is such a session
	ended    string         // why the session of a client is over, or an end cannot go on; "": neither
	received uint64
	untaken  uint64
	segments [][]byte // frames with datagrams of TCP, of those that came last
	lost     uint64   // frames, in the sockets
}

// openAccessClient is the role "pppoe-client".
func openAccessClient(ctx context.Context, c AccessClient) (agent.Opened, error) {
	if err := urgent(c.Urgent); err != nil {
		return agent.Opened{}, err
	}
	e, err := newAccessEnd(c.Access, true)
	if err != nil {
		return agent.Opened{}, err
	}
	client, err := pppoe.NewClient(pppoe.ClientConfig{
		MAC: pppoe.MAC(e.port.HardwareAddr), MaxPayload: payload(e.port),
		Link: pppoe.Config{Allow: []pppoe.Protocol{pppoe.CHAP, pppoe.PAP}, User: c.User, Secret: c.Secret, IPv4: true, IPv6: true, Echo: accessEcho},
	})
	if err != nil {
		return agent.Opened{}, errors.Join(err, e.close())
	}
	e.protocol, e.counts, e.began = client, &client.Counts, time.Now()
	e.apply(client.Start(e.began))
	ready := e.ready
	running, end := context.WithCancel(ctx)
	e.start(running)
	opened := e.opened()
	select {
	case <-ready:
		if opened.Value, err = e.await(ctx, struct{}{}); err == nil {
			closed := opened.Close
			opened.Close = func() { end(); closed() }
			return opened, nil
		}
		end()
		err = errors.Join(err, <-e.over)
	case err = <-e.over:
		end()
	}
	e.running.Wait()
	return agent.Opened{}, errors.Join(err, e.close())
}

// openAccessConcentrator is the role "pppoe-concentrator".
func openAccessConcentrator(ctx context.Context, c AccessConcentrator) (agent.Opened, error) {
	secrets, err := pppoe.ParseSecrets(c.Secrets)
	if err != nil {
		return agent.Opened{}, fmt.Errorf("secrets: %w", err)
	}
	for user, s := range secrets {
		if !s.Address.IsValid() {
			return agent.Opened{}, fmt.Errorf("user %q has no address, and there is no pool of them here", user)
		}
	}
	if len(c.Demand) == 0 {
		c.Demand = []pppoe.Protocol{pppoe.CHAP}
	}
	e, err := newAccessEnd(c.Access, false)
	if err != nil {
		return agent.Opened{}, err
	}
	concentrator, err := pppoe.NewConcentrator(pppoe.ConcentratorConfig{
		MAC: pppoe.MAC(e.port.HardwareAddr), Name: c.Name, Services: []string{AccessService}, Offers: usualOffers, MaxPayload: payload(e.port), MaxSessions: max(1, c.Sessions), Pool: pppoe.NewPool(c.Address, 0),
		Link: pppoe.Config{Demand: c.Demand, Secrets: secrets, IPv4: true, Address: c.Address, IPv6: true, Echo: accessEcho},
	})
	if err != nil {
		return agent.Opened{}, errors.Join(err, e.close())
	}
	e.protocol, e.counts = concentrator, &concentrator.Counts
	e.led.many, e.led.network = c.Sessions > 1, c.Network
	e.start(ctx)
	opened := e.opened()
	opened.Commands["session"] = agent.Do(e.await)
	return opened, nil
}

// newAccessEnd opens the ways of an end's octets.
func newAccessEnd(a Access, client bool) (e *accessEnd, err error) {
	e = &accessEnd{client: client, sockets: [2]int{-1, -1}, quit: -1, over: make(chan error, 2), ready: make(chan struct{}), sessions: make(map[sessionKey]*accessSession)}
	if a.XDP != nil {
		e.led.ipv6 = a.XDP.IPv6
	}
	e.log.Say = says(a.Port)
	fail := func(err error) (*accessEnd, error) {
		return nil, errors.Join(fmt.Errorf("be an end of an access line at %s: %w", a.Port, err), e.close())
	}
	if e.port, err = net.InterfaceByName(a.Port); err != nil {
		return fail(err)
	}
	if len(e.port.HardwareAddr) != len(pppoe.MAC{}) {
		return fail(errors.New("it is no Ethernet port"))
	}
	for i, kind := range []uint16{pppoe.EtherDiscovery, pppoe.EtherSession} {
		if e.sockets[i], err = packetSocket(e.port.Index, kind); err != nil {
			return fail(err)
		}
	}
	if e.quit, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fail(fmt.Errorf("make an event: %w", err))
	}
	// Past the process the kernel sends each frame as it is: it has to be one already.
	if e.device, err = netif.Tun(a.Device, a.XDP == nil); err != nil {
		return fail(err)
	}
	if e.past, err = openPast(a, client); err != nil {
		return fail(err)
	}
	return e, nil
}

// payload is the longest PPP frame that a port carries (RFC 4638).
func payload(port *net.Interface) uint16 {
	const header = 6 + 2 // of PPPoE, and PPP's protocol, of which the MRU is the octets behind
	return uint16(min(port.MTU, 1<<16-1) - header)
}

// opened is what is there for everybody who asks.
func (e *accessEnd) opened() agent.Opened {
	return agent.Opened{
		Commands: map[string]agent.Command{"counts": agent.Do(e.count)},
		Serve: func() error {
			err := <-e.over
			e.running.Wait()
			return err
		},
		Close: func() { e.close() },
	}
}

func (e *accessEnd) close() error {
	err := e.past.close()
	if e.device != nil {
		err = errors.Join(err, e.device.Close())
	}
	for _, fd := range []int{e.sockets[0], e.sockets[1], e.quit} {
		if fd >= 0 {
			err = errors.Join(err, unix.Close(fd))
		}
	}
	return err
}

// await waits for a session.
func (e *accessEnd) await(ctx context.Context, _ struct{}) (AccessSession, error) {
	e.mu.Lock()
	ready := e.ready
	e.mu.Unlock()
	select {
	case <-ready:
	case <-time.After(accessLimit):
		return AccessSession{}, fmt.Errorf("there is no session after %v", accessLimit)
	case <-ctx.Done():
		return AccessSession{}, context.Cause(ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.latest == nil {
		return AccessSession{}, errors.New("the session has ended")
	}
	return e.latest.AccessSession, nil
}

// count is what the end has come to.
func (e *accessEnd) count(context.Context, struct{}) (c AccessCounts, err error) {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return c, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	missed, err := missedBy(e.sockets)
	e.lost += missed
	c = AccessCounts{
		Sessions: e.up, Sent: e.sent.Load(), Received: e.received, Unsent: e.unsent.Load(), Untaken: e.untaken, Missed: e.lost,
		CPU: time.Duration(own.Utime.Nano() + own.Stime.Nano()), Protocol: *e.counts,
	}
	err = errors.Join(err, e.past.count(&c))
	return c, err
}
