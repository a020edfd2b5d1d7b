package pppoe

// session is an end of a PPPoE session and the link inside of it.
type session struct {
	own, peer MAC
	id        uint16
	link      *Link
}

// pass hands on what the link has to say. A session whose link has ended ends
// with a PADT (RFC 2516 section 5.5), unless that is what ended it.
func (s *session) pass(in Output, out *Output, terminate bool) (ended bool) {
	for _, p := range in.Packets {
		out.Packets = append(out.Packets, s.frame(Session, p))
	}
	for _, e := range in.Events {
		e.Peer, e.ID = s.peer, s.id
		ended = ended || e.Kind == Ended
		out.Events = append(out.Events, e)
	}
	if in.Datagram.Protocol != 0 {
		in.Datagram.Peer, in.Datagram.ID = s.peer, s.id
		out.Datagram = in.Datagram
	}
	if ended && terminate {
		out.Packets = append(out.Packets, s.frame(PADT, nil))
	}
	return ended
}

func (s *session) frame(code Code, payload []byte) []byte {
	b := make([]byte, 0, headers+len(payload))
	return Frame{Dst: s.peer, Src: s.own, Code: code, ID: s.id, Payload: payload}.Append(b)
}
