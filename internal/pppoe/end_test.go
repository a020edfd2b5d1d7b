package pppoe

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name     string
		allow    []Protocol
		demand   []Protocol
		payloads [2]uint16
		auth     Protocol
		mru      uint16
	}{
		{"no authentication", nil, nil, [2]uint16{}, 0, 1492},
		{"PAP", []Protocol{PAP}, []Protocol{PAP}, [2]uint16{}, PAP, 1492},
		{"CHAP", []Protocol{CHAP, PAP}, []Protocol{CHAP, PAP}, [2]uint16{}, CHAP, 1492},
		{"CHAP first, PAP agreed", []Protocol{PAP}, []Protocol{CHAP, PAP}, [2]uint16{}, PAP, 1492},
		{"1500 octets", []Protocol{CHAP}, []Protocol{CHAP}, [2]uint16{1500, 1500}, CHAP, 1500},
		{"1508 octets", []Protocol{CHAP}, []Protocol{CHAP}, [2]uint16{1508, 9000}, CHAP, 1508},
		{"1392 octets, as the ports carry", []Protocol{CHAP}, []Protocol{CHAP}, [2]uint16{1392, 1392}, CHAP, 1392},
		{"1392 octets, as one of the ports carries", []Protocol{CHAP}, []Protocol{CHAP}, [2]uint16{1392, 1500}, CHAP, 1392},
		{"1500 octets, which the concentrator cannot", nil, nil, [2]uint16{1500, 0}, 0, 1492},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, ac := clientConfig(c.allow...), concentratorConfig(c.demand...)
			client.MaxPayload, ac.MaxPayload = c.payloads[0], c.payloads[1]
			w := join(t, client, ac)
			w.start()
			w.run(time.Second)
			ours, theirs := w.mustBeUp()
			user := ""
			if c.auth != 0 {
				user = "ann"
			}
			want := Agreed{MRU: c.mru, OwnMRU: c.mru, OwnProof: c.auth, Local: netip.MustParseAddr("10.0.0.2"), Remote: gateway,
				DNS: [2]netip.Addr(dns), LocalID: hostMAC.Identifier(), RemoteID: acMAC.Identifier()}
			mirrored := Agreed{MRU: c.mru, OwnMRU: c.mru, Auth: c.auth, User: user, Local: gateway, Remote: want.Local,
				LocalID: want.RemoteID, RemoteID: want.LocalID}
			if diff := cmp.Diff([]Agreed{want, mirrored}, []Agreed{ours, theirs}, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Error(diff)
			}
			w.run(time.Hour) // of echoes
			w.mustBeUp()
			w.does(0, w.client.Close("enough", w.now))
			w.run(10 * time.Second)
			if w.ended(0) != "enough" || w.ended(1) == "" || w.ac.Sessions() != 0 || len(w.ac.c.Pool.used) != 0 {
				t.Errorf("ended: %q %q, %d sessions", w.ended(0), w.ended(1), w.ac.Sessions())
			}
			if !w.client.Next().IsZero() || !w.ac.Next().IsZero() {
				t.Error("a timer is left")
			}
			if w.client.Counts.Illegal+w.ac.Counts.Illegal+w.client.Counts.Malformed+w.ac.Counts.Malformed > 0 {
				t.Errorf("counts %+v %+v", w.client.Counts, w.ac.Counts)
			}
		})
	}
}

// TestFaultyWire loses, doubles and reorders frames for minutes; afterwards a
// session comes up, both ends agree on the same, and nothing of others is left.
// Now and then all requests of a network protocol are lost, and one end has given
// it up (RFC 1661 section 4.6, Max-Configure): until one of them asks again there is none.
func TestFaultyWire(t *testing.T) {
	established, givenUp, faults := 0, 0, Counts{}
	for seed := range uint64(200) {
		client, ac := clientConfig(CHAP), concentratorConfig(CHAP)
		if seed%2 == 0 {
			client, ac = clientConfig(PAP), concentratorConfig(PAP)
		}
		client.Link.Random, ac.Link.Random = seeded(seed), seeded(seed+1000)
		ac.Pool = NewPool(netip.MustParseAddr("10.0.0.2"), 100)
		w := join(t, client, ac)
		w.chance = rand.New(rand.NewPCG(seed, 7))
		w.faulty = 0.05 + 0.2*float64(seed%4)/3
		for range 20 { // 2 minutes
			w.start() // unless it is under way
			w.run(6 * time.Second)
			if _, _, ok := w.up(); ok {
				established++
			}
		}
		w.faulty = 0
		w.run(2 * time.Minute) // half-open sessions time out
		w.start()
		w.run(2 * time.Minute)
		if w.givenUp() {
			givenUp++
			continue
		}
		ours, theirs := w.mustBeUp()
		if ours.Local != theirs.Remote || ours.Remote != theirs.Local || ours.LocalID != theirs.RemoteID || ours.RemoteID != theirs.LocalID ||
			ours.MRU != theirs.OwnMRU || ours.DNS != [2]netip.Addr(dns) || !ours.Local.IsValid() {
			t.Fatalf("seed %d: %+v and %+v", seed, ours, theirs)
		}
		if w.ac.Sessions() != 1 || len(w.ac.c.Pool.used) != 1 {
			t.Fatalf("seed %d: %d sessions, %d addresses in use", seed, w.ac.Sessions(), len(w.ac.c.Pool.used))
		}
		for _, counts := range []Counts{w.client.Counts, w.ac.Counts} {
			if counts.Illegal+counts.Malformed+counts.Unproven+counts.Looped > 0 {
				t.Fatalf("seed %d: %+v", seed, counts)
			}
			faults.BadReply += counts.BadReply
			faults.OutOfState += counts.OutOfState
		}
	}
	if givenUp > 2 {
		t.Errorf("%d of 200 sessions are without a network protocol", givenUp)
	}
	if established < 1000 || faults.BadReply == 0 || faults.OutOfState == 0 {
		t.Errorf("the wire was not what it was to be: up at %d of 4000 looks, %+v", established, faults)
	}
}

// TestEarly has the concentrator's first frames of a session come before the one that confirms
// it, after one of another session: they are not lost, which would cost the time of a Restart
// timer. Of all these only a few are kept.
func TestEarly(t *testing.T) {
	for frames, outOfState := range map[int]uint64{1: 0, mostEarly - 1: 0, mostEarly: 1} {
		w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
		w.does(0, w.client.Start(w.now))
		offer := w.ac.Receive(w.flying[0].frame, w.now).Packets[0]
		request := w.client.Receive(offer, w.now).Packets[0]
		begun := w.ac.Receive(request, w.now).Packets // PADS, Configure-Request
		w.flying = nil
		foreign := bytes.Clone(begun[1])
		foreign[headers-4]++ // the id of another session
		w.does(0, w.client.Receive(foreign, w.now))
		for range frames {
			w.does(0, w.client.Receive(begun[1], w.now))
		}
		w.does(0, w.client.Receive(begun[0], w.now))
		w.run(time.Second) // less than the Restart timer
		w.mustBeUp()
		if c := w.client.Counts; len(begun) != 2 || c.NotOurs != 1 || c.OutOfState != outOfState {
			t.Errorf("of %d frames that came early: counts %+v", frames, c)
		}
	}
}

func TestPADIFlood(t *testing.T) {
	w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
	w.start()
	w.run(time.Second)
	before := heapInUse()
	flood := session{own: hostMAC, peer: broadcast}
	for i := range 100_000 {
		flood.own[1], flood.own[2], flood.own[3] = byte(i>>16), byte(i>>8), byte(i)
		if out := w.ac.Receive(flood.frame(PADI, Tags{{ServiceName, nil}}.Append(nil)), w.now); len(out.Packets) != 1 || len(out.Events) != 0 {
			t.Fatalf("PADI %d: %+v", i, out)
		}
	}
	if grown := heapInUse() - before; grown > 64<<10 {
		t.Errorf("100,000 PADIs cost %d octets", grown)
	}
	w.mustBeUp()
}

// TestMemory measures what 10,000 sessions take, with both protocols up.
func TestMemory(t *testing.T) {
	const sessions = 10_000
	config := concentratorConfig(CHAP)
	config.Pool = NewPool(netip.MustParseAddr("10.0.0.2"), sessions)
	w := join(t, clientConfig(CHAP), config)
	before := heapInUse()
	for i := range sessions {
		c := clientConfig(CHAP)
		c.MAC[4], c.MAC[3] = byte(i), byte(i>>8)
		client, err := NewClient(c)
		if err != nil {
			t.Fatal(err)
		}
		exchange(client, w.ac, client.Start(start).Packets)
		if client.Link() == nil || client.Link().Agreed().Local == (netip.Addr{}) || client.Link().ipv6cp.state != Opened {
			t.Fatalf("client %d is not up: %+v", i, client.Counts)
		}
	}
	each := (heapInUse() - before) / sessions
	t.Logf("%d octets a session", each)
	if each > 10<<10 || each < 100 || w.ac.Sessions() != sessions {
		t.Errorf("%d sessions take %d octets each", w.ac.Sessions(), each)
	}
	runtime.KeepAlive(w)
}

// exchange carries frames to and fro until both ends are silent.
func exchange(client *Client, ac *Concentrator, frames [][]byte) {
	for len(frames) > 0 {
		var answers, next [][]byte
		for _, f := range frames {
			answers = append(answers, ac.Receive(f, start).Packets...)
		}
		for _, f := range answers {
			next = append(next, client.Receive(f, start).Packets...)
		}
		frames = next
	}
}

func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestRetries has nobody answer: the client waits twice as long each time, and
// goes back to a PADI when its PADRs come to nothing (RFC 2516 section 8).
func TestRetries(t *testing.T) {
	for _, c := range []struct{ offered, want string }{
		{"", "09@0 09@1 09@3 09@7 09@15 end@31"},
		{"once", "09@0 19@0 19@1 19@3 09@7 09@8 09@10 09@14 end@22"},
	} {
		w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
		var got []string
		for out := w.client.Start(w.now); ; out = w.client.Advance(w.now) {
			for i := 0; i < len(out.Packets); i++ {
				got = append(got, fmt.Sprintf("%02x@%.0f", out.Packets[i][15], w.now.Sub(start).Seconds()))
				if c.offered != "" && len(got) == 1 {
					offer := w.ac.Receive(out.Packets[i], w.now).Packets[0]
					out.Packets = append(out.Packets, w.client.Receive(offer, w.now).Packets...)
				}
			}
			if len(out.Events) > 0 || len(got) > 20 {
				break
			}
			w.now = w.client.Next()
		}
		got = append(got, fmt.Sprintf("end@%.0f", w.now.Sub(start).Seconds()))
		if strings.Join(got, " ") != c.want {
			t.Errorf("offered %q: %s, want %s", c.offered, got, c.want)
		}
	}
}
