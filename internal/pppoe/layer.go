package pppoe

import (
	"bytes"
	"time"
)

// layer is LCP or an NCP: the automaton of RFC 1661 with its timer and counters
// (section 4.6), and the options that it negotiates.
type layer struct {
	link   *Link
	proto  Protocol
	state  State
	wishes []wish

	due      time.Time // of the Restart timer; zero: it does not run
	restarts int       // the Restart counter
	naks     int       // sent since the last Configure-Ack
	hints    int       // Configure-Naks received in this negotiation
	asked    []byte    // the options of the last Configure-Request
	id       byte      // of the last Configure-Request
	answered bool      // it has had a valid reply
	up       bool      // it was said to be
}

// event takes a transition. p is the packet that led to it, or for RCR the
// answer to it.
func (y *layer) event(e event, p control) {
	from, t := y.state, transitions[e][y.state]
	if t.next == illegal {
		y.link.counts.Illegal++
		return
	}
	y.state = t.next
	if !t.next.timed() {
		y.due = time.Time{}
	}
	for a := action(1); a <= lastAction; a <<= 1 {
		if t.actions&a != 0 {
			y.act(a, t.actions, from, p)
		}
	}
}

func (y *layer) act(a, all action, from State, p control) {
	l := y.link
	switch a {
	case tld:
		l.layerDown(y)
	case irc:
		if y.restarts = l.c.MaxConfigure; all&str != 0 {
			y.restarts = l.c.MaxTerminate
		}
	case zrc:
		y.restarts, y.due = 0, l.now.Add(l.c.Restart)
	case scr:
		if from < ReqSent || from == Opened {
			y.renew()
		}
		y.sendRequest()
	case sca, scn:
		y.send(p)
	case str:
		y.restarts--
		y.due = l.now.Add(l.c.Restart)
		y.send(control{terminateRequest, l.identifier(), nil})
	case sta:
		y.send(control{terminateAck, p.id, nil})
	case scj:
		l.counts.Rejected++
		y.send(control{codeReject, l.identifier(), l.truncated(p.append(nil), 4)})
	case ser:
		if p.code == echoReply {
			y.send(p)
		}
	case tlu:
		l.layerUp(y)
	case tlf:
		l.layerFinished(y)
	}
}

// renew begins a negotiation anew: what the peer rejected may be asked again.
func (y *layer) renew() {
	y.hints, y.naks = 0, 0
	for i := range y.wishes {
		y.wishes[i].rejected = false
	}
}

// sendRequest sends a Configure-Request, one of the same identifier as long as
// its options are the same and not answered (section 5.1).
func (y *layer) sendRequest() {
	options := y.request()
	if y.answered || !bytes.Equal(options, y.asked) || y.id == 0 {
		y.id, y.asked, y.answered = y.link.identifier(), options, false
	}
	y.restarts--
	y.due = y.link.now.Add(y.link.c.Restart)
	y.send(control{configureRequest, y.id, y.asked})
}

func (y *layer) send(p control) { y.link.send(y.proto, p.append(nil)) }

// advance is the Timeout event.
func (y *layer) advance() {
	if y.restarts > 0 {
		y.event(evTimeout, control{})
		return
	}
	if y.state >= ReqSent {
		y.link.counts.Unanswered++
	}
	y.event(evExhausted, control{})
}

// receive takes the packets of codes 1 to 7, which LCP and all NCPs share.
func (y *layer) receive(p control) {
	counts := y.link.counts
	if y.state < Closed { // "should be silently discarded" (RFC 1332 section 2)
		counts.OutOfState++
		return
	}
	switch p.code {
	case configureRequest:
		y.receiveRequest(p)
	case configureAck, configureNak, configureReject:
		y.receiveReply(p)
	case terminateRequest:
		if y.proto == LCP && y.link.reason == "" {
			y.link.reason = "the peer ended the link"
		}
		y.event(evTerminate, p)
	case terminateAck:
		y.event(evTerminated, p)
	case codeReject:
		switch rejected, err := decodeControl(withLength(p.data)); {
		case err != nil:
			counts.Malformed++
		case rejected.code >= configureRequest && rejected.code <= codeReject:
			y.event(evFatal, p)
		default:
			y.link.noEcho = y.link.noEcho || y.proto == LCP && rejected.code == echoRequest
			y.event(evRejected, p)
		}
	default:
		y.event(evUnknown, p)
	}
}

// withLength is a packet that may have been truncated (section 5.6), with the
// length that it has.
func withLength(b []byte) []byte {
	if len(b) < 4 {
		return b
	}
	return control{b[0], b[1], b[4:]}.append(nil)
}

func (y *layer) receiveRequest(p control) {
	asked, err := decodeOptions(p.data)
	if err != nil {
		y.link.counts.Malformed++
		return
	}
	answer := control{id: p.id}
	if y.state == Stopped || y.state >= ReqSent { // elsewhere nothing is answered to it
		answer.code, answer.data = y.verdict(asked)
	}
	if answer.code == configureAck {
		y.event(evRequest, answer)
	} else {
		y.event(evBadRequest, answer)
	}
}

// receiveReply takes the replies to a Configure-Request. One that was answered
// already has no valid reply: a duplicate is "out of sequence" (section 4.3),
// so that the crossed connections of the table (x) do not occur.
func (y *layer) receiveReply(p control) {
	counts := y.link.counts
	if y.state < Closing { // the automaton says Terminate-Ack
		y.event(evAck, p)
		return
	}
	options, err := decodeOptions(p.data)
	if err != nil {
		counts.Malformed++
		return
	}
	if y.answered || p.id != y.id || p.code == configureAck && !bytes.Equal(p.data, y.asked) {
		counts.BadReply++
		return
	}
	if y.state < ReqSent {
		return
	}
	if p.code == configureAck {
		y.answered = true
		y.event(evAck, p)
		return
	}
	vital, ok := y.refused(p.code, options)
	switch {
	case !ok:
		counts.BadReply++
	case vital:
		y.answered = true
		y.link.abandon(y)
	default:
		y.answered = true
		y.event(evNak, p)
	}
}
