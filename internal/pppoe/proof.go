package pppoe

import (
	"crypto/md5"
	"crypto/subtle"
	"time"
)

// proof is one direction of authentication: this end's (own) or the peer's.
type proof struct {
	protocol  Protocol // 0: none was agreed
	id        byte     // of the last request or challenge that was sent, or response
	challenge []byte
	answer    byte      // the code with which it ended; 0: not yet
	tries     int       // that are left
	due       time.Time // of the next try, or of the end of patience
}

func (p *proof) passed() bool {
	return p.protocol == 0 || p.protocol == PAP && p.answer == papAck || p.protocol == CHAP && p.answer == chapSuccess
}

// authenticate begins the Authentication phase (RFC 1661 section 3.5).
func (l *Link) authenticate() {
	w := l.lcp.wish(optionProof)
	patience := l.now.Add(time.Duration(l.c.MaxConfigure) * l.c.Restart)
	l.phase = Authenticate
	l.own = proof{protocol: proofIn(l.c.Allow, w.peer), tries: l.c.MaxConfigure, due: patience}
	l.peer = proof{protocol: proofIn(l.c.Demand, w.own), tries: l.c.MaxConfigure, due: patience}
	if l.own.protocol == PAP {
		l.sendCredentials()
	}
	if l.peer.protocol == CHAP {
		l.sendChallenge()
	}
	l.proven()
}

// proven goes on to the network layer when both directions have passed.
func (l *Link) proven() {
	for _, p := range []*proof{&l.own, &l.peer} {
		if p.passed() {
			p.due = time.Time{}
		}
	}
	if l.phase == Authenticate && l.own.passed() && l.peer.passed() {
		l.network()
	}
}

// advanceProof sends once more what was not answered, or gives up.
func (l *Link) advanceProof(p *proof) {
	switch {
	case p.tries > 0 && p == &l.own && p.protocol == PAP:
		l.sendCredentials()
	case p.tries > 0 && p == &l.peer && p.protocol == CHAP:
		l.sendChallenge()
	default:
		l.counts.Unanswered++
		p.due = time.Time{}
		l.close("authentication came to no end in time")
	}
}

func (l *Link) sendCredentials() {
	l.own.tries--
	l.own.id, l.own.due = l.identifier(), l.now.Add(l.c.Restart)
	data := appendCounted(appendCounted(nil, []byte(l.c.User)), []byte(l.c.Secret))
	l.send(PAP, control{papRequest, l.own.id, data}.append(nil))
}

// sendChallenge sends one with a new value and identifier each time (RFC 1994
// section 4.1).
func (l *Link) sendChallenge() {
	l.peer.tries--
	l.peer.id, l.peer.due, l.peer.challenge = l.identifier(), l.now.Add(l.c.Restart), l.random(md5.Size)
	data := append(appendCounted(nil, l.peer.challenge), l.c.User...)
	l.send(CHAP, control{chapChallenge, l.peer.id, data}.append(nil))
}

// response is the Response Value of CHAP with MD5 (RFC 1994 section 4.1).
func response(id byte, secret string, challenge []byte) []byte {
	sum := md5.Sum(append(append([]byte{id}, secret...), challenge...))
	return sum[:]
}

func (l *Link) receivePAP(p control) {
	switch {
	case p.code == papRequest && l.peer.protocol == PAP:
		user, password, err := decodeCredentials(p.data)
		if err != nil {
			l.counts.Malformed++
			return
		}
		secret, known := l.c.Secrets[string(user)]
		same := subtle.ConstantTimeCompare(password, []byte(secret.Password)) == 1
		l.conclude(PAP, p.id, string(user), known && same, papAck, papNak, []byte{0})
	case (p.code == papAck || p.code == papNak) && l.own.protocol == PAP:
		l.hear(p, papAck)
	default:
		l.counts.OutOfState++
	}
}

func (l *Link) receiveCHAP(p control) {
	switch {
	case p.code == chapChallenge && l.own.protocol == CHAP:
		challenge, _, err := counted(p.data)
		if err != nil || len(challenge) == 0 {
			l.counts.Malformed++
			return
		}
		l.own.id = p.id
		data := append(appendCounted(nil, response(p.id, l.c.Secret, challenge)), l.c.User...)
		l.send(CHAP, control{chapResponse, p.id, data}.append(nil))
	case p.code == chapResponse && l.peer.protocol == CHAP:
		value, name, err := counted(p.data)
		if err != nil {
			l.counts.Malformed++
			return
		}
		if p.id != l.peer.id {
			l.counts.BadReply++
			return
		}
		secret, known := l.c.Secrets[string(name)]
		same := subtle.ConstantTimeCompare(value, response(p.id, secret.Password, l.peer.challenge)) == 1
		l.conclude(CHAP, p.id, string(name), known && same, chapSuccess, chapFailure, nil)
	case (p.code == chapSuccess || p.code == chapFailure) && l.own.protocol == CHAP:
		l.hear(p, chapSuccess)
	default:
		l.counts.OutOfState++
	}
}

// conclude answers a peer that has proved itself or not. Asked again it gives
// the same answer, whatever comes with it (RFC 1334 section 2.2.1, RFC 1994
// section 4.1). A link keeps its user: the address is theirs.
func (l *Link) conclude(proto Protocol, id byte, user string, right bool, yes, no byte, data []byte) {
	first := l.peer.answer == 0
	if first {
		l.peer.answer = no
		if right && (l.user == "" || l.user == user) {
			l.peer.answer, l.user = yes, user
		}
	}
	l.send(proto, control{l.peer.answer, id, data}.append(nil))
	switch {
	case first && l.peer.answer == no:
		l.counts.Unproven++
		l.close("the peer did not prove who it is")
	case first:
		l.proven()
	}
}

// hear takes the answer to this end's own proof.
func (l *Link) hear(p control, yes byte) {
	if l.own.answer != 0 || p.id != l.own.id {
		l.counts.BadReply++
		return
	}
	if l.own.answer = p.code; p.code != yes {
		l.counts.Unproven++
		l.close("the peer does not accept this name and secret")
		return
	}
	l.proven()
}
