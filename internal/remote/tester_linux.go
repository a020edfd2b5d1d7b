package remote

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
)

// How long a side may take to answer before it is given up.
const (
	quietLimit  = 20 * time.Second // without a sign that it is doing what it was asked to
	answerLimit = 30 * time.Second // where there is nothing to be done
	workLimit   = 60 * time.Second // where programs are loaded
	takeLimit   = 2 * time.Minute  // where links have to come up again
)

// Config says where the two sides are.
type Config struct {
	Places   [2]agent.Place
	Settings [2]Settings
}

// Tester is a tester of two machines.
type Tester struct {
	sides  [2]*side
	ports  []weir.Port // of both sides, in turn
	shared bool        // whether both have one clock
	mark   uint8       // of the last trial
	notes  []weir.Setting
}

// side is one of the machines.
type side struct {
	agent  *agent.Agent
	place  agent.Place
	name   string // of the host
	told   Told
	offset time.Duration // of its clock from that of this process
	bound  time.Duration // how far the offset may be off
}

// began is the zero of this process's clock.
var began = time.Now()

func now() time.Duration { return time.Since(began) }

// Open starts both sides, and has them take their ports. Where frames go is not known yet
// (Resolve, Attach).
func Open(ctx context.Context, c Config) (*Tester, error) {
	t := &Tester{}
	for i := range t.sides {
		t.sides[i] = &side{place: c.Places[i], name: c.Places[i].Host.Name()}
		t.sides[i].place.Quiet = quietLimit
	}
	err := t.both(func(i int, s *side) (err error) {
		ctx, cancel := context.WithTimeoutCause(ctx, takeLimit, fmt.Errorf("it took longer than %v to take its ports", takeLimit))
		defer cancel()
		if s.agent, err = agent.Start(ctx, s.place, Role, c.Settings[i], &s.told); err != nil {
			return err
		}
		if want := len(c.Settings[i].Ports); len(s.told.Ports) != want || len(s.told.Media) != want {
			return fmt.Errorf("%s has %d ports with %d media, and was asked for %d ports: is its weir another one?", s.name, len(s.told.Ports), len(s.told.Media), want)
		}
		return nil
	})
	if err == nil {
		err = t.synchronise(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	a, b := t.sides[0], t.sides[1]
	t.shared = a.told.Boot == b.told.Boot && (a.offset-b.offset).Abs() <= a.bound+b.bound
	for i := range a.told.Ports {
		t.ports = append(t.ports, a.told.Ports[i], b.told.Ports[i])
	}
	return t, nil
}

// both does something with both sides at once.
func (t *Tester) both(do func(i int, s *side) error) error {
	var errs [2]error
	done := make(chan struct{})
	go func() {
		defer close(done)
		errs[1] = do(1, t.sides[1])
	}()
	errs[0] = do(0, t.sides[0])
	<-done
	return errors.Join(errs[:]...)
}

// ask has a side do something.
func (s *side) ask(ctx context.Context, limit time.Duration, do string, with, value any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it has not answered for %v", limit))
	defer cancel()
	return s.agent.Ask(ctx, do, with, value)
}

// clockAsks is how often a clock is read: the quickest answer counts.
const clockAsks = 8

// synchronise finds out how far the clocks of the sides are apart.
func (t *Tester) synchronise(ctx context.Context) error {
	return t.both(func(_ int, s *side) error {
		best := time.Duration(-1)
		for range clockAsks {
			var there time.Duration
			asked := now()
			if err := s.ask(ctx, answerLimit, "clock", nil, &there); err != nil {
				return err
			}
			answered := now()
			if took := answered - asked; best < 0 || took < best {
				best, s.offset, s.bound = took, there-(asked+took/2), took/2
			}
		}
		return nil
	})
}

// Alone reports whether it can be measured without the DUT: each machine by itself.
func (t *Tester) Alone() bool { return t.sides[0].told.Self && t.sides[1].told.Self }

// Bound is how exactly the sides begin at once that send at once.
func (t *Tester) Bound() time.Duration { return t.sides[0].bound + t.sides[1].bound }

// Ports are those of both sides.
func (t *Tester) Ports() []weir.Port { return t.ports }

// Told is what a side says of itself.
func (t *Tester) Told(side int) Told { return t.sides[side].told }

// Resolve finds out where the frames of a port go: to the router behind it or, for the zero
// Addr, to the tester's port at the other side of a bridge.
func (t *Tester) Resolve(ctx context.Context, port int, router netip.Addr) error {
	own := &t.ports[port]
	if !router.IsValid() {
		own.DUTMAC = t.ports[port^1].TesterMAC
		return nil
	}
	return t.sides[port%2].ask(ctx, workLimit, "resolve", resolving{port / 2, router}, &own.DUTMAC)
}

// Attach has both sides receive, and says how their ports are set.
func (t *Tester) Attach(ctx context.Context) error {
	var notes [2][]weir.Setting
	err := t.both(func(i int, s *side) error { return s.ask(ctx, takeLimit, "attach", t.ports, &notes[i]) })
	for i, all := range notes {
		for _, n := range all {
			var own int
			var rest string
			if _, err := fmt.Sscanf(n.Name, "port %d", &own); err == nil {
				rest = n.Name[len(fmt.Sprintf("port %d", own)):]
				n.Name = fmt.Sprintf("port %d%s", 2*own+i, rest)
			}
			t.notes = append(t.notes, n)
		}
	}
	return err
}

// Notes say how the ports are set, and what of that could not be changed.
func (t *Tester) Notes() []weir.Setting { return t.notes }

// AwaitCarriers waits until all ports have a carrier.
func (t *Tester) AwaitCarriers(ctx context.Context, limit time.Duration) error {
	return t.both(func(_ int, s *side) error { return s.ask(ctx, limit+workLimit, "carriers", limit, nil) })
}

// Counts are what each port has counted so far.
func (t *Tester) Counts(ctx context.Context) ([]netif.PortCounts, error) {
	out := make([]netif.PortCounts, len(t.ports))
	err := t.both(func(i int, s *side) error {
		var own []netif.PortCounts
		err := s.ask(ctx, answerLimit, "counts", nil, &own)
		for at, c := range own {
			out[2*at+i] = c
		}
		return err
	})
	return out, err
}

// Load is what the CPUs of both sides have done so far; what one machine says of both
// sides counts once.
func (t *Tester) Load(ctx context.Context) (sum Load, err error) {
	var all [2]Load
	err = t.both(func(i int, s *side) error { return s.ask(ctx, answerLimit, "load", nil, &all[i]) })
	for i, l := range all {
		if i == 0 || t.sides[0].told.Boot != t.sides[1].told.Boot {
			sum.Steal, sum.Tasks = sum.Steal+l.Steal, sum.Tasks+l.Tasks
		}
		sum.Used += l.Used
	}
	return sum, err
}

// Close has both sides give their ports back, and ends them. What one has left that was
// killed, or stopped, is undone by another process.
func (t *Tester) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), takeLimit)
	defer cancel()
	return t.both(func(_ int, s *side) error {
		if s.agent == nil {
			return nil
		}
		if s.agent.Alive() != nil {
			return errors.Join(s.agent.Stop(ctx), agent.Play(ctx, s.place, sweepRole, nil, nil))
		}
		return errors.Join(s.ask(ctx, takeLimit, "leave", nil, nil), s.agent.Stop(ctx))
	})
}
