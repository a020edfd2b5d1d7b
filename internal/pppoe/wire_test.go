package pppoe

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

var (
	gateway = netip.MustParseAddr("10.0.0.1")
	dns     = []netip.Addr{netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("8.8.4.4")}
	users   = Secrets{"ann": {Password: "s3cret"}, "bob": {Password: "b", Address: netip.MustParseAddr("10.9.9.9")}}
)

func clientConfig(allow ...Protocol) ClientConfig {
	return ClientConfig{MAC: hostMAC, Service: "line", Link: Config{Allow: allow, User: "ann", Secret: "s3cret",
		IPv4: true, AskDNS: true, IPv6: true, Echo: 10 * time.Second, Random: seeded(1)}}
}

func concentratorConfig(demand ...Protocol) ConcentratorConfig {
	return ConcentratorConfig{MAC: acMAC, Name: "weir", Services: []string{"line"}, Pool: NewPool(netip.MustParseAddr("10.0.0.2"), 2),
		Link: Config{Demand: demand, Secrets: users, IPv4: true, Address: gateway, DNS: dns, IPv6: true,
			User: "ac", Echo: 10 * time.Second, Random: seeded(2)}}
}

// wire joins a client and a concentrator: frames arrive after 1 ms, unless
// they are lost, come twice, or come 20 ms to 4 s later than others.
type wire struct {
	t      testing.TB
	now    time.Time
	client *Client
	ac     *Concentrator
	chance *rand.Rand
	faulty float64 // of the frames, each fault
	dead   bool    // the client: it hears nothing and does nothing
	flying []flight
	sent   [][]byte
	events [2][]Event // of the client, of the concentrator
}

type flight struct {
	at    time.Time
	to    int
	frame []byte
}

func join(t testing.TB, client ClientConfig, ac ConcentratorConfig) *wire {
	t.Helper()
	w := &wire{t: t, now: start, chance: rand.New(rand.NewPCG(1, 2))}
	var err error
	if w.client, err = NewClient(client); err != nil {
		t.Fatal(err)
	}
	if w.ac, err = NewConcentrator(ac); err != nil {
		t.Fatal(err)
	}
	return w
}

// does takes what an end wants done: 0 the client, 1 the concentrator.
func (w *wire) does(end int, out Output) {
	w.events[end] = append(w.events[end], out.Events...)
	for _, frame := range out.Packets {
		w.sent = append(w.sent, frame)
		copies := 1
		if w.chance.Float64() < w.faulty {
			copies = 0
		} else if w.chance.Float64() < w.faulty {
			copies = 2
		}
		for range copies {
			late := time.Millisecond
			if w.chance.Float64() < w.faulty {
				late += time.Duration(20+w.chance.IntN(4000)) * time.Millisecond
			}
			w.flying = append(w.flying, flight{w.now.Add(late), 1 - end, frame})
		}
	}
}

// run lets some time pass.
func (w *wire) run(d time.Duration) {
	end := w.now.Add(d)
	for steps := 0; ; steps++ {
		if steps > 100_000 {
			w.t.Fatal("the ends do not come to rest")
		}
		next := end
		timers := []time.Time{w.ac.Next(), w.client.Next()}
		if w.dead {
			timers = timers[:1]
		}
		for _, due := range timers {
			if !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		i := -1
		for j, f := range w.flying {
			if f.at.Before(next) {
				i, next = j, f.at
			}
		}
		if !next.Before(end) {
			w.now = end
			return
		}
		w.now = next
		if i >= 0 {
			f := w.flying[i]
			w.flying = slices.Delete(w.flying, i, i+1)
			if f.to == 1 {
				w.does(1, w.ac.Receive(f.frame, w.now))
			} else if !w.dead {
				w.does(0, w.client.Receive(f.frame, w.now))
			}
			continue
		}
		w.does(1, w.ac.Advance(w.now))
		if !w.dead {
			w.does(0, w.client.Advance(w.now))
		}
	}
}

func (w *wire) start() { w.does(0, w.client.Start(w.now)) }

// up returns what the ends have agreed on, where both protocols are up at both.
func (w *wire) up() (client, ac Agreed, ok bool) {
	l := w.client.Link()
	if l == nil {
		return client, ac, false
	}
	other := w.ac.Link(hostMAC, w.client.session.id)
	if other == nil {
		return client, ac, false
	}
	for _, y := range []*layer{&l.ipcp, &l.ipv6cp, &other.ipcp, &other.ipv6cp} {
		if y.state != Opened {
			return client, ac, false
		}
	}
	return l.Agreed(), other.Agreed(), true
}

// givenUp reports whether an end of a session that is open has given a network protocol up.
func (w *wire) givenUp() bool {
	for _, s := range w.ac.timers {
		for _, l := range []*Link{s.link, w.client.Link()} {
			if l != nil && l.phase == Network && (l.ipcp.state == Stopped || l.ipv6cp.state == Stopped) {
				return true
			}
		}
	}
	return false
}

func (w *wire) mustBeUp() (client, ac Agreed) {
	w.t.Helper()
	client, ac, ok := w.up()
	if !ok {
		w.t.Fatalf("the session is not up: %+v %+v; counts %+v %+v", w.events[0], w.events[1], w.client.Counts, w.ac.Counts)
	}
	return client, ac
}

// ended is why an end says that the session ended; "": it did not.
func (w *wire) ended(end int) string {
	for _, e := range w.events[end] {
		if e.Kind == Ended {
			return e.Reason
		}
	}
	return ""
}
