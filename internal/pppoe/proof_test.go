package pppoe

import (
	"fmt"
	"testing"
	"time"
)

// TestResponse is the example of RFC 2865 section 7.2, with the password of section 7.1.
func TestResponse(t *testing.T) {
	challenge := []byte("\x2a\xee\x86\xf0\x8d\x0d\x55\x96\x9c\xa5\x97\x8e\x0d\x33\x67\xa2")
	if got := fmt.Sprintf("%x", response(22, "arctangent", challenge)); got != "e97557c316185895f293ff6344077275" {
		t.Error(got)
	}
}

// TestRepeatedProof loses what ends the authentication: asked again, the peer
// is told the same, whatever it says then.
func TestRepeatedProof(t *testing.T) {
	w := join(t, clientConfig(PAP), concentratorConfig(PAP))
	w.start()
	w.run(time.Second)
	w.mustBeUp()
	l := w.ac.Link(hostMAC, w.client.session.id)
	again := control{papRequest, 77, appendCounted(appendCounted(nil, []byte("eve")), []byte("wrong"))}
	out := l.Receive(again.append([]byte{0xc0, 0x23}), w.now)
	if got := fmt.Sprintf("%x", out.Packets); got != "[c023024d000500]" || len(out.Events) > 0 || l.Agreed().User != "ann" {
		t.Errorf("%s, %+v", got, out.Events)
	}
	w.mustBeUp()
}

// TestAnotherUser has the peer be somebody else after LCP was negotiated anew:
// the address is not theirs.
func TestAnotherUser(t *testing.T) {
	w := join(t, clientConfig(PAP), concentratorConfig(PAP))
	w.start()
	w.run(time.Second)
	w.mustBeUp()
	w.client.link.User, w.client.link.Secret = "bob", users["bob"].Password
	ac := w.client.session
	w.does(0, w.client.Receive((&session{own: ac.peer, peer: ac.own, id: ac.id}).frame(Session, []byte{0xc0, 0x21, 1, 99, 0, 4}), w.now))
	w.run(time.Minute)
	if w.ended(1) != "the peer did not prove who it is" || w.ac.Counts.Established != 2 || w.ac.Sessions() != 0 {
		t.Errorf("%q, %+v", w.ended(1), w.ac.Counts)
	}
}
