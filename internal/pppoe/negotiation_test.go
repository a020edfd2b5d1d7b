package pppoe

import (
	"bytes"
	"fmt"
	"testing"
)

// TestMRU has the peer refuse what it is asked for: with a hint, without, and
// as long as there is patience (Max-Failure).
func TestMRU(t *testing.T) {
	var counts Counts
	l := NewLink(Config{MRU: 1400, Random: seeded(9), IPv4: true}, 1492, nil, &counts)
	request := func(out Output) control {
		t.Helper()
		for _, p := range out.Packets {
			if c, err := decodeControl(p[2:]); err == nil && c.code == configureRequest {
				return c
			}
		}
		t.Fatalf("no Configure-Request in %+v", out)
		return control{}
	}
	lcp := func(p control) []byte { return p.append([]byte{0xc0, 0x21}) }
	asked := request(l.Open(start))
	if !bytes.HasPrefix(asked.data, []byte{optionMRU, 4, 1400 >> 8, 1400 & 0xff}) {
		t.Fatalf("asks for %x", asked.data)
	}
	asked = request(l.Receive(lcp(control{configureNak, asked.id, []byte{optionMRU, 4, 1300 >> 8, 1300 & 0xff}}), start))
	if l.Agreed().OwnMRU != 1300 {
		t.Errorf("a hint is not taken: %+v", l.Agreed())
	}
	asked = request(l.Receive(lcp(control{configureReject, asked.id, asked.data[:4]}), start))
	if l.Agreed().OwnMRU != 1492 || asked.data[0] == optionMRU {
		t.Errorf("a refusal is not taken: %+v, asks for %x", l.Agreed(), asked.data)
	}
	for range 11 { // hints without an end are taken for a refusal
		asked = request(l.Receive(lcp(control{configureNak, asked.id, []byte{optionMagic, 6, 0, 0, 0, 0}}), start))
	}
	if len(asked.data) > 0 {
		t.Errorf("asks again and again: %x", asked.data)
	}
	for i := range 7 { // a peer that wants 2000, and nothing else
		out := l.Receive(lcp(control{configureRequest, byte(i), []byte{optionMRU, 4, 2000 >> 8, 2000 & 0xff}}), start)
		want := lcp(control{configureNak, byte(i), []byte{optionMRU, 4, 1492 >> 8, 1492 & 0xff}})
		if i >= 5 {
			want = lcp(control{configureReject, byte(i), []byte{optionMRU, 4, 2000 >> 8, 2000 & 0xff}})
		}
		if len(out.Packets) != 1 || !bytes.Equal(out.Packets[0], want) {
			t.Errorf("request %d is answered by %x, want %x", i, out.Packets, want)
		}
	}
}

// TestLoop connects an end of a link with itself.
func TestLoop(t *testing.T) {
	var counts Counts
	l := NewLink(Config{IPv4: true, Random: seeded(3)}, 1492, nil, &counts)
	out, reason := l.Open(start), ""
	for range 100 {
		var next Output
		for _, p := range out.Packets {
			got := l.Receive(bytes.Clone(p), start)
			next.Packets = append(next.Packets, got.Packets...)
			for _, e := range got.Events {
				reason += fmt.Sprint(e.Reason)
			}
		}
		out = next
	}
	if out := l.Receive([]byte{0xc0, 0x21, 5, 1, 0, 4}, start); len(out.Packets) > 0 || counts.OutOfState != 1 {
		t.Errorf("a dead link answers %x, %+v", out.Packets, counts)
	}
	if counts.Looped != 1 || counts.Established != 0 || reason == "" || l.Phase() != Dead {
		t.Errorf("%+v, %q", counts, reason)
	}
}

// TestCollision has both ends draw the same magic number and the same interface
// identifier at first: they agree on different ones.
func TestCollision(t *testing.T) {
	var links [2]*Link
	var counts Counts
	for i := range links {
		draws, chance := 0, seeded(uint64(i))
		random := func(b []byte) {
			if draws++; draws > 2 {
				chance(b)
			}
		}
		links[i] = NewLink(Config{IPv6: true, Random: random}, ethernetMax, nil, &counts)
	}
	packets := [2][][]byte{links[0].Open(start).Packets, links[1].Open(start).Packets}
	for range 20 {
		var answers [2][][]byte
		for i, l := range links {
			for _, p := range packets[1-i] {
				answers[i] = append(answers[i], l.Receive(p, start).Packets...)
			}
		}
		packets = answers
	}
	a, b := links[0].Agreed(), links[1].Agreed()
	if links[0].ipv6cp.state != Opened || links[1].ipv6cp.state != Opened || a.LocalID == b.LocalID || a.RemoteID != b.LocalID ||
		b.RemoteID != a.LocalID || bytes.Equal(links[0].lcp.wish(optionMagic).own, links[1].lcp.wish(optionMagic).own) {
		t.Errorf("%+v and %+v, %+v", a, b, counts)
	}
}

// TestNoAddress has a peer that acknowledges whatever it is asked, that this end
// has no address too: then there is no IPv4.
func TestNoAddress(t *testing.T) {
	var counts Counts
	l := NewLink(Config{IPv4: true, Random: seeded(4)}, ethernetMax, nil, &counts)
	out, reason := l.Open(start), ""
	for range 20 {
		var next Output
		for _, b := range out.Packets {
			p, err := decodeControl(b[2:])
			if err != nil {
				t.Fatal(err)
			}
			answers := []control{{terminateAck, p.id, nil}}
			if p.code == configureRequest {
				answers = []control{{configureAck, p.id, p.data}, {configureRequest, 1, nil}}
			} else if p.code != terminateRequest {
				continue
			}
			for _, a := range answers {
				got := l.Receive(a.append(bytes.Clone(b[:2])), start)
				next.Packets, next.Events = append(next.Packets, got.Packets...), append(next.Events, got.Events...)
			}
		}
		for _, e := range next.Events {
			if reason += e.Reason; e.Kind == NetworkUp || e.Kind == NetworkDown {
				t.Errorf("IPv4 is up, or was: %+v", e)
			}
		}
		out = next
	}
	if reason != "the ends have no network protocol in common" {
		t.Errorf("%q, %+v", reason, counts)
	}
}
