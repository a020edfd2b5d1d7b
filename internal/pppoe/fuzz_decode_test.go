package pppoe

import (
	"bytes"
	"testing"
)

func FuzzControl(f *testing.F) {
	f.Add([]byte{1, 1, 0, 10, 5, 6, 1, 2, 3, 4})
	f.Add([]byte{1, 1, 0, 8, 1, 'a', 1, 'b'})
	f.Add(append([]byte{1, 1, 1, 5, 255}, make([]byte, 256)...)) // the longest name
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
	})
}

func FuzzSecrets(f *testing.F) {
	f.Add("ann s3cret\n\"bob b\" \"\" 10.0.0.1 # theirs\n")
	f.Fuzz(func(t *testing.T, text string) {
		secrets, err := ParseSecrets(text)
		if (secrets == nil) != (err != nil) {
			t.Fatalf("%v and %v", secrets, err)
		}
	})
}
