package pppoe

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// crowd joins many subscribers with a concentrator by a wire that takes no time.
type crowd struct {
	t       testing.TB
	now     time.Time
	ac      *Concentrator
	s       *Subscribers
	deaf    func(m MAC) bool // subscribers that hear nothing any more; nil: all hear
	carried int
}

// hostN is the Ethernet address of a subscriber.
func hostN(i int) (m MAC) {
	m[0], m[1] = 2, 1
	binary.BigEndian.PutUint32(m[2:], uint32(i+1))
	return m
}

// gather has n subscribers, each with a secret of its own, and a pool with room for so many.
func gather(t testing.TB, n, pool int, change func(*SubscribersConfig, *ConcentratorConfig)) *crowd {
	t.Helper()
	secrets, c := make(Secrets, n), SubscribersConfig{}
	for i := range n {
		user, secret := fmt.Sprintf("user%05d", i), fmt.Sprintf("secret%05d", i)
		secrets[user] = Secret{Password: secret}
		c.Clients = append(c.Clients, ClientConfig{MAC: hostN(i), Link: Config{Allow: []Protocol{CHAP, PAP}, User: user, Secret: secret, IPv4: true, IPv6: true, Echo: 10 * time.Second}})
	}
	a := ConcentratorConfig{MAC: acMAC, Name: "weir", Pool: NewPool(netip.MustParseAddr("10.0.0.2"), pool),
		Link: Config{Demand: []Protocol{CHAP}, Secrets: secrets, IPv4: true, Address: gateway, IPv6: true, Echo: 10 * time.Second}}
	if change != nil {
		change(&c, &a)
	}
	w := &crowd{t: t, now: start}
	var err error
	if w.ac, err = NewConcentrator(a); err != nil {
		t.Fatal(err)
	}
	if w.s, err = NewSubscribers(c); err != nil {
		t.Fatal(err)
	}
	return w
}

// deliver has frames arrive, and what they lead to, until nothing more comes.
func (w *crowd) deliver(fromAC bool, out Output) {
	type flight struct {
		toAC  bool
		frame []byte
	}
	var flying []flight
	add := func(toAC bool, out Output) {
		for _, frame := range out.Packets {
			flying = append(flying, flight{toAC, frame})
		}
	}
	add(!fromAC, out)
	for ; len(flying) > 0; flying = flying[1:] {
		f := flying[0]
		w.carried++
		switch {
		case f.toAC:
			add(false, w.ac.Receive(f.frame, w.now))
		case w.deaf == nil || !w.deaf(MAC(f.frame)):
			add(true, w.s.Receive(f.frame, w.now))
		}
	}
}

// run lets some time pass.
func (w *crowd) run(d time.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); ; {
		next := end
		for _, due := range []time.Time{w.ac.Next(), w.s.Next()} {
			if !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		if w.now = next; !next.Before(end) {
			return
		}
		w.deliver(true, w.ac.Advance(w.now))
		w.deliver(false, w.s.Advance(w.now))
	}
}

func (w *crowd) start() { w.deliver(false, w.s.Start(w.now)) }

func (w *crowd) leave() { w.deliver(false, w.s.Close("it is over", w.now)) }

// Thousands of sessions are set up in a moment of computing, each has an address and an id
// of its own, and answers echoes. (TestMemory has what it takes.)
func TestMany(t *testing.T) {
	const n = 3000
	w := gather(t, n, n, nil)
	w.start()
	w.run(time.Second)
	if c := w.s.Census(); c.Up != n || !w.s.Settled() || w.ac.Sessions() != n || w.ac.Counts.Established != n {
		t.Fatalf("%d are up, %d at the concentrator; %v", c.Up, w.ac.Sessions(), c.Failed)
	}
	ids, addresses := make(map[uint16]bool, n), make(map[netip.Addr]bool, n)
	for s := range w.s.Each() {
		ids[s.ID], addresses[s.Agreed.Local] = true, true
		if s.Concentrator != acMAC || s.Agreed.LocalID != s.Client.Identifier() {
			t.Fatalf("%+v", s)
		}
	}
	there := 0
	for s := range w.ac.Each() {
		if there++; !ids[s.ID] || !addresses[s.Agreed.Remote] || s.Agreed.RemoteID != s.Client.Identifier() {
			t.Fatalf("%+v", s)
		}
	}
	if len(ids) != n || len(addresses) != n || there != n {
		t.Errorf("%d ids, %d addresses, %d at the concentrator", len(ids), len(addresses), there)
	}
	w.run(time.Minute)
	if c := w.s.Counts; c.Echoes < 5*n || c.Echoed != c.Echoes || c.Unechoed != 0 || w.s.Census().Up != n || w.ac.Counts.Unechoed != 0 {
		t.Errorf("after a minute %d are up, counts %+v", w.s.Census().Up, c)
	}
}

// Two subscribers who ask for one interface identifier have two, also at the concentrator, and
// who leaves takes nothing of the other's along.
func TestIdentifiers(t *testing.T) {
	w := gather(t, 2, 2, func(c *SubscribersConfig, _ *ConcentratorConfig) {
		for i := range c.Clients {
			c.Clients[i].Link.Identifier = [8]byte{2, 7: 9}
		}
	})
	w.start()
	w.run(time.Second)
	own := make(map[[8]byte]bool)
	for s := range w.ac.Each() {
		own[s.Agreed.RemoteID] = true
	}
	if len(own) != 2 || !own[[8]byte{2, 7: 9}] || len(w.ac.ids) != 2 || w.s.Census().Up != 2 {
		t.Errorf("%d are up with the identifiers %v, granted %v", w.s.Census().Up, own, w.ac.ids)
	}
	w.leave()
	w.run(time.Second)
	if w.ac.Sessions() > 0 || len(w.ac.ids) > 0 {
		t.Errorf("%d sessions and %d identifiers are left", w.ac.Sessions(), len(w.ac.ids))
	}
}

// A session of which one network protocol is down is not up, is again when that is, and leaves
// as others do.
func TestParted(t *testing.T) {
	w := gather(t, 2, 2, nil)
	w.start()
	w.run(time.Second)
	at := w.ac.hosts[hostN(0)][0]
	event := func(e event) {
		at.link.ipv6cp.event(e, control{})
		w.ac.pass(at, at.link.take(), true)
		w.deliver(true, w.ac.take())
		w.run(5 * time.Second)
	}
	event(evClose)
	if c := w.s.Census(); c.Up != 1 || len(c.Lost) > 0 {
		t.Errorf("without IPv6: %+v", c)
	}
	event(evOpen)
	if c := w.s.Census(); c.Up != 2 {
		t.Errorf("with IPv6 again: %+v", c)
	}
	event(evClose)
	w.leave()
	w.run(time.Second)
	if c := w.s.Census(); c.Up != 0 || c.Left != 2 || len(c.Lost) > 0 || w.ac.Sessions() > 0 {
		t.Errorf("after all have left: %+v, %d sessions", c, w.ac.Sessions())
	}
}

func TestLeave(t *testing.T) {
	const n = 300
	w := gather(t, n, n, func(c *SubscribersConfig, _ *ConcentratorConfig) { c.Rate, c.InFlight = 100, 10 })
	w.start()
	w.run(time.Second)
	if up := w.s.Census().Up; up < 99 || up > 101 {
		t.Errorf("%d of 100 a second came in one", up)
	}
	w.run(3 * time.Second)
	if c := w.s.Census(); c.Up != n || !w.s.Settled() || c.Ended.Sub(c.Began) != (n-1)*time.Second/100 {
		t.Fatalf("%+v", c)
	}
	w.leave()
	w.run(time.Second)
	if w.s.Settled() || w.s.Census().Left > 101 {
		t.Errorf("too many left in a second: %+v", w.s.Census())
	}
	w.run(3 * time.Second)
	if c := w.s.Census(); c.Up != 0 || c.Left != n || !w.s.Settled() || w.ac.Sessions() != 0 || len(w.ac.c.Pool.used) != 0 || len(w.ac.hosts) != 0 {
		t.Errorf("%+v, %d are left", c, w.ac.Sessions())
	}
	if next := w.s.Next(); !next.IsZero() {
		t.Errorf("something is to be done at %v", next)
	}
	if _, err := NewSubscribers(SubscribersConfig{Clients: []ClientConfig{{MAC: hostMAC}, {MAC: hostMAC}}}); err == nil {
		t.Error("two of one address are taken")
	}
}

// Subscribers that cannot be served have no session, by the reason that they are told;
// the sessions of the others are as before.
func TestCrowdRefused(t *testing.T) {
	const n = 60
	for name, c := range map[string]struct {
		pool   int
		change func(*SubscribersConfig, *ConcentratorConfig)
		up     int
		reason string
		count  func(Counts) uint64 // of the concentrator
	}{
		"exhausted pool": {40, nil, 40, "the peer ended the link", func(c Counts) uint64 { return c.Refused }},
		"wrong secrets": {n, func(c *SubscribersConfig, _ *ConcentratorConfig) {
			for i := range c.Clients {
				if i%3 == 0 {
					c.Clients[i].Link.Secret = "wrong"
				}
			}
		}, 40, "the peer does not accept this name and secret", func(c Counts) uint64 { return c.Unproven }},
		"no room": {n, func(_ *SubscribersConfig, a *ConcentratorConfig) { a.MaxSessions = 40 }, 40,
			`the concentrator cannot serve: "no room for another session"`, func(c Counts) uint64 { return c.Refused }},
	} {
		w := gather(t, n, c.pool, c.change)
		w.start()
		w.run(10 * time.Second)
		census := w.s.Census()
		if census.Up != c.up || census.Failed[c.reason] != n-c.up || len(census.Failed) != 1 || c.count(w.ac.Counts) != uint64(n-c.up) || !w.s.Settled() {
			t.Errorf("%s: %+v, counts %+v", name, census, w.ac.Counts)
		}
		w.run(time.Minute)
		if census := w.s.Census(); census.Up != c.up || len(census.Lost) > 0 || w.ac.Sessions() != c.up {
			t.Errorf("%s: a minute later %+v", name, census)
		}
	}
}

// Peers that stop answering lose their sessions, and nobody else does.
func TestCrowdSilent(t *testing.T) {
	const n = 60
	w := gather(t, n, n, nil)
	w.start()
	w.run(time.Second)
	w.deaf = func(m MAC) bool { return m[5] <= 20 }
	w.run(2 * time.Minute)
	if c := w.s.Census(); c.Up != 40 || c.Lost["the peer does not answer echoes"] != 20 || w.ac.Sessions() != 40 || w.s.Counts.Unechoed != 60 || w.s.Counts.Dead != 20 {
		t.Errorf("%+v, %d at the concentrator, counts %+v", c, w.ac.Sessions(), w.s.Counts)
	}
}

// A frame of one subscriber's session that another one sends is none.
func TestStolenID(t *testing.T) {
	w := gather(t, 3, 3, nil)
	w.start()
	w.run(time.Second)
	before := w.ac.Counts.NotOurs
	for s := range w.s.Each() {
		for other := range w.s.Each() {
			if other.Client != s.Client {
				thief := session{own: other.Client, peer: acMAC, id: s.ID}
				w.deliver(false, Output{Packets: [][]byte{thief.frame(PADT, nil)}})
			}
		}
	}
	if w.s.Census().Up != 3 || w.ac.Sessions() != 3 || w.ac.Counts.NotOurs != before+6 {
		t.Errorf("%+v, counts %+v", w.s.Census(), w.ac.Counts)
	}
}

// A flood of PADIs leaves nothing behind, and those beyond a limit have no answer.
func TestFlood(t *testing.T) {
	const limit, flood = 1000, 5000
	w := gather(t, 10, 10, func(_ *SubscribersConfig, a *ConcentratorConfig) { a.Offers = limit })
	w.start()
	w.run(time.Second)
	w.carried = 0
	for i := range flood {
		w.ac.Receive((&session{own: hostN(1000 + i), peer: broadcast}).frame(PADI, Tags{{ServiceName, nil}}.Append(nil)), w.now)
	}
	if c := w.ac.Counts; c.Unoffered != flood-limit || w.ac.Sessions() != 10 || len(w.ac.hosts) != 10 {
		t.Errorf("%d sessions, %d hosts, counts %+v", w.ac.Sessions(), len(w.ac.hosts), c)
	}
	w.run(time.Minute)
	if c := w.s.Counts; w.s.Census().Up != 10 || c.Echoed != c.Echoes {
		t.Errorf("%+v, counts %+v", w.s.Census(), c)
	}
}

// What comes to nothing is said, and at most once a second.
func TestLog(t *testing.T) {
	var said []string
	l := Log{Say: func(line string) { said = append(said, line) }}
	c, now := Counts{}, start
	for range 3000 { // three seconds
		now = now.Add(time.Millisecond)
		c.BadCookie++
		c.Echoes++
		l.Note(c, now)
	}
	want := []string{"PPPoE: 1 PADRs without a cookie from here", "PPPoE: 1000 PADRs without a cookie from here", "PPPoE: 1000 PADRs without a cookie from here"}
	if fmt.Sprint(said) != fmt.Sprint(want) {
		t.Errorf("%q", said)
	}
	for range 100 {
		now = now.Add(100 * time.Millisecond)
		c.Echoes++
		l.Note(c, now)
	}
	if len(said) != 4 || said[3] != "PPPoE: 999 PADRs without a cookie from here" {
		t.Errorf("%q", said[3:])
	}
}

// BenchmarkPADI is what a concentrator does for each PADI of a flood.
func BenchmarkPADI(b *testing.B) {
	ac, err := NewConcentrator(concentratorConfig(CHAP))
	if err != nil {
		b.Fatal(err)
	}
	padi := (&session{own: hostMAC, peer: broadcast}).frame(PADI, Tags{{ServiceName, []byte("line")}, {HostUniq, make([]byte, 8)}}.Append(nil))
	b.ReportAllocs()
	for b.Loop() {
		if out := ac.Receive(padi, start); len(out.Packets) != 1 {
			b.Fatal("no offer")
		}
	}
}
