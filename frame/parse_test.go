package frame

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"weir"
)

// insert is f with extra octets at an offset.
func insert(f []byte, at int, extra ...byte) []byte {
	return slices.Insert(slices.Clone(f), at, extra...)
}

func TestParseIPv4Options(t *testing.T) {
	f := newBuilder(t, traffic(weir.IPv4, weir.UDP, 0, 128)).Frame(nil, 0, Signature{Sequence: 9})
	f = insert(f, 34, 1, 1, 1, 0) // no operation, end of list
	f[14]++
	binary.BigEndian.PutUint16(f[16:], binary.BigEndian.Uint16(f[16:])+4)
	if p, ok := Parse(f); !ok || !p.Intact || p.Signature.Sequence != 9 || p.Payload != 46 {
		t.Errorf("ok %v, %+v", ok, p)
	}
}

func TestParseExtensionHeaders(t *testing.T) {
	for n := range maxExtensions + 2 {
		f := newBuilder(t, traffic(weir.IPv6, weir.TCP, 1, 256)).Frame(nil, 0, Signature{Sequence: 9})
		for i := range n {
			kind := []byte{60, 43, 0}[i%3]
			f = insert(f, 58, f[24], byte(i&1), 1, 4, 0, 0, 0, 0)
			if i&1 == 1 {
				f = insert(f, 66, make([]byte, 8)...)
			}
			f[24] = kind
		}
		binary.BigEndian.PutUint16(f[22:], uint16(len(f)-58))
		p, ok := Parse(f)
		if ok != (n <= maxExtensions) || ok && (!p.Intact || p.Signature.Sequence != 9) {
			t.Errorf("%d extension headers: ok %v, %+v", n, ok, p)
		}
	}
}

// Octets behind the IP packet are padding: they neither damage a frame nor hide
// that it is damaged.
func TestParsePadding(t *testing.T) {
	f := newBuilder(t, traffic(weir.IPv4, weir.UDP, 0, 65)).Frame(nil, 0, Signature{})
	if p, ok := Parse(append(f, 0xde, 0xad, 0xbe)); !ok || !p.Intact {
		t.Errorf("ok %v, %+v", ok, p)
	}
}

// No single octet of the transport segment or of the addresses changes unseen,
// and what is cut is not intact.
func TestParseDamaged(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		b := newBuilder(t, traffic(family, weir.UDP, 0, 128))
		l := b.Template().Layout
		whole := b.Frame(nil, 0, Signature{Trial: 1, Sequence: 2, Time: 3})
		addresses := map[weir.Family]int{weir.IPv4: ipv4Source, weir.IPv6: ipv6Source}[family]
		for i := l.L3 + addresses; i < len(whole); i++ {
			f := slices.Clone(whole)
			f[i] ^= 0x10
			p, ok := Parse(f)
			if magic := i == l.Payload || i == l.Payload+1; ok == magic || ok && p.Intact {
				t.Errorf("%s, octet %d changed: ok %v, intact %v", family, i, ok, p.Intact)
			}
		}
		for n := range whole {
			p, ok := Parse(whole[:n])
			if ok != (n >= l.Payload+FullSignature) || p.Intact {
				t.Errorf("%s, cut to %d octets: ok %v, intact %v", family, n, ok, p.Intact)
			}
		}
	}
}

func TestParseNot(t *testing.T) {
	good := newBuilder(t, traffic(weir.IPv4, weir.UDP, 0, 128)).Frame(nil, 0, Signature{})
	for name, change := range map[string]func(f []byte){
		"ARP":            func(f []byte) { f[12], f[13] = 0x08, 0x06 },
		"ICMP":           func(f []byte) { f[23] = 1 },
		"first fragment": func(f []byte) { f[20] = 0x20 },
		"last fragment":  func(f []byte) { f[21] = 1 },
		"version":        func(f []byte) { f[14] = 0x65 },
		"short header":   func(f []byte) { f[14] = 0x44 },
		"TCP offset":     func(f []byte) { f[23] = 6; f[46] = 0x40 },
	} {
		f := slices.Clone(good)
		change(f)
		if p, ok := Parse(f); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			for tags := range 3 {
				tr := traffic(family, protocol, tags, SmallestSize(family, protocol, tags)+6*weir.Size(tags&1))
				f.Add(newBuilder(f, tr).Frame(nil, 0, Signature{Trial: 1, Stream: 2, Sequence: 3, Time: 4}))
			}
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := Parse(b)
		if !ok {
			if p != (Parsed{}) {
				t.Errorf("not ok, but %+v", p)
			}
			return
		}
		n := signatureSize(p.Short)
		if p.Payload+n > len(b) {
			t.Fatalf("signature at %d of %d octets", p.Payload, len(b))
		}
		again := make([]byte, n)
		PutSignature(again, p.Signature, p.Short)
		if !slices.Equal(again, b[p.Payload:p.Payload+n]) {
			t.Errorf("signature %x is read as %+v", b[p.Payload:p.Payload+n], p.Signature)
		}
		if !ofFamily(p.Flow.Source, p.Family) && !p.Flow.Source.Is4In6() {
			t.Errorf("%v in a frame of %s", p.Flow.Source, p.Family)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []weir.Size{64, 1518} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f := newBuilder(b, traffic(weir.IPv4, weir.UDP, 0, size)).Frame(nil, 0, Signature{})
			for b.Loop() {
				if _, ok := Parse(f); !ok {
					b.Fatal("not a test frame")
				}
			}
		})
	}
}
