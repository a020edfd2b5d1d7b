package pppoe

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// recorded are the frames of a session with a program that nobody here wrote, in their
// order, and whether this end sent them.
func recorded(t testing.TB, name string) (frames [][]byte, own []bool) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		frame, err := hex.DecodeString(strings.TrimSpace(line[2:]))
		if err != nil {
			t.Fatal(err)
		}
		frames, own = append(frames, frame), append(own, line[0] == '>')
	}
	return frames, own
}

// ofOthers are the frames of all that were recorded.
func ofOthers(t testing.TB) (frames [][]byte) {
	for _, name := range []string{"rp-pppoe-3.15.txt", "pppd-2.4.9.txt"} {
		more, _ := recorded(t, name)
		frames = append(frames, more...)
	}
	return frames
}

// TestOthers has the frames of programs that nobody here wrote decode, each as a whole.
func TestOthers(t *testing.T) {
	packets := make(map[Protocol]int)
	for _, b := range ofOthers(t) {
		f, err := DecodeFrame(b)
		if err != nil || !bytes.Equal(f.Append(nil), b) {
			t.Fatalf("%x: %+v, %v", b, f, err)
		}
		if f.Code != Session {
			tags, err := DecodeTags(f.Payload)
			if err != nil || !bytes.Equal(tags.Append(nil), f.Payload) {
				t.Errorf("%x: %+v, %v", b, tags, err)
			}
			continue
		}
		p, err := decodeControl(f.Payload[2:])
		if err != nil || !bytes.Equal(p.append(nil), f.Payload[2:]) {
			t.Errorf("%x: %+v, %v", b, p, err)
		}
		packets[Protocol(binary.BigEndian.Uint16(f.Payload))]++
	}
	if packets[LCP] < 10 || packets[CHAP] < 6 || packets[IPCP] < 12 || packets[IPv6CP] < 8 {
		t.Errorf("what was recorded has packets of %v", packets)
	}
}

// TestRecorded has the client do again what it did with Debian's rp-pppoe and pppd, octet
// for octet: with the same random octets it says the same, asked the same.
func TestRecorded(t *testing.T) {
	frames, own := recorded(t, "rp-pppoe-3.15.txt")
	chance := [][]byte{ // Host-Uniq, the magic number
		{0x1d, 0x8f, 0xb4, 0x88, 0x37, 0x25, 0x97, 0xf2}, {0x56, 0xb2, 0xeb, 0xba},
	}
	client, err := NewClient(ClientConfig{MAC: MAC{0x46, 0x1e, 0xfd, 0xbe, 0xaf, 0x8a}, Link: Config{
		Allow: []Protocol{CHAP, PAP}, User: "ann", Secret: "s3cret", IPv4: true, IPv6: true,
		Random: func(b []byte) {
			if len(chance) == 0 || copy(b, chance[0]) != len(b) {
				t.Fatalf("%d random octets are asked for, with %x left", len(b), chance)
			}
			chance = chance[1:]
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	now, up, ended := start, 0, ""
	var said [][]byte
	take := func(out Output) {
		said = append(said, out.Packets...)
		for _, e := range out.Events {
			if e.Kind == NetworkUp {
				up++
			}
			ended += e.Reason
		}
	}
	take(client.Start(now))
	for i, frame := range frames {
		switch {
		case !own[i]:
			take(client.Receive(frame, now))
			continue
		case len(said) == 0 && up == 2 && ended == "":
			take(client.Close("enough", now))
		case len(said) == 0:
			now = client.Next()
			take(client.Advance(now))
		}
		if len(said) == 0 || !bytes.Equal(said[0], frame) {
			t.Fatalf("frame %d: %x, and not %x; %+v", i, said, frame, client.Counts)
		}
		said = said[1:]
	}
	if up != 2 || ended != "enough" || len(said) > 0 || len(chance) > 0 || client.Counts != (Counts{Established: 1, Disconnected: 1, OutOfState: 2}) {
		t.Errorf("%d protocols were up, ended %q, %x is left to say, %+v", up, ended, said, client.Counts)
	}
}
