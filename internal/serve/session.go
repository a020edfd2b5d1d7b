package serve

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	sessionTime  = 12 * time.Hour
	mostSessions = 16 // of a token
	wrongAtOnce  = 10 // tokens that an address may have wrong at once
	wrongPeriod  = time.Second
	mostWrong    = 4096 // addresses that are known to have been wrong
)

// A session stands for a token in a browser, which does not keep the token.
type session struct {
	sum   string // of the token: it ends with that
	until time.Time
}

// sessions are those of this process, by their random ids.
type sessions struct {
	mu  sync.Mutex
	all map[string]session
}

// begin makes a session for a token, in place of its oldest one where it has too many.
func (s *sessions) begin(sum string, now time.Time) (id string) {
	id = rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]session{}
	}
	var own []string
	for id, one := range s.all {
		switch {
		case !one.until.After(now):
			delete(s.all, id)
		case one.sum == sum:
			own = append(own, id)
		}
	}
	if len(own) >= mostSessions {
		delete(s.all, slices.MinFunc(own, func(a, b string) int { return s.all[a].until.Compare(s.all[b].until) }))
	}
	s.all[id] = session{sum, now.Add(sessionTime)}
	return id
}

// find returns the checksum of the token that a session stands for; "": it is none, or over.
func (s *sessions) find(id string, now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[id]; one.until.After(now) {
		return one.sum
	}
	return ""
}

// end ends a session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
}

// A throttle bounds how often somebody may show a token that is none: an address some at once, and
// then one in a period.
type throttle struct {
	mu    sync.Mutex
	until map[netip.Prefix]time.Time // nothing is held against an address any more
}

// try has somebody at an address show a token, and reports whether that was looked at: not where too
// many from there were wrong.
func (t *throttle) try(from netip.Prefix, now time.Time, right func() bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	until := t.until[from]
	if until.Before(now) {
		until = now
	}
	if until.Sub(now) >= wrongAtOnce*wrongPeriod {
		return false
	}
	if right() {
		return true
	}
	if t.until == nil {
		t.until = map[netip.Prefix]time.Time{}
	}
	if len(t.until) >= mostWrong {
		maps.DeleteFunc(t.until, func(_ netip.Prefix, until time.Time) bool { return !until.After(now) })
	}
	for at := range t.until {
		if len(t.until) < mostWrong {
			break
		}
		delete(t.until, at) // any one is as good as the next
	}
	t.until[from] = until.Add(wrongPeriod)
	return true
}

// addressOf returns whom a request comes from: an IPv4 address, or an IPv6 network, which one has all
// addresses of. Behind a web server of this machine that is whom this one says it asks for.
func addressOf(req *http.Request, behindProxy bool) netip.Prefix {
	at, err := netip.ParseAddrPort(req.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	from := at.Addr()
	if all := req.Header.Values("X-Forwarded-For"); behindProxy && len(all) > 0 && from.Unmap().IsLoopback() {
		last := all[len(all)-1] // what comes before it, anybody may have sent
		if said, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndex(last, ",")+1:])); err == nil {
			from = said
		}
	}
	bits, ip := 64, from.Unmap()
	if ip.Is4() {
		bits = 32
	}
	network, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
