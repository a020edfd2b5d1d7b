package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/service"
	"weir/internal/settings"
)

// daemons are the programs that a condition wants beside the DUT's forwarding,
// with their counterparts in the tester. They talk through the first test port:
// what makes a modifying condition comes with the stream of test frames, not
// over a port of its own (RFC 2544 section 11).
type daemons struct {
	bed managedBed

	bird    *service.BIRD
	speaker agent.Speaker
	state   int           // of the networks that updates are about: an index of updateStates
	learnt  weir.RouteSet // the condition's, if BIRD learns it
	base    int           // routes of the DUT beside those

	snmp    *service.SNMPAgent
	manager agent.Manager
}

// serve starts what a condition wants and returns what stops it again; nil when
// it wants nothing.
func (d *daemons) serve(ctx context.Context, c weir.Condition) (func(context.Context) error, error) {
	var undo settings.Undo
	wanted := false
	for _, s := range []struct {
		wanted      bool
		start       func(context.Context) error
		stop        func(context.Context) error
		description string
	}{
		{c.Updates() || c.Routes().Via == weir.ViaBGP, d.startRouting, d.stopRouting, "let the DUT learn routes"},
		{c.Updates(), d.startUpdates, nothing, "send routing updates"},
		{c.Management(), d.startManagement, d.stopManagement, "let the DUT be managed"},
	} {
		if !s.wanted {
			continue
		}
		wanted = true
		undo.Add(s.stop)
		if err := s.start(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.description, err), undo.Run(context.WithoutCancel(ctx)))
		}
	}
	if !wanted {
		return nil, nil
	}
	return undo.Run, nil
}

func nothing(context.Context) error { return nil }

// The places of what runs in the DUT and in the tester.
func (d *daemons) inDUT() service.Place {
	return service.Place{Host: d.bed.DUT().Host, CPUs: d.bed.CPUs().DUT, Folder: d.bed.Folder()}
}

func (d *daemons) inTester() agent.Place {
	return agent.Place{Host: d.bed.TesterHost(), CPUs: d.bed.CPUs().Receiver}
}

// The ends of the link at the first test port.
var (
	dutEnd    = frame.RouterAddr(weir.IPv4, 0)
	testerEnd = frame.TesterAddr(weir.IPv4, 0)
)

const (
	sessionLimit = 20 * time.Second // until there is a BGP session
	answerLimit  = 10 * time.Second // until an SNMP agent answers
)

// startRouting starts BIRD in the DUT and its neighbour in the tester.
func (d *daemons) startRouting(ctx context.Context) (err error) {
	if d.bird, err = service.StartBIRD(ctx, d.inDUT(), service.BIRDConfig{
		Local: dutEnd, LocalAS: agent.DUTAS, Neighbor: testerEnd, NeighborAS: agent.TesterAS,
	}); err != nil {
		return err
	}
	if d.speaker, err = agent.StartSpeaker(ctx, d.inTester(), agent.SpeakerSettings{
		Local: testerEnd, Peer: dutEnd, NextHop: []netip.Addr{frame.TesterAddr(weir.IPv4, 1), frame.TesterAddr(weir.IPv6, 1)},
	}); err != nil {
		return err
	}
	if err := d.speaker.Await(ctx, sessionLimit); err != nil {
		state, said := d.bird.Session(ctx)
		return errors.Join(fmt.Errorf("%w; BIRD says of it: %s", err, state), said)
	}
	return nil
}

func (d *daemons) stopRouting(ctx context.Context) (err error) {
	if d.speaker.Agent != nil {
		err = d.speaker.Stop(ctx)
	}
	if d.bird != nil {
		err = errors.Join(err, d.bird.Stop(ctx))
	}
	d.bird, d.speaker, d.learnt = nil, agent.Speaker{}, weir.RouteSet{}
	return err
}

// startManagement starts the SNMP agent in the DUT and the manager in the
// tester, which asks for the counters of the first test port.
func (d *daemons) startManagement(ctx context.Context) (err error) {
	const community = "weir"
	var index int
	err = d.bed.InDUT(func() (err error) {
		index, err = netif.Index(d.bed.DUT().Ports[0].DUT)
		return err
	})
	if err != nil {
		return err
	}
	if d.snmp, err = service.StartSNMPAgent(ctx, d.inDUT(), service.SNMPConfig{
		Local: dutEnd, Manager: testerEnd, Community: community,
	}); err != nil {
		return err
	}
	if d.manager, err = agent.StartManager(ctx, d.inTester(), agent.ManagerSettings{
		Target: dutEnd, Community: community, Interface: index,
	}); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if err := d.manager.Await(limited); err != nil {
		return errors.Join(fmt.Errorf("the SNMP agent does not answer: %w", err), d.snmp.Alive())
	}
	return nil
}

func (d *daemons) stopManagement(ctx context.Context) (err error) {
	if d.manager.Agent != nil {
		err = d.manager.Stop(ctx)
	}
	if d.snmp != nil {
		err = errors.Join(err, d.snmp.Stop(ctx))
	}
	d.snmp, d.manager = nil, agent.Manager{}
	return err
}

// alive is an error when a daemon that was started has ended by itself.
func (d *daemons) alive() error {
	var err error
	if d.bird != nil {
		err = d.bird.Alive()
	}
	if d.snmp != nil {
		err = errors.Join(err, d.snmp.Alive())
	}
	return err
}

// accompany does during a trial what its condition asks for; it is a hook.
func (d *daemons) accompany(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
	if err := d.alive(); err != nil {
		return nil, err
	}
	var finishes []func(*weir.TrialResult)
	for _, part := range []struct {
		wanted bool
		begin  hook
	}{{t.Condition.Management(), d.manage}, {t.Condition.Updates(), d.change}} {
		if !part.wanted {
			continue
		}
		finish, err := part.begin(ctx, t)
		if err != nil {
			return nil, err
		}
		finishes = append(finishes, finish)
	}
	return func(r *weir.TrialResult) {
		for _, finish := range finishes {
			finish(r)
		}
	}, nil
}

// manage queries the SNMP agent at the beginning of each second (RFC 2544
// section 11.2).
func (d *daemons) manage(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
	if d.manager.Agent == nil {
		return nil, errors.New("the DUT has no SNMP agent: its condition was not applied")
	}
	if err := d.manager.Begin(ctx, t.Length()); err != nil {
		return nil, err
	}
	return func(r *weir.TrialResult) {
		q, err := d.manager.Report(context.WithoutCancel(ctx))
		if err != nil { // how many were answered is not known
			q = weir.Queries{Fault: err.Error()}
		}
		r.Queries = &q
	}, nil
}
