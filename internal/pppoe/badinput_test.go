package pppoe

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRefusals are sessions that cannot be had, or not as they were asked for:
// what the ends say, and what they count.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*ClientConfig, *ConcentratorConfig)
		reason     string // of the client
		client, ac Counts // of those that refuse something
	}{
		{"wrong secret by PAP", func(c *ClientConfig, a *ConcentratorConfig) {
			c.Link.Secret, c.Link.Allow, a.Link.Demand = "wrong", []Protocol{PAP}, []Protocol{PAP}
		}, "the peer does not accept this name and secret", Counts{Unproven: 1}, Counts{Unproven: 1}},
		{"wrong secret by CHAP", func(c *ClientConfig, _ *ConcentratorConfig) { c.Link.Secret = "wrong" },
			"the peer does not accept this name and secret", Counts{Unproven: 1}, Counts{Unproven: 1}},
		{"unknown user with an empty secret", func(c *ClientConfig, _ *ConcentratorConfig) { c.Link.User, c.Link.Secret = "eve", "" },
			"the peer does not accept this name and secret", Counts{Unproven: 1}, Counts{Unproven: 1}},
		{"a client that proves nothing", func(c *ClientConfig, _ *ConcentratorConfig) { c.Link.Allow = nil },
			"the peer ended the link", Counts{}, Counts{}},
		{"exhausted pool", func(_ *ClientConfig, a *ConcentratorConfig) { a.Pool = NewPool(netip.MustParseAddr("10.0.0.2"), 0) },
			"the peer ended the link", Counts{}, Counts{Refused: 1}},
		{"an address that is in use", func(c *ClientConfig, a *ConcentratorConfig) {
			c.Link.User, c.Link.Secret = "bob", "b"
			a.Pool.Take(users["bob"].Address)
		}, "the peer ended the link", Counts{}, Counts{Refused: 1}},
		{"no room for sessions", func(_ *ClientConfig, a *ConcentratorConfig) { a.MaxSessions = -1 },
			`the concentrator cannot serve: "no room for another session"`, Counts{Refused: 1}, Counts{Refused: 1}},
		{"no room for sessions of this host", func(_ *ClientConfig, a *ConcentratorConfig) { a.PerHost = -1 },
			`the concentrator cannot serve: "no room for another session"`, Counts{Refused: 1}, Counts{Refused: 1}},
		{"no such service", func(c *ClientConfig, _ *ConcentratorConfig) { c.Service = "other" },
			"no concentrator answers", Counts{Unanswered: 1}, Counts{BadService: 5}},
		{"another concentrator is wanted", func(c *ClientConfig, _ *ConcentratorConfig) { c.AC = "other" },
			"no concentrator answers", Counts{Unanswered: 1, BadService: 5}, Counts{}},
		{"no network protocol in common", func(c *ClientConfig, a *ConcentratorConfig) { c.Link.IPv6, a.Link.IPv4 = false, false },
			"the ends have no network protocol in common", Counts{}, Counts{}},
		{"no network protocol at all", func(c *ClientConfig, _ *ConcentratorConfig) { c.Link.IPv6, c.Link.IPv4 = false, false },
			"the ends have no network protocol in common", Counts{}, Counts{}},
		{"an address of their own, which the concentrator does not give", func(c *ClientConfig, a *ConcentratorConfig) {
			c.Link.Address, c.Link.IPv6, a.Link.IPv6 = gateway, false, false
		}, "the ends have no network protocol in common", Counts{}, Counts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, ac := clientConfig(CHAP), concentratorConfig(CHAP)
			c.change(&client, &ac)
			w := join(t, client, ac)
			w.start()
			w.run(2 * time.Minute)
			told := func(counts Counts) Counts {
				return Counts{Unproven: counts.Unproven, Refused: counts.Refused, BadService: counts.BadService, Unanswered: counts.Unanswered}
			}
			if got := w.ended(0); got != c.reason || told(w.client.Counts) != c.client || told(w.ac.Counts) != c.ac {
				t.Errorf("ended %q, want %q; counts %+v %+v", got, c.reason, w.client.Counts, w.ac.Counts)
			}
			if w.ac.Sessions() > 0 || !w.client.Next().IsZero() {
				t.Errorf("%d sessions are left, the next timer is at %v", w.ac.Sessions(), w.client.Next())
			}
			if n := len(w.ac.c.Pool.used); n > 1 || n == 1 && !w.ac.c.Pool.used[users["bob"].Address] {
				t.Errorf("addresses in use: %v", w.ac.c.Pool.used)
			}
		})
	}
}

// TestSilence has a peer die at each moment of a session: it is found dead, in
// bounded time, and nothing is left.
func TestSilence(t *testing.T) {
	for heard := range 24 {
		w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
		w.start()
		for range heard { // frames that arrive, one each millisecond
			w.run(time.Millisecond)
		}
		w.dead = true
		w.run(2 * time.Minute)
		if w.ac.Sessions() != 0 || len(w.ac.c.Pool.used) != 0 || !w.ac.Next().IsZero() {
			t.Errorf("silent after %d ms: %d sessions, %+v", heard, w.ac.Sessions(), w.ac.Counts)
		}
		if heard == 23 && (w.ac.Counts.Dead != 1 || w.ended(1) != "the peer does not answer echoes") {
			t.Errorf("ended %q, %+v", w.ended(1), w.ac.Counts)
		}
	}
}

// TestNobody is a host that keeps a negotiation going without an end, and so never proves who
// it is: it has a session for a minute, and nothing is left of it.
func TestNobody(t *testing.T) {
	w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
	w.start()
	for w.ac.Sessions() == 0 {
		w.run(time.Millisecond)
	}
	w.dead = true
	began, host := w.now, session{own: hostMAC, peer: acMAC, id: w.ac.lastID}
	for w.ac.Sessions() > 0 && w.now.Sub(began) < 10*time.Minute {
		w.run(2 * time.Second)
		if l := w.ac.Link(hostMAC, host.id); l != nil { // an empty Configure-Nak begins the Restart counter anew
			w.does(1, w.ac.Receive(host.frame(Session, []byte{0xc0, 0x21, configureNak, l.lcp.id, 0, 4}), w.now))
		}
	}
	if lasted := w.now.Sub(began); lasted < 50*time.Second || lasted > 80*time.Second || w.ac.Counts.Late != 1 || len(w.ac.ids) > 0 || !w.ac.Next().IsZero() {
		t.Errorf("%d sessions after %v, ended %q, %+v", w.ac.Sessions(), lasted, w.ended(1), w.ac.Counts)
	}
}

// TestOthersFrames are frames about a session by somebody who does not have it,
// or for which nobody waits: they are counted, and the session is as before.
func TestOthersFrames(t *testing.T) {
	w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
	w.start()
	w.run(time.Second)
	w.mustBeUp()
	id := w.client.session.id
	thief := session{own: MAC{2, 9, 9, 9, 9, 9}, peer: acMAC, id: id}
	atAC := session{own: hostMAC, peer: acMAC, id: id + 1}
	second := session{own: MAC{2, 0, 0, 0, 0, 0xad}, peer: hostMAC}
	terminate := []byte{0xc0, 0x21, 5, 1, 0, 4}
	offer := Tags{{ServiceName, []byte("line")}, {ACName, []byte("second")}, {HostUniq, w.client.uniq}}.Append(nil)
	request := Tags{{ServiceName, []byte("line")}}.Append(nil)
	for name, c := range map[string]struct {
		end   int
		frame []byte
		count func(Counts) uint64
	}{
		"PADT by another":                 {1, thief.frame(PADT, nil), func(c Counts) uint64 { return c.NotOurs }},
		"Terminate-Request by another":    {1, thief.frame(Session, terminate), func(c Counts) uint64 { return c.NotOurs }},
		"another session id":              {1, atAC.frame(Session, terminate), func(c Counts) uint64 { return c.NotOurs }},
		"a PADR without a cookie":         {1, (&session{own: thief.own, peer: acMAC}).frame(PADR, request), func(c Counts) uint64 { return c.BadCookie }},
		"a PADR without a service":        {1, (&session{own: thief.own, peer: acMAC}).frame(PADR, nil), func(c Counts) uint64 { return c.Malformed }},
		"a PADO to a concentrator":        {1, (&session{own: thief.own, peer: acMAC}).frame(PADO, nil), func(c Counts) uint64 { return c.OutOfState }},
		"a second concentrator":           {0, second.frame(PADO, offer), func(c Counts) uint64 { return c.NotOurs }},
		"a PADS again":                    {0, (&session{own: acMAC, peer: hostMAC, id: 99}).frame(PADS, request), func(c Counts) uint64 { return c.OutOfState }},
		"a PADT for another session":      {0, (&session{own: acMAC, peer: hostMAC, id: 99}).frame(PADT, nil), func(c Counts) uint64 { return c.NotOurs }},
		"a PADT to another host":          {0, (&session{own: acMAC, peer: thief.own, id: id}).frame(PADT, nil), func(c Counts) uint64 { return c.NotOurs }},
		"a frame that is cut":             {0, []byte{1, 2, 3}, func(c Counts) uint64 { return c.Malformed }},
		"an Ack that was not asked for":   {0, (&session{own: acMAC, peer: hostMAC, id: id}).frame(Session, []byte{0xc0, 0x21, 2, 99, 0, 4}), func(c Counts) uint64 { return c.BadReply }},
		"a protocol that nobody speaks":   {0, (&session{own: acMAC, peer: hostMAC, id: id}).frame(Session, []byte{0x80, 0x2b, 1, 1, 0, 4}), func(c Counts) uint64 { return c.Rejected }},
		"an Echo of another link's magic": {0, (&session{own: acMAC, peer: hostMAC, id: id}).frame(Session, []byte{0xc0, 0x21, 9, 1, 0, 8, 1, 2, 3, 4}), func(c Counts) uint64 { return c.BadMagic }},
		"PAP where CHAP was agreed":       {0, (&session{own: acMAC, peer: hostMAC, id: id}).frame(Session, []byte{0xc0, 0x23, 3, 1, 0, 4}), func(c Counts) uint64 { return c.OutOfState }},
	} {
		receive, counts := w.client.Receive, &w.client.Counts
		if c.end == 1 {
			receive, counts = w.ac.Receive, &w.ac.Counts
		}
		before := c.count(*counts)
		if out := receive(c.frame, w.now); len(out.Events) > 0 || c.count(*counts) != before+1 {
			t.Errorf("%s: %+v, %+v", name, out, *counts)
		}
		w.mustBeUp()
	}
}

// TestEchoedTags has a relay between the ends, and a PADR that comes twice.
func TestEchoedTags(t *testing.T) {
	w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
	relayed := func(b []byte) Tags {
		t.Helper()
		f, err := DecodeFrame(b)
		if err != nil {
			t.Fatal(err)
		}
		tags, err := DecodeTags(f.Payload)
		if err != nil {
			t.Fatal(err)
		}
		return tags
	}
	relay := Tag{RelaySessionID, []byte("relay")}
	host := session{own: hostMAC, peer: broadcast}
	padi := append(relayed(w.client.Start(w.now).Packets[0]), relay)
	pado := w.ac.Receive(host.frame(PADI, padi.Append(nil)), w.now).Packets[0]
	stale := append(Tags{{HostUniq, []byte("another")}}, relayed(pado)...)
	toHost := session{own: acMAC, peer: hostMAC}
	if out := w.client.Receive(toHost.frame(PADO, stale.Append(nil)), w.now); len(out.Packets) > 0 || w.client.Counts.NotOurs != 1 {
		t.Errorf("an offer to another request is taken: %x, %+v", out.Packets, w.client.Counts)
	}
	padr := w.client.Receive(pado, w.now).Packets[0]
	once, twice := w.ac.Receive(padr, w.now), w.ac.Receive(padr, w.now)
	for _, b := range [][]byte{pado, padr, once.Packets[0]} {
		if tags := relayed(b); !tags.has(relay) || !tags.has(Tag{HostUniq, w.client.uniq}) {
			t.Errorf("%x lacks the relay's tag, or the host's", b)
		}
	}
	cookie, ok := relayed(pado).Get(ACCookie)
	if !ok || !relayed(padr).has(Tag{ACCookie, cookie}) {
		t.Error("the cookie does not come back")
	}
	if !slices.Equal(once.Packets[0], twice.Packets[0]) || len(twice.Packets) != 1 || w.ac.Sessions() != 1 {
		t.Errorf("a PADR that comes twice makes %d sessions", w.ac.Sessions())
	}
	if _, err := NewConcentrator(ConcentratorConfig{Name: "x", Link: Config{IPv4: true}}); err == nil || !strings.Contains(err.Error(), "a pool") {
		t.Errorf("a concentrator without addresses: %v", err)
	}
}
