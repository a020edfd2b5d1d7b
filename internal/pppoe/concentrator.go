package pppoe

import (
	"cmp"
	"container/heap"
	"crypto/sha256"
	"errors"
	"net/netip"
	"slices"
	"time"
)

// sessionIDs is how many session ids there are: neither 0 nor the reserved one.
const sessionIDs = reservedID - 1

// ConcentratorConfig is what a concentrator offers. Zero values of counts are
// the defaults.
type ConcentratorConfig struct {
	MAC         MAC
	Name        string        // AC-Name
	Services    []string      // none: any that is asked for (RFC 2516 section 9)
	MaxPayload  uint16        // the longest PPP frame that the interface carries, its MTU less 8: 1492
	MaxSessions int           // at a time: 65,534
	PerHost     int           // of one MAC address at a time: 16
	Offers      int           // PADIs that are answered in a second: all. The others cost no more than to be read
	Patience    time.Duration // until a session has proven who its client is; it is ended then: 1 min
	Pool        *Pool         // of IPv4 addresses
	Link        Config
}

// Concentrator is the access concentrator's end of many sessions. Until a PADR
// brings back a cookie it keeps nothing of a host.
type Concentrator struct {
	Counts Counts

	c       ConcentratorConfig
	link    *Config
	cookies cookies
	offers  offers
	hosts   map[MAC][]*access
	ids     map[[8]byte]*access // sessions by the interface identifier of their client
	timers  timers[*access]
	lastID  uint16
	out     Output
}

// access is a session of a concentrator.
type access struct {
	session
	request [sha256.Size]byte // of the PADR that began it: sent again, it is answered again
	answer  []byte            // the PADS
	address netip.Addr        // taken from the pool
	six     [8]byte           // the identifier that it was granted last
	limit   time.Time         // of patience; zero: it has come as far
	timer
}

// NewConcentrator checks what it is given: IPv4 takes an address of the
// concentrator itself and a pool.
func NewConcentrator(c ConcentratorConfig) (*Concentrator, error) {
	switch {
	case c.Link.IPv4 && (!c.Link.Address.Is4() || c.Pool == nil):
		return nil, errors.New("a concentrator for IPv4 has an address of its own and a pool of them for its clients")
	case len(c.Name) == 0 || len(c.Name) > 256:
		return nil, errors.New("a concentrator has a name of at most 256 octets")
	}
	c.MaxPayload, c.Patience = cmp.Or(c.MaxPayload, ethernetMax), cmp.Or(c.Patience, time.Minute)
	c.MaxSessions, c.PerHost = cmp.Or(c.MaxSessions, sessionIDs), min(cmp.Or(c.PerHost, 16), sessionIDs)
	c.Link.Identifier, c.Link.User = cmp.Or(c.Link.Identifier, c.MAC.Identifier()), cmp.Or(c.Link.User, c.Name)
	return &Concentrator{c: c, link: c.Link.withDefaults(), hosts: make(map[MAC][]*access), ids: make(map[[8]byte]*access)}, nil
}

// Sessions is how many there are.
func (c *Concentrator) Sessions() int { return len(c.timers) }

// Link is the link of a session; nil: there is none.
func (c *Concentrator) Link(peer MAC, id uint16) *Link {
	if s := c.find(peer, id); s != nil {
		return s.link
	}
	return nil
}

// Next is when Advance has something to do; zero: never, as it is now.
func (c *Concentrator) Next() time.Time { return c.timers.next() }

// Advance does what timers have come to.
func (c *Concentrator) Advance(now time.Time) Output {
	for due := c.Next(); !due.IsZero() && !due.After(now); due = c.Next() {
		s := c.timers[0]
		if !s.limit.IsZero() && !s.limit.After(now) {
			s.limit = now.Add(c.c.Patience) // until the client agrees
			c.Counts.Late++
			c.pass(s, s.link.Close("the client has not proven in time who it is", now), true)
			continue
		}
		c.pass(s, s.link.Advance(now), true)
	}
	return c.take()
}

// Close ends all sessions by their links.
func (c *Concentrator) Close(reason string, now time.Time) Output {
	for _, s := range slices.Clone(c.timers) {
		c.pass(s, s.link.Close(reason, now), true)
	}
	return c.take()
}

// Receive takes an Ethernet frame.
func (c *Concentrator) Receive(b []byte, now time.Time) Output {
	f, err := DecodeFrame(b)
	switch {
	case err != nil:
		c.Counts.Malformed++
	case f.Dst != c.c.MAC && f.Code != PADI:
		c.Counts.NotOurs++
	case f.Code == PADI || f.Code == PADR:
		c.receiveDiscovery(f, now)
	case f.Code == PADO || f.Code == PADS:
		c.Counts.OutOfState++
	default:
		s := c.find(f.Src, f.ID)
		switch {
		case s == nil:
			c.Counts.NotOurs++
		case f.Code == PADT:
			c.pass(s, s.link.Down("the client terminated the session", now), false)
		default:
			c.pass(s, s.link.Receive(f.Payload, now), true)
		}
	}
	return c.take()
}

func (c *Concentrator) receiveDiscovery(f Frame, now time.Time) {
	tags, err := DecodeTags(f.Payload)
	service, one := tags.service()
	if err != nil || !one {
		c.Counts.Malformed++
		return
	}
	c.cookies.rotate(c.link.Random, now)
	offered := len(c.c.Services) == 0 || len(service) == 0 || slices.Contains(c.c.Services, string(service))
	answer := append(Tags{{ServiceName, service}}, tags.echoed(HostUniq, RelaySessionID)...)
	if tags.maxPayload(c.c.MaxPayload) > ethernetMax {
		answer = append(answer, tags.echoed(PPPMaxPayload)...)
	}
	cookie, _ := tags.Get(ACCookie)
	if f.Code == PADI {
		c.Counts.Initiations++
	}
	switch {
	case f.Code == PADI && !offered: // "MUST NOT respond" (section 5.2)
		c.Counts.BadService++
	case f.Code == PADI && !c.offers.another(c.c.Offers, now):
		c.Counts.Unoffered++
	case f.Code == PADI:
		answer = append(answer, Tag{ACName, []byte(c.c.Name)}, Tag{ACCookie, c.cookies.of(f.Src, 0)})
		for _, other := range c.c.Services {
			if other != string(service) {
				answer = append(answer, Tag{ServiceName, []byte(other)})
			}
		}
		c.reply(f.Src, PADO, answer)
	case !c.cookies.valid(cookie, f.Src):
		c.Counts.BadCookie++
	case !offered:
		c.Counts.BadService++
		c.reply(f.Src, PADS, append(answer, Tag{ServiceNameError, nil}))
	default:
		c.begin(f, tags, answer, now)
	}
}

// begin confirms a session, or that there can be none.
func (c *Concentrator) begin(f Frame, tags, answer Tags, now time.Time) {
	request := sha256.Sum256(f.Payload)
	for _, s := range c.hosts[f.Src] {
		if s.request == request {
			c.out.Packets = append(c.out.Packets, s.answer)
			return
		}
	}
	if c.Sessions() >= c.c.MaxSessions || len(c.hosts[f.Src]) >= c.c.PerHost {
		c.Counts.Refused++
		c.reply(f.Src, PADS, append(answer, Tag{ACSystemError, []byte("no room for another session")}))
		return
	}
	s := &access{session: session{own: c.c.MAC, peer: f.Src, id: c.freeID(f.Src)}, request: request}
	s.link = newLink(c.link, tags.maxPayload(c.c.MaxPayload), func(user string) (netip.Addr, bool) {
		a, ok := c.c.Pool.Take(c.link.Secrets[user].Address)
		s.address = a
		return a, ok
	}, &c.Counts)
	s.link.grant = func(id [8]byte) bool { return c.grant(s, id) }
	s.answer = s.frame(PADS, answer.Append(nil))
	c.hosts[f.Src] = append(c.hosts[f.Src], s)
	heap.Push(&c.timers, s)
	c.out.Packets = append(c.out.Packets, s.answer)
	c.out.Events = append(c.out.Events, Event{Kind: Discovered, Peer: s.peer, ID: s.id})
	c.pass(s, s.link.Open(now), true)
}

// grant gives an interface identifier to the client of a session, unless that of another one
// has it: of two with one address each would have the other's datagrams.
func (c *Concentrator) grant(s *access, id [8]byte) bool {
	if owner := c.ids[id]; owner != nil && owner != s {
		return false
	}
	c.revoke(s)
	c.ids[id], s.six = s, id
	return true
}

// revoke takes its identifier from a session.
func (c *Concentrator) revoke(s *access) {
	if c.ids[s.six] == s {
		delete(c.ids, s.six)
	}
}

// freeID is the next session id that the host does not have. Those of other
// hosts may be the same: a session is its addresses and its id (section 4).
func (c *Concentrator) freeID(host MAC) uint16 {
	for {
		c.lastID++
		if c.lastID != 0 && c.lastID != reservedID && c.find(host, c.lastID) == nil {
			return c.lastID
		}
	}
}

func (c *Concentrator) find(peer MAC, id uint16) *access {
	for _, s := range c.hosts[peer] {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (c *Concentrator) reply(host MAC, code Code, tags Tags) {
	s := session{own: c.c.MAC, peer: host}
	c.out.Packets = append(c.out.Packets, s.frame(code, tags.Append(nil)))
}

func (c *Concentrator) pass(s *access, in Output, terminate bool) {
	if !s.pass(in, &c.out, terminate) {
		s.due = s.link.Next()
		switch ready := s.link.phase == Network; {
		case ready:
			s.limit = time.Time{}
		case s.limit.IsZero(): // it begins, or begins anew
			s.limit = s.link.now.Add(c.c.Patience)
		}
		if !s.limit.IsZero() && (s.due.IsZero() || s.limit.Before(s.due)) {
			s.due = s.limit
		}
		heap.Fix(&c.timers, s.place)
		return
	}
	heap.Remove(&c.timers, s.place)
	left := slices.DeleteFunc(c.hosts[s.peer], func(other *access) bool { return other == s })
	if c.hosts[s.peer] = left; len(left) == 0 {
		delete(c.hosts, s.peer)
	}
	c.revoke(s)
	if s.address.IsValid() {
		c.c.Pool.Give(s.address)
	}
}

func (c *Concentrator) take() Output {
	out := c.out
	c.out = Output{}
	return out
}
