package wiring

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// two are a tester's ports with a router behind them.
func two(t *testing.T) Asked {
	t.Helper()
	port := func(name string, last byte, tester, router string) Port {
		return Port{Name: name, MAC: net.HardwareAddr{2, 0, 0, 0, 0, last}, Tester: netip.MustParseAddr(tester), Router: netip.MustParseAddr(router), NextHop: net.HardwareAddr{2, 0, 0, 0, 1, last}}
	}
	return Asked{Size: 1518, Ports: []Port{port("a", 1, "198.18.0.2", "198.18.0.1"), port("b", 2, "198.19.0.2", "198.19.0.1"),
		port("c", 3, "198.18.32.2", "198.18.32.1"), port("d", 4, "198.19.32.2", "198.19.32.1")}}
}

// Every wiring is named by what arrives where.
func TestJudge(t *testing.T) {
	a := two(t)
	box := net.HardwareAddr{2, 0, 0, 0, 9, 9}
	through := func(from, to int, large bool) sighting {
		return sighting{kind: probed, from: from, at: to, large: large, sent: firstHops, hops: firstHops - 1, mac: box}
	}
	var fine []sighting
	for i := range a.Ports {
		fine = append(fine, through(i, i^1, false), through(i, i^1, true))
	}
	without := func(from int, also ...sighting) (out []sighting) {
		for _, s := range fine {
			if s.from != from {
				out = append(out, s)
			}
		}
		return append(out, also...)
	}
	straight := sighting{kind: probed, from: 0, at: 1, sent: firstHops, hops: firstHops, mac: a.Ports[0].MAC}
	small := through(0, 1, false)
	for _, c := range []struct {
		name, want string
		bridge     bool
		seen       []sighting
	}{
		{"fine", "", false, fine},
		{"a cable", "there is a cable or a switch between them", false, without(0, straight)},
		{"a bridge", "", true, append(without(0, straight, through(0, 1, true)), straight)},
		{"a loop", "what leaves through a comes back there", false, append([]sighting{{kind: probed, from: 0, at: 0, sent: firstHops, hops: firstHops, mac: a.Ports[0].MAC}}, fine...)},
		{"a loop alone", "what leaves through a comes back there: there is a loop behind it; look for a cable between two ports of the box or the switch", false, without(0, sighting{kind: probed, from: 0, at: 0, sent: firstHops, hops: firstHops, mac: a.Ports[0].MAC})},
		{"a route that points back", "a router sends what leaves through a back there: its route to 198.19.0.2 leads to where the frames come from; give it one through the port that b is connected with", false, without(0, through(0, 0, false), through(0, 0, true))},
		{"a hub", "what leaves through a for b arrives at c, too", false, append([]sighting{{kind: probed, from: 0, at: 2, sent: firstHops, hops: firstHops - 1, mac: box}}, fine...)},
		{"swapped", "the cables of a and b are swapped", false, without(0, sighting{kind: wanted, at: 0, who: a.Ports[1].Tester, mac: box})},
		{"small alone", "frames of 1518 octets do not get from a to b", false, without(0, small)},
		{"small, and the router says so", "(the box says: too big, the MTU is 1400)", false, without(0, small, sighting{kind: refusal, from: 0, large: true, answer: answer{says: "too big, the MTU is 1400", means: tooLarge}})},
		{"a filter, and an MTU that is asked first", "nothing gets from a to b, and what leaves through b comes through", false, without(0, sighting{kind: refusal, from: 0, large: true, answer: answer{says: "too big, the MTU is 1400", means: tooLarge}})},
		{"no route", "the box has no route to 198.19.0.2", false, without(0, sighting{kind: refusal, from: 0, answer: answers4[[2]byte{3, 0}]})},
		{"rejected", "a filter of the box rejects it", false, without(0, sighting{kind: refusal, from: 0, answer: answers4[[2]byte{3, 13}]})},
		{"one way alone", "and what leaves through b comes through", false, without(0)},
		{"asked for and dropped", "although the box has asked for 198.19.0.2 there", false, without(0, sighting{kind: wanted, at: 1, who: a.Ports[1].Tester, mac: box})},
		{"address in use", "198.18.0.2, which the tester has at a, is in use by 02:00:00:00:09:09", false, append([]sighting{{kind: claimed, at: 0, who: a.Ports[0].Tester, mac: box}}, fine...)},
		{"a blocked port of a switch", "does the switch forward between these ports", true, without(0)},
	} {
		a.Bridge = c.bridge
		got := strings.Join(a.judge(c.seen), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || strings.Contains(got, "back there") && strings.Contains(got, "nothing gets") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	a.Bridge = false
	for want, seen := range map[string]sighting{
		"198.18.0.2, which the tester has at a, is in use by": {kind: claimed, at: 0, who: a.Ports[0].Tester, mac: box},
		"198.18.0.1 answers at b":                             {kind: claimed, at: 1, who: a.Ports[0].Router, mac: box},
		"a cable or a switch between them, and no router":     {kind: wanted, at: 1, who: a.Ports[0].Router, mac: a.Ports[0].MAC},
		"there is a loop behind it":                           {kind: wanted, at: 0, who: a.Ports[0].Router, mac: a.Ports[0].MAC},
		"nobody answers for 198.18.0.1 behind a: is that the": {kind: wanted, at: 0, who: a.Ports[0].Router, mac: box},
	} {
		if got := a.unanswered(0, []sighting{seen}); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A probe is known again, also where a router quotes a part of it; that of somebody
// else, or of another time, is not.
func TestFrames(t *testing.T) {
	a := two(t)
	nonce := [4]byte{1, 2, 3, 4}
	if strings.HasPrefix(mark, "we") || strings.HasPrefix(mark, "wi") {
		t.Error("a receiver takes probes for test frames")
	}
	for _, large := range []bool{false, true} {
		data, err := a.probe(1, large, nonce)
		if err != nil {
			t.Fatal(err)
		}
		if large && len(data) != a.Size-4 {
			t.Errorf("the large one has %d octets", len(data))
		}
		s := read(data, 0, nonce)
		if s == nil || s.kind != probed || s.from != 1 || s.at != 0 || s.large != large || !s.unpassed() || s.mac.String() != a.Ports[1].MAC.String() {
			t.Errorf("it is read as %+v", s)
		}
		if read(data, 0, [4]byte{9}) != nil {
			t.Error("one of another time is taken for ours")
		}
	}
	for _, target := range []netip.Addr{a.Ports[0].Router, netip.MustParseAddr("2001:2:0:1::1")} {
		data, err := question(a.Ports[0], nobody(target), target)
		if err != nil {
			t.Fatal(err)
		}
		if s := read(data, 1, nonce); s == nil || s.kind != wanted || s.who != target || s.mac.String() != a.Ports[0].MAC.String() {
			t.Errorf("the question is read as %+v", s)
		}
	}
	if read([]byte{1, 2, 3}, 0, nonce) != nil {
		t.Error("three octets are something")
	}
}

// What looks wrong once, as something had no CPU, is not wrong: it is checked again.
func TestCheckTwice(t *testing.T) {
	a := two(t)
	var fine []sighting
	for i := range a.Ports {
		for _, large := range []bool{false, true} {
			fine = append(fine, sighting{kind: probed, from: i, at: i ^ 1, large: large, sent: firstHops, hops: firstHops - 1, mac: net.HardwareAddr{2, 0, 0, 0, 9, 9}})
		}
	}
	for _, c := range []struct {
		name   string
		seen   [][]sighting // each time
		checks int
		wrong  bool
	}{
		{"fine", [][]sighting{fine}, 1, false},
		{"nothing came in time", [][]sighting{nil, fine}, 2, false},
		{"each way came once", [][]sighting{fine[:2], fine[2:]}, 2, false},
		{"nothing comes", [][]sighting{nil, nil}, 2, true},
	} {
		checks := 0
		err := a.checkTwice(func(time.Duration) ([]sighting, error) {
			checks++
			return c.seen[checks-1], nil
		})
		if wrong := (*WrongError)(nil); errors.As(err, &wrong) != c.wrong || checks != c.checks {
			t.Errorf("%s: %v after %d checks", c.name, err, checks)
		}
	}
	if err := a.checkTwice(func(time.Duration) ([]sighting, error) { return nil, net.ErrClosed }); err != net.ErrClosed {
		t.Errorf("%v", err)
	}
}
