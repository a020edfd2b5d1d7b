//go:build linux

package xdp

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

// sessionTraffics are those of every combination of headers inside sessions.
func sessionTraffics() []weir.Traffic {
	var all []weir.Traffic
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			small := frame.SmallestSize(family, protocol, 2) // two tags are as long
			for _, of := range []struct {
				sizes           []weir.Size
				sessions, flows int
			}{
				{[]weir.Size{small}, 1, 1}, {[]weir.Size{128}, 1, 1}, {[]weir.Size{128}, 3, 3},
				{[]weir.Size{small + 5, 1510, 594}, 1, 1}, {[]weir.Size{small + 5, 1510, 594}, 3, 5},
			} {
				t := weir.Traffic{Sizes: of.sizes, Family: family, Protocol: protocol, Flows: of.flows, Sessions: of.sessions, Seed: 7, Bidirectional: true}
				t.Forward, t.Reverse = frame.DefaultStreams(family)
				t.Name = fmt.Sprintf("%s %s %v %d sessions %d flows", family, protocol, of.sizes, of.sessions, of.flows)
				all = append(all, t)
			}
		}
	}
	return all
}

// someSessions are those of a traffic, with ids and clients of their own.
func someSessions(n int) []frame.Session {
	all := frame.UnopenedSessions(n, nil, net.HardwareAddr{2, 0, 0, 0, 0, 2})
	for i := range all {
		all[i].ID = frame.MaxSessions - 5*uint16(i)
		all[i].Client = net.HardwareAddr{2, 1, 2, 3, byte(i >> 8), byte(i)}
	}
	return all
}

// sessionSides are both sides of a traffic in these sessions.
func sessionSides(t *testing.T, tr weir.Traffic, sessions []frame.Session) (sides []Side) {
	t.Helper()
	for port := range 2 {
		b, err := frame.NewPortBuilder(tr, port, net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2}, sessions...)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, Side{Frames: b, Port: 1})
	}
	return sides
}

// The program's frames inside sessions and to them are those of the reference builder,
// to the octet, from either side and from both.
func TestGeneratorBuildsFramesInSessions(t *testing.T) {
	testenv.NeedRoot(t)
	for _, tr := range sessionTraffics() {
		sides := sessionSides(t, tr, someSessions(tr.Sessions))
		for name, part := range map[string][]Side{"forward": sides[:1], "reverse": sides[1:], "both": sides} {
			t.Run(fmt.Sprint(tr.Name, " ", name), func(t *testing.T) {
				t.Parallel()
				checkGenerator(t, part)
			})
		}
	}
}

// As many sessions as a port can have fit, and each is sent in its turn.
func TestGeneratorOfAllSessions(t *testing.T) {
	testenv.NeedRoot(t)
	tr := sessionTraffics()[0]
	tr.Sessions, tr.Flows = 10_000, 10_000
	sessions := someSessions(tr.Sessions)
	checkGenerator(t, sessionSides(t, tr, sessions)[:1])
	r := sessionReceiver(t, sessions)
	b := sessionSides(t, tr, sessions)[0].Frames
	for _, i := range []uint64{0, 1, 9_999, 10_000} {
		r.feed(t, b.Frame(nil, i, frame.Signature{Trial: 9, Sequence: i, Time: uint64(Now())}))
	}
	if seen, err := r.Seen(); err != nil || len(seen) != 1 || seen[0].Received != 4 || seen[0].WrongSession != 0 {
		t.Errorf("saw %+v, %v", seen, err)
	}
}

// sessionReceiver is one of trial 9 that knows these sessions.
func sessionReceiver(t *testing.T, sessions []frame.Session) *Receiver {
	t.Helper()
	r := &Receiver{}
	if err := r.load(ReceiverOptions{Verify: true, Sessions: &sessions}, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.objects.Close() })
	if err := r.Reset(Expected{Trial: 9}); err != nil {
		t.Fatal(err)
	}
	return r
}

// put is a frame to a session as a concentrator puts it into one, with so many octets
// added to the length that it says.
func put(f []byte, s frame.Session, more int) []byte {
	header := []byte{0x88, 0x64, 0x11, 0}
	header = binary.BigEndian.AppendUint16(header, s.ID)
	header = binary.BigEndian.AppendUint16(header, uint16(len(f)-14+2+more))
	protocol := uint16(0x21)
	if f[12] == 0x86 {
		protocol = 0x57
	}
	header = binary.BigEndian.AppendUint16(header, protocol)
	return slices.Concat(s.Client, s.Concentrator, header, f[14:])
}

// Frames that come inside sessions are recognised, checked and counted like others; one
// in another session than its own is counted as that, and so is one in none.
func TestReceiverKnowsSessions(t *testing.T) {
	testenv.NeedRoot(t)
	for _, tr := range sessionTraffics() {
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			sessions := someSessions(tr.Sessions + 1) // one more, which nothing is sent to
			sides := sessionSides(t, tr, sessions[:tr.Sessions])
			r := sessionReceiver(t, sessions)
			const n = 30
			began := Now()
			sig := func(i uint64) frame.Signature {
				return frame.Signature{Trial: 9, Stream: 4, Sequence: i, Time: uint64(Now())}
			}
			own := func(i uint64) frame.Session { return sessions[i%uint64(tr.Flows)%uint64(tr.Sessions)] }
			for i := range uint64(n) { // as they come from the concentrator, and as they leave
				f := put(sides[1].Frames.Frame(nil, i, sig(i)), own(i), 0)
				if i%2 == 1 {
					f = sides[0].Frames.Frame(nil, i, sig(i))
				}
				if v := r.feed(t, f); v != verdictDrop {
					t.Fatalf("frame %d: verdict %d", i, v)
				}
			}
			f := sides[1].Frames.Frame(nil, 0, sig(n))
			other, stranger, unknown := sessions[tr.Sessions], own(0), own(0)
			stranger.Client = net.HardwareAddr{2, 0, 0, 0, 0, 9}
			unknown.ID = 7
			for name, f := range map[string][]byte{
				"in the session of another address": put(f, other, 0),
				"for another client":                put(f, stranger, 0),
				"in a session that is not there":    put(f, unknown, 0),
				"in no session":                     f,
			} {
				before := wrongSession(t, r)
				if v := r.feed(t, f); v != verdictDrop || wrongSession(t, r) != before+1 {
					t.Errorf("a frame %s: verdict %d, %d of them were counted", name, v, wrongSession(t, r)-before)
				}
			}
			damaged := put(f, own(0), 0)
			damaged[len(damaged)-1] ^= 1
			r.feed(t, damaged)
			r.feed(t, put(f, own(0), 4)) // says that it is longer
			seen, err := r.Seen()
			if err != nil || len(seen) != 1 || seen[0].Received != n || seen[0].Corrupt != 2 || seen[0].WrongSession != 4 || seen[0].Late+seen[0].Duplicate != 0 {
				t.Errorf("saw %+v, %v", seen, err)
			}
			h, err := r.Latency()
			if err != nil || h.N != n || h.Max > uint64(Now()-began) {
				t.Errorf("latency of %d frames up to %d ns, within %v, %v", h.N, h.Max, Now()-began, err)
			}
		})
	}
}

func wrongSession(t *testing.T, r *Receiver) uint64 {
	t.Helper()
	seen, err := r.Seen()
	if err != nil || len(seen) != 1 {
		t.Fatalf("saw %+v, %v", seen, err)
	}
	return seen[0].WrongSession
}

// What the control plane of a session needs passes to the stack: discovery, LCP, and
// whatever else is no test frame; and a receiver without sessions lets all of it pass.
func TestReceiverPassesSessions(t *testing.T) {
	testenv.NeedRoot(t)
	tr := sessionTraffics()[1]
	sessions := someSessions(tr.Sessions)
	sides := sessionSides(t, tr, sessions)
	f := sides[0].Frames.Frame(nil, 0, frame.Signature{Trial: 9})
	change := func(at int, to ...byte) []byte {
		changed := slices.Clone(f)
		copy(changed[at:], to)
		return changed
	}
	r := sessionReceiver(t, sessions)
	for name, f := range map[string][]byte{
		"discovery":    change(12, 0x88, 0x63),
		"LCP":          change(20, 0xc0, 0x21),
		"IPCP":         change(20, 0x80, 0x21),
		"a PADT":       change(14, 0x11, 0xa7),
		"no signature": change(50, 0, 0),
		"a short one":  f[:20],
	} {
		if v := r.feed(t, f); v != verdictPass {
			t.Errorf("%s: verdict %d", name, v)
		}
	}
	if v := looseReceiver(t, 9).feed(t, f); v != verdictPass {
		t.Errorf("a receiver without sessions: verdict %d", v)
	}
}
