package pppoe

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestBadFrames(t *testing.T) {
	good := Frame{Dst: acMAC, Src: hostMAC, Code: Session, ID: 7, Payload: []byte{0xc0, 0x21}}.Append(nil)
	if _, err := DecodeFrame(append(good, 0, 0)); err != nil { // padding
		t.Fatal(err)
	}
	for want, spoil := range map[string]func([]byte) []byte{
		"within its headers":     func(b []byte) []byte { return b[:19] },
		"payload of 2 octets":    func(b []byte) []byte { return b[:21] },
		"version and type":       func(b []byte) []byte { b[14] = 0x21; return b },
		"in a frame of type":     func(b []byte) []byte { b[13] = 0x63; return b },
		"group address":          func(b []byte) []byte { b[6] |= 1; return b },
		"session id 0xffff":      func(b []byte) []byte { b[16], b[17] = 255, 255; return b },
		"session id 0x0000":      func(b []byte) []byte { b[17] = 0; return b },
		"code 0x00 to":           func(b []byte) []byte { b[0] |= 1; return b },
		"unknown code 0x42":      func(b []byte) []byte { b[13], b[15] = 0x63, 0x42; return b },
		"code 0x09 to":           func(b []byte) []byte { b[13], b[15] = 0x63, 0x09; return b },
		"code 0x19 with session": func(b []byte) []byte { b[13], b[15] = 0x63, 0x19; return b },
	} {
		if _, err := DecodeFrame(spoil(append([]byte(nil), good...))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, tags := range []string{"\x01\x01\x00", "\x01\x01\x00\x02a", "\x00\x00\x00\x01a", "\x01\x20\x00\x01a"} {
		if got, err := DecodeTags([]byte(tags)); err == nil {
			t.Errorf("%x decodes to %v", tags, got)
		}
	}
	if tags, err := DecodeTags([]byte("\x01\x01\x00\x00\x00\x00\x00\x00\xff")); err != nil || len(tags) != 1 {
		t.Errorf("behind the end of the list: %v, %v", tags, err)
	}
}

func TestSecrets(t *testing.T) {
	got, err := ParseSecrets("# users\nann\ts3cret\n\n\"the boss\" \"a # b\" 10.1.2.3 # fixed\nempty \"\"\r\n")
	want := Secrets{"ann": {Password: "s3cret"}, "the boss": {"a # b", netip.MustParseAddr("10.1.2.3")}, "empty": {}}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for text, want := range map[string]string{
		"a b\nann":                      "line 2: 1 words",
		"a b 10.0.0.1 x":                "line 1: 4 words",
		"a b 10.0.0.1/24":               `line 1: "10.0.0.1/24" is no IPv4 address`,
		"a b ::1":                       `line 1: "::1" is no IPv4 address`,
		"a b\na c":                      `line 2: user "a" has a line already`,
		"a *":                           `line 1: user "a" has the password of the system`,
		"\"a b":                         `line 1: a " is not closed`,
		strings.Repeat("a", 256) + " b": "line 1: name or password is longer",
	} {
		if _, err := ParseSecrets(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCookies(t *testing.T) {
	var c cookies
	random := seeded(5)
	c.rotate(random, start)
	cookie := c.of(hostMAC, 0)
	for _, step := range []struct {
		after time.Duration
		host  MAC
		want  bool
	}{{0, hostMAC, true}, {0, acMAC, false}, {cookieLife, hostMAC, true}, {2 * cookieLife, hostMAC, false}} {
		c.rotate(random, start.Add(step.after))
		if got := c.valid(cookie, step.host); got != step.want {
			t.Errorf("after %v the cookie of %v is valid: %v", step.after, step.host, got)
		}
	}
	cookie = c.of(hostMAC, 0)
	c.rotate(random, start.Add(time.Hour))
	if c.valid(cookie, hostMAC) || c.valid(nil, hostMAC) || c.valid(c.of(hostMAC, 0)[:8], hostMAC) {
		t.Error("a cookie lives on")
	}
}

// A header that is put before a datagram is that of the frame that carries it.
func TestPut(t *testing.T) {
	f := Frame{Dst: acMAC, Src: hostMAC, Code: Session, ID: 0x1234, Payload: []byte("\x00\x57\x60 a datagram of IPv6")}
	b := make([]byte, Before+len(f.Payload)-2)
	copy(b[Before:], f.Payload[2:])
	f.Put(b, IPv6)
	if diff := cmp.Diff(f.Append(nil), b); diff != "" {
		t.Error(diff)
	}
}
