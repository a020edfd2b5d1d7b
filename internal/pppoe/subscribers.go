package pppoe

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"time"
)

// SubscribersConfig is who the subscribers of a port are, and how fast they come.
type SubscribersConfig struct {
	Clients  []ClientConfig // each with an Ethernet address of its own
	Rate     int            // sessions that begin to be set up, or to end, in a second at most; 0: as InFlight allows
	InFlight int            // that are being set up, or ended, at a time: 50
	Patience time.Duration  // until all network protocols of a session are up; it is given up then: 1 min
}

// Subscribers are many clients at one port. They come in their order, and leave so; what
// each does is a Client's business. What comes to nothing at any of them is in Counts.
type Subscribers struct {
	Counts Counts

	c        SubscribersConfig
	all      []*subscriber
	hosts    map[MAC]*subscriber
	timers   timers[*subscriber]
	goal     stage  // of all of them
	reason   string // of leaving
	turn     int    // who is the next to go toward the goal
	after    time.Time
	inFlight int
	census   Census
	out      Output
}

// Census is how many subscribers there are of each kind, and why some have no session.
type Census struct {
	Up     int            // have a session with all of their network protocols
	Failed map[string]int // had none, by the reason
	Lost   map[string]int // had one that ended by itself, by the reason
	Left   int            // have ended it as they were told to
	Began  time.Time      // when the first one came, or began to leave
	Ended  time.Time      // when the last one that came had a session, or the last one had left
}

// stage is how far a subscriber has come.
type stage uint8

const (
	waiting stage = iota
	coming
	there
	parted // has a session of which a network protocol is down
	leaving
	gone
)

type subscriber struct {
	timer
	client *Client
	stage  stage
	began  time.Time
	limit  time.Time     // of patience, while it is coming
	took   time.Duration // to set the session up
	up     int           // network protocols
}

// NewSubscribers checks what it is given. It is an error when two have one Ethernet
// address: nobody could tell their sessions apart.
func NewSubscribers(c SubscribersConfig) (*Subscribers, error) {
	c.InFlight, c.Patience = cmp.Or(c.InFlight, 50), cmp.Or(c.Patience, time.Minute)
	s := &Subscribers{c: c, hosts: make(map[MAC]*subscriber)}
	s.census = Census{Failed: make(map[string]int), Lost: make(map[string]int)}
	for _, config := range c.Clients {
		if s.hosts[config.MAC] != nil {
			return nil, fmt.Errorf("two subscribers have the Ethernet address %s", config.MAC)
		}
		client, err := NewClient(config)
		if err != nil {
			return nil, err
		}
		client.counts = &s.Counts
		one := &subscriber{client: client}
		s.all, s.hosts[config.MAC] = append(s.all, one), one
		heap.Push(&s.timers, one)
	}
	return s, nil
}

// Start has all of them come, unless they do already.
func (s *Subscribers) Start(now time.Time) Output {
	if s.goal == waiting {
		s.toward(there, now)
	}
	return s.Advance(now)
}

// Close has all of them leave: each says that its session is over.
func (s *Subscribers) Close(reason string, now time.Time) Output {
	if s.goal != gone {
		s.reason = reason
		s.toward(gone, now)
	}
	return s.Advance(now)
}

func (s *Subscribers) toward(goal stage, now time.Time) {
	s.goal, s.turn, s.after = goal, 0, now
	s.census.Began, s.census.Ended = now, now
}

// Settled reports whether all have come as far as they will, or have left.
func (s *Subscribers) Settled() bool { return s.turn == len(s.all) && s.inFlight == 0 }

// Census is how things stand.
func (s *Subscribers) Census() Census {
	c := s.census
	c.Failed, c.Lost = maps.Clone(c.Failed), maps.Clone(c.Lost)
	return c
}

// SetUp are the times that sessions took from their first PADI until all network
// protocols were up, of those that came so far.
func (s *Subscribers) SetUp() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for _, one := range s.all {
			if one.took > 0 && !yield(one.took) {
				return
			}
		}
	}
}

// Each is each session that is up.
func (s *Subscribers) Each() iter.Seq[Established] {
	return func(yield func(Established) bool) {
		for _, one := range s.all {
			c := one.client.session
			if one.stage == there && !yield(Established{Client: c.own, Concentrator: c.peer, ID: c.id, Agreed: c.link.Agreed()}) {
				return
			}
		}
	}
}

// Next is when Advance has something to do; zero: never, as it is now.
func (s *Subscribers) Next() time.Time {
	next := s.timers.next()
	if s.mayGo() && (next.IsZero() || s.after.Before(next)) {
		return s.after
	}
	return next
}

// mayGo reports whether one more may go toward the goal, when it is time for it.
func (s *Subscribers) mayGo() bool {
	return s.goal != waiting && s.turn < len(s.all) && s.inFlight < s.c.InFlight
}

// Advance does what timers have come to, and lets as many come or leave as may.
func (s *Subscribers) Advance(now time.Time) Output {
	for due := s.timers.next(); !due.IsZero() && !due.After(now); due = s.timers.next() {
		one := s.timers[0]
		if one.stage == coming && !one.limit.After(now) {
			one.limit = now.Add(s.c.Patience) // until the other end agrees
			s.did(one, one.client.Close("not all network protocols came up in time", now), now)
			continue
		}
		s.did(one, one.client.Advance(now), now)
	}
	for s.mayGo() && !s.after.After(now) {
		if s.send(s.all[s.turn], now) && s.c.Rate > 0 {
			s.after = s.after.Add(time.Second / time.Duration(s.c.Rate))
		}
		s.turn++
	}
	out := s.out
	s.out = Output{}
	return out
}

// send lets one go toward the goal, and reports whether it has something to do for that.
func (s *Subscribers) send(one *subscriber, now time.Time) bool {
	switch {
	case s.goal == there:
		one.stage, one.began, one.limit = coming, now, now.Add(s.c.Patience)
		s.inFlight++
		s.did(one, one.client.Start(now), now)
	case one.stage == there || one.stage == parted:
		if one.stage == there {
			s.census.Up--
		}
		one.stage = leaving
		s.inFlight++
		s.did(one, one.client.Close(s.reason, now), now)
	case one.stage == coming:
		s.did(one, one.client.Close(s.reason, now), now)
	default:
		one.stage = gone
		return false
	}
	return true
}

// Receive takes an Ethernet frame.
func (s *Subscribers) Receive(b []byte, now time.Time) Output {
	if len(b) < headers {
		s.Counts.Malformed++
	} else if one := s.hosts[MAC(b)]; one == nil {
		s.Counts.NotOurs++
	} else {
		s.did(one, one.client.Receive(b, now), now)
	}
	out := s.out
	s.out = Output{}
	return out
}

// did takes in what a call has led to at a subscriber.
func (s *Subscribers) did(one *subscriber, out Output, now time.Time) {
	s.out.Packets = append(s.out.Packets, out.Packets...)
	if out.Datagram.Protocol != 0 {
		s.out.Datagram = out.Datagram
	}
	for _, e := range out.Events {
		s.out.Events = append(s.out.Events, e)
		switch e.Kind {
		case NetworkUp:
			if one.up++; one.up < one.client.networks() {
				continue
			}
			switch one.stage {
			case coming:
				one.stage, one.took = there, now.Sub(one.began)
				s.census.Up++
				s.landed(now)
			case parted:
				one.stage = there
				s.census.Up++
			}
		case NetworkDown:
			one.up--
			if one.stage == there {
				one.stage = parted
				s.census.Up--
			}
		case Ended:
			s.over(one, e.Reason, now)
		}
	}
	one.due = one.client.Next()
	if one.stage == coming && (one.due.IsZero() || one.limit.Before(one.due)) {
		one.due = one.limit
	}
	heap.Fix(&s.timers, one.place)
}

// over is the end of a session, or of the search for one.
func (s *Subscribers) over(one *subscriber, reason string, now time.Time) {
	was := one.stage
	one.stage, one.up = gone, 0
	switch was {
	case coming:
		s.census.Failed[reason]++
		s.inFlight--
	case there, parted:
		if was == there {
			s.census.Up--
		}
		s.census.Lost[reason]++
	case leaving:
		s.census.Left++
		s.landed(now)
	}
}

func (s *Subscribers) landed(now time.Time) {
	s.inFlight--
	s.census.Ended = now
}

// networks is how many network protocols a client wants.
func (c *Client) networks() (n int) {
	for _, wanted := range []bool{c.link.IPv4, c.link.IPv6} {
		if wanted {
			n++
		}
	}
	return n
}
