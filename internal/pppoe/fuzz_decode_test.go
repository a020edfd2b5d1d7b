package pppoe

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

func FuzzControl(f *testing.F) {
	f.Add([]byte{1, 1, 0, 10, 5, 6, 1, 2, 3, 4})
	f.Add([]byte{1, 1, 0, 8, 1, 'a', 1, 'b'})
	f.Add(append([]byte{1, 1, 1, 5, 255}, make([]byte, 256)...)) // the longest name
	f.Add([]byte{7, 1, 0, 10, 9, 1, 0, 9, 1, 2})                 // a Code-Reject of what it has cut
	for _, frame := range ofOthers(f) {
		if frame[15] == 0 {
			f.Add(frame[Before:])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodeControl(b)
		if err != nil {
			return
		}
		if again := p.append(nil); !bytes.HasPrefix(b, again) {
			t.Fatalf("%x encodes to %x", b, again)
		}
		var again []byte
		options, err := decodeOptions(p.data)
		for _, o := range options {
			again = o.append(again)
		}
		if err == nil && !bytes.Equal(again, p.data) {
			t.Fatalf("options %x encode to %x", p.data, again)
		}
		user, password, err := decodeCredentials(p.data)
		if again := appendCounted(appendCounted(nil, user), password); err == nil && !bytes.Equal(again, p.data) {
			t.Fatalf("credentials %x encode to %x", p.data, again)
		}
		value, rest, err := counted(p.data)
		if again := append(appendCounted(nil, value), rest...); err == nil && !bytes.Equal(again, p.data) {
			t.Fatalf("value and name %x encode to %x", p.data, again)
		}
		rejected, err := decodeControl(withLength(p.data))
		if (err == nil) != (len(p.data) >= 4) {
			t.Fatalf("what was rejected, %x, decodes with %v", p.data, err)
		}
		if again := rejected.append(nil); err == nil && (!bytes.Equal(again[:2], p.data[:2]) || !bytes.Equal(again[4:], p.data[4:])) {
			t.Fatalf("what was rejected, %x, encodes to %x", p.data, again)
		}
	})
}

// FuzzTags: tags of any octets, also those that no frame is short enough for.
func FuzzTags(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x00\x01\x02\x00\x01x\x00\x00\x00\x00behind"))
	f.Add([]byte("\x01\x20\x00\x02\x05\xdc\x02\x03\x00\x01x"))
	for _, frame := range ofOthers(f) {
		if frame[15] != 0 {
			f.Add(frame[headers:])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tags, err := DecodeTags(b)
		if err != nil {
			return
		}
		again := tags.Append(nil)
		if behind, cut := bytes.CutPrefix(b, again); !cut || len(behind) > 0 && !bytes.HasPrefix(behind, make([]byte, 4)) {
			t.Fatalf("%x encodes to %x", b, again)
		}
		if _, one := tags.service(); one && !tags.has(Tag{ServiceName, tags.echoed(ServiceName)[0].Value}) {
			t.Fatalf("%x has a Service-Name and has not", b)
		}
		for _, own := range []uint16{1392, ethernetMax, 1500} {
			if n := tags.maxPayload(own); n < min(own, ethernetMax) || n > own {
				t.Fatalf("%x agrees on %d octets, where this end carries %d", b, n, own)
			}
		}
		if reason, refused := tags.refusal(); (reason == "") == refused {
			t.Fatalf("%x is refused %v for %q", b, refused, reason)
		}
	})
}

// FuzzSecrets: what was read is read again, where it is written down.
func FuzzSecrets(f *testing.F) {
	f.Add("ann s3cret\n\"bob b\" \"\" 10.0.0.1 # theirs\n")
	f.Add("a\"b #c\n\"#\" x# \r\n")
	word := func(w string) string {
		if strings.Contains(w, `"`) { // not at its beginning, and without spaces
			return w
		}
		return `"` + w + `"`
	}
	f.Fuzz(func(t *testing.T, text string) {
		secrets, err := ParseSecrets(text)
		if (secrets == nil) != (err != nil) {
			t.Fatalf("%v and %v", secrets, err)
		}
		var again strings.Builder
		for user, s := range secrets {
			again.WriteString(word(user) + " " + word(s.Password))
			if s.Address.IsValid() {
				again.WriteString(" " + s.Address.String())
			}
			again.WriteString("\n")
		}
		if reread, second := ParseSecrets(again.String()); err == nil && (second != nil || !maps.Equal(secrets, reread)) {
			t.Fatalf("%q is %v, and written down %v, %v", text, secrets, reread, second)
		}
	})
}
