package pppoe

import (
	"bytes"
	"cmp"
	"errors"
	"time"
)

// ClientConfig is how a client looks for a concentrator, and what it wants of
// the link. Zero values of times and counts are the defaults.
type ClientConfig struct {
	MAC        MAC
	Service    string        // "": any
	AC         string        // the concentrator's name; "": any
	MaxPayload uint16        // the longest PPP frame that the interface carries, its MTU less 8: 1492
	Wait       time.Duration // for the first answer; doubled each time (RFC 2516 section 8): 1 s
	Attempts   int           // PADIs without a session until that is the answer: 5
	Link       Config
}

const (
	// requests is how many PADRs are sent for one PADO.
	requests = 3
	// mostEarly is how many frames of a session are kept until it is confirmed: where a port
	// has several queues, the concentrator's first ones come before its PADS now and then.
	mostEarly = 4
)

// Client is the host's end of PPPoE sessions, one after the other.
type Client struct {
	Counts Counts

	c        ClientConfig
	counts   *Counts // where it counts
	link     *Config
	session  session // what is known of it so far
	awaited  Code    // PADO, PADS or Session; PADT: nothing
	uniq     []byte  // Host-Uniq
	again    []byte  // the frame that is sent when no answer comes
	attempts int     // PADIs that are left
	requests int     // PADRs that are left
	early    []Frame // of the session that is asked for
	wait     time.Duration
	due      time.Time
	out      Output
}

// NewClient checks what it is given; it is an error when a PADI would not have
// room for it.
func NewClient(c ClientConfig) (*Client, error) {
	if len(c.Service) > 1024 {
		return nil, errors.New("the name of a service has at most 1024 octets here")
	}
	c.MaxPayload = cmp.Or(c.MaxPayload, ethernetMax)
	c.Wait, c.Attempts = cmp.Or(c.Wait, time.Second), cmp.Or(c.Attempts, 5)
	c.Link.Identifier = cmp.Or(c.Link.Identifier, c.MAC.Identifier())
	client := &Client{c: c, link: c.Link.withDefaults(), awaited: PADT}
	client.counts = &client.Counts
	return client, nil
}

// Link is the link of the session that there is; nil: none.
func (c *Client) Link() *Link { return c.session.link }

// Start looks for a concentrator, unless that is under way.
func (c *Client) Start(now time.Time) Output {
	if c.awaited == PADT {
		c.attempts = c.c.Attempts
		c.initiate(c.c.Wait, now)
	}
	return c.take()
}

func (c *Client) initiate(wait time.Duration, now time.Time) {
	c.uniq = make([]byte, 8)
	c.link.Random(c.uniq)
	tags := append(Tags{{ServiceName, []byte(c.c.Service)}, {HostUniq, c.uniq}}, payloadTag(c.c.MaxPayload)...)
	c.session, c.early = session{own: c.c.MAC, peer: broadcast}, nil
	c.awaited, c.again, c.wait = PADO, c.session.frame(PADI, tags.Append(nil)), wait
	c.attempts--
	c.transmit(now)
}

func (c *Client) transmit(now time.Time) {
	c.due = now.Add(c.wait)
	c.out.Packets = append(c.out.Packets, c.again)
}

// Advance does what timers have come to.
func (c *Client) Advance(now time.Time) Output {
	switch due := !c.due.IsZero() && !c.due.After(now); {
	case c.awaited == Session:
		c.pass(c.session.link.Advance(now), true)
	case !due:
	case c.awaited == PADS && c.requests > 0:
		c.requests--
		c.wait *= 2
		c.transmit(now)
	case c.attempts > 0 && c.awaited == PADS:
		c.initiate(c.c.Wait, now)
	case c.attempts > 0:
		c.initiate(2*c.wait, now)
	default:
		c.counts.Unanswered++
		c.end("no concentrator answers")
	}
	return c.take()
}

// Next is when Advance has something to do; zero: never, as it is now.
func (c *Client) Next() time.Time {
	if c.awaited == Session {
		return c.session.link.Next()
	}
	return c.due
}

// Close ends the session, or the search for one.
func (c *Client) Close(reason string, now time.Time) Output {
	switch c.awaited {
	case Session:
		c.pass(c.session.link.Close(reason, now), true)
	case PADO, PADS:
		c.end(reason)
	}
	return c.take()
}

// Receive takes an Ethernet frame.
func (c *Client) Receive(b []byte, now time.Time) Output {
	f, err := DecodeFrame(b)
	if err != nil {
		c.counts.Malformed++
	} else {
		c.receive(f, now)
	}
	return c.take()
}

func (c *Client) receive(f Frame, now time.Time) {
	switch {
	case f.Dst != c.c.MAC, c.awaited != PADO && c.awaited != PADT && f.Src != c.session.peer:
		c.counts.NotOurs++
	case f.Code == PADO || f.Code == PADS:
		c.receiveAnswer(f, now)
	case c.awaited == PADS && f.Code == Session && len(c.early) < mostEarly:
		f.Payload = bytes.Clone(f.Payload)
		c.early = append(c.early, f)
	case c.awaited != Session:
		c.counts.OutOfState++
	case f.ID != c.session.id:
		c.counts.NotOurs++
	case f.Code == Session:
		c.pass(c.session.link.Receive(f.Payload, now), true)
	case f.Code == PADT:
		c.pass(c.session.link.Down("the concentrator terminated the session", now), false)
	default:
		c.counts.OutOfState++
	}
}

func (c *Client) receiveAnswer(f Frame, now time.Time) {
	tags, err := DecodeTags(f.Payload)
	uniq, _ := tags.Get(HostUniq)
	switch {
	case err != nil:
		c.counts.Malformed++
	case f.Code != c.awaited:
		c.counts.OutOfState++
	case !bytes.Equal(uniq, c.uniq):
		c.counts.NotOurs++
	case f.Code == PADO:
		c.request(f.Src, tags, now)
	default:
		c.begin(f.ID, tags, now)
	}
}

// request takes the first offer of the service, of the concentrator that is
// wanted (RFC 2516 section 5.3). Who wants any service takes each: section 5.2
// has an offer name what was asked for, and rp-pppoe's names what it has alone.
func (c *Client) request(ac MAC, offer Tags, now time.Time) {
	name, named := offer.Get(ACName)
	_, refused := offer.refusal()
	served := c.c.Service == "" || offer.has(Tag{ServiceName, []byte(c.c.Service)})
	if !named || refused || c.c.AC != "" && string(name) != c.c.AC || !served {
		c.counts.BadService++
		return
	}
	tags := append(Tags{{ServiceName, []byte(c.c.Service)}, {HostUniq, c.uniq}}, offer.echoed(ACCookie, RelaySessionID)...)
	tags = append(tags, payloadTag(c.c.MaxPayload)...)
	c.session.peer, c.awaited = ac, PADS
	c.again, c.wait, c.requests = c.session.frame(PADR, tags.Append(nil)), c.c.Wait, requests-1
	c.transmit(now)
}

// begin takes the session that the concentrator confirms.
func (c *Client) begin(id uint16, tags Tags, now time.Time) {
	_, named := tags.service()
	switch reason, refused := tags.refusal(); {
	case refused:
		c.counts.Refused++
		c.end(reason)
	case id == 0 || !named:
		c.counts.Malformed++
	default:
		c.session.id, c.awaited, c.due = id, Session, time.Time{}
		c.out.Events = append(c.out.Events, Event{Kind: Discovered, Peer: c.session.peer, ID: id})
		c.session.link = newLink(c.link, tags.maxPayload(c.c.MaxPayload), nil, c.counts)
		c.pass(c.session.link.Open(now), true)
		early := c.early
		c.early = nil
		for _, f := range early {
			c.receive(f, now)
		}
	}
}

func (c *Client) pass(in Output, terminate bool) {
	if c.session.pass(in, &c.out, terminate) {
		c.session, c.awaited = session{}, PADT
	}
}

func (c *Client) end(reason string) {
	c.out.Events = append(c.out.Events, Event{Kind: Ended, Peer: c.session.peer, Reason: reason})
	c.session, c.awaited, c.due = session{}, PADT, time.Time{}
}

func (c *Client) take() Output {
	out := c.out
	c.out = Output{}
	return out
}
