package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/tester"
	"weir/internal/wiring"
)

// Roles are those that machines with ports of the tester play, by name.
var Roles = map[string]agent.Role{
	Role:      agent.Opening(openStation),
	sweepRole: agent.Task(func(ctx context.Context, _ struct{}) (any, error) { return nil, testbed.Sweep(ctx) }),
}

// station is the role being played.
type station struct {
	settings Settings
	bed      *testbed.Ports
	xdp      *tester.XDP
	ports    []weir.Port // all of the tester's, once frames can be sent
	alive    *wiring.Alive
	undo     settings.Undo

	out      *tester.Outgoing
	ordered  uint8            // the mark of its frames
	sending  chan error       // has what became of it, once; nil: nothing is sent
	alone    weir.TrialResult // of the tester without the DUT; read when sending says so
	stop     context.CancelFunc
	expected expecting
	carriers []int     // how often each link had gone or come before the trial
	said     time.Time // when ports said last that they are there
}

// openStation takes the ports of a side. They are as they were when the process ends.
func openStation(ctx context.Context, c Settings) (agent.Opened, error) {
	s := &station{settings: c, stop: func() {}}
	told, err := s.take(ctx)
	if err != nil {
		return agent.Opened{}, errors.Join(err, s.undo.Close())
	}
	do := func(f func() error) agent.Command {
		return agent.Do(func(context.Context, struct{}) (any, error) { return nil, f() })
	}
	return agent.Opened{
		Value: told,
		Commands: map[string]agent.Command{
			"clock":    agent.Do(func(context.Context, struct{}) (time.Duration, error) { return tester.Now(), nil }),
			"clocks":   agent.Do(func(ctx context.Context, _ struct{}) (Reading, error) { return readHere(ctx) }),
			"resolve":  agent.Do(s.resolve),
			"attach":   agent.Do(s.attach),
			"prepare":  agent.Do(s.prepare),
			"order":    agent.Do(s.order),
			"send":     agent.Do(func(context.Context, struct{}) (any, error) { return nil, s.send(ctx) }),
			"sent":     agent.Do(s.sent),
			"departed": agent.Do(s.departed),
			"cancel":   do(s.cancel),
			"bypass":   agent.Do(func(_ context.Context, trial weir.Trial) (any, error) { return nil, s.bypass(ctx, trial) }),
			"bypassed": agent.Do(s.bypassed),
			"expect":   agent.Do(s.expect),
			"listen":   agent.Do(s.listen),
			"look":     do(s.look),
			"await":    agent.Do(s.await),
			"counts":   agent.Do(s.counts),
			"load":     agent.Do(s.load),
			"carriers": agent.Do(func(ctx context.Context, limit time.Duration) (any, error) {
				return nil, s.bed.AwaitCarriers(ctx, limit)
			}),
			"leave": do(s.leave),
		},
		Close: func() { _ = s.leave() },
	}, nil
}

// take takes the ports.
func (s *station) take(ctx context.Context) (told Told, err error) {
	c := s.settings
	// An answer that nobody reads any more ends the role, and not this process: the ports
	// have to be given back first.
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, unix.SIGPIPE, unix.SIGHUP)
	if err := testbed.Sweep(ctx); err != nil {
		return told, fmt.Errorf("undo what killed processes left: %w", err)
	}
	journal, leave, err := testbed.OwnJournal(false)
	if err != nil {
		return told, err
	}
	s.undo.AddClose(leave)
	s.bed, err = testbed.OpenPorts(ctx, testbed.PortsConfig{
		Ports: c.Ports, Addresses: c.Addresses, CPUs: c.CPUs, MTU: c.MTU, Isolate: c.Isolate, Uplinks: c.Uplinks, Journal: journal,
	})
	if err != nil {
		return told, err
	}
	s.undo.AddClose(s.bed.Close)
	free, err := netif.Confine(s.cpus())
	if err != nil {
		return told, err
	}
	s.undo.AddClose(free)
	return s.tell(ctx)
}

// cpus are those of the tester.
func (s *station) cpus() []int {
	own := s.bed.CPUs()
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(own.Generator, own.Receiver))))
}

// tell is what the side says of itself.
func (s *station) tell(ctx context.Context) (told Told, err error) {
	machine, err := telemetry.ReadMachine(ctx, s.bed.TesterHost())
	if err != nil {
		return told, err
	}
	here, err := testbed.Here()
	if err != nil {
		return told, err
	}
	told = Told{
		Ports: s.bed.TestPorts(), Self: s.bed.Self != (weir.Port{}), CPUs: s.bed.CPUs(), Count: runtime.NumCPU(),
		Kernel: machine.Kernel, CPUModel: machine.CPUModel, Settings: machine.Settings,
		Clocks: readClocks(ctx, here),
	}
	if told.Boot, err = settings.BootOf(ctx, here); err != nil {
		return told, err
	}
	err = s.bed.Tester.Do(func() error {
		for i, port := range told.Ports {
			counters, err := netif.CountersOf(port.Tester)
			if err != nil {
				return err
			}
			driver, err := netif.Driver(port.Tester)
			if err != nil {
				return err
			}
			told.Media = append(told.Media, netif.MediumOf(port.Tester))
			name := fmt.Sprintf("port %d", s.number(i))
			told.Settings = append(told.Settings,
				weir.Setting{Where: "tester", Name: name, Value: fmt.Sprintf("%s: %s, MTU %d", port.Tester, driver, port.MTU)},
				weir.Setting{Where: "tester", Name: name + " counters", Value: counters})
		}
		return nil
	})
	return told, err
}

// number is that of a port among all of the tester's.
func (s *station) number(own int) int { return 2*own + s.settings.Side }

// resolve finds out which Ethernet address the router behind a port has.
func (s *station) resolve(ctx context.Context, r resolving) (string, error) {
	err := s.bed.Resolve(ctx, r.Port, r.Router)
	port := s.bed.TestPorts()[r.Port]
	if errors.Is(err, netif.ErrNoAnswer) {
		return "", fmt.Errorf("the router %v does not answer at %s: is the cable in the right port, and does the DUT have that address there? %w", r.Router, port.Tester, err)
	}
	if s.ports != nil { // which the tester sends by
		s.ports[2*r.Port+s.settings.Side].DUTMAC = port.DUTMAC
	}
	return port.DUTMAC, err
}

// attach has the ports receive; all are those of the tester.
func (s *station) attach(ctx context.Context, all []weir.Port) (_ []weir.Setting, err error) {
	config := tester.XDPConfig{
		Namespace: s.bed.Tester, Ports: all, CPUs: s.bed.CPUs(), Verify: true,
		Elsewhere: func(port int) bool { return port%2 != s.settings.Side }, RoundTrip: true,
	}
	if s.bed.Self != (weir.Port{}) {
		config.Self = &s.bed.Self
	}
	s.ports = all
	if s.xdp, err = tester.OpenXDP(config); err != nil {
		return nil, err
	}
	s.undo.AddClose(s.xdp.Close)
	var own []wiring.Port
	for _, port := range s.bed.TestPorts() {
		mac, _ := net.ParseMAC(port.TesterMAC) // it was read from the port
		own = append(own, wiring.Port{Name: port.Tester, MAC: mac})
	}
	if s.alive, err = wiring.OpenAlive(s.bed.Tester, own); err != nil {
		return nil, err
	}
	s.undo.AddClose(s.alive.Close)
	if err := s.bed.Attached(ctx); err != nil {
		return nil, err
	}
	return s.bed.Notes(), nil
}

// counts are what the ports have counted so far.
func (s *station) counts(context.Context, struct{}) ([]netif.PortCounts, error) {
	return s.bed.Counts()
}

// load is what the tester's CPUs have done so far.
func (s *station) load(ctx context.Context, _ struct{}) (l Load, err error) {
	host := s.bed.TesterHost()
	all, err := telemetry.ReadCPUs(ctx, host, s.cpus())
	if err != nil {
		return l, err
	}
	var usage unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_SELF, &usage)
	threads, other := telemetry.ReadThreads(ctx, host, s.bed.Receiving())
	l = Load{Steal: all.Steal, Tasks: all.Tasks, Used: time.Duration(usage.Utime.Nano()) + time.Duration(usage.Stime.Nano())}
	for _, d := range threads {
		l.Used += d
	}
	return l, errors.Join(err, other)
}

// leave gives the ports back as they were.
func (s *station) leave() error {
	return errors.Join(s.cancel(), s.undo.Close())
}
