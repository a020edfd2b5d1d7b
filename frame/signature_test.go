package frame

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSignatureOnTheWire(t *testing.T) {
	s := Signature{Trial: 0x22, Stream: 0x11, Sequence: 0xffff_3344_5566_7788, Time: 0x99aabbccddeeff01}
	full := make([]byte, FullSignature)
	PutSignature(full, s, false)
	if diff := cmp.Diff([]byte{'w', 'e', 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01}, full); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	short := make([]byte, ShortSignature)
	PutSignature(short, s, true)
	if diff := cmp.Diff([]byte{'w', 'i', 0x11, 0x22, 0x55, 0x66, 0x77, 0x88, 0xdd, 0xee, 0xff, 0x01}, short); diff != "" {
		t.Errorf("short (-want +got):\n%s", diff)
	}

	got, isShort, ok := GetSignature(full)
	if want := (Signature{0x22, 0x11, 0x3344_5566_7788, s.Time}); got != want || isShort || !ok {
		t.Errorf("full: %+v short %v ok %v, want %+v", got, isShort, ok, want)
	}
	got, isShort, ok = GetSignature(short)
	if want := (Signature{0x22, 0x11, 0x5566_7788, 0xddeeff01}); got != want || !isShort || !ok {
		t.Errorf("short: %+v short %v ok %v, want %+v", got, isShort, ok, want)
	}
}

func TestSignatureIsNot(t *testing.T) {
	full := make([]byte, FullSignature)
	PutSignature(full, Signature{}, false)
	for name, b := range map[string][]byte{
		"nothing":    nil,
		"cut":        full[:FullSignature-1],
		"very cut":   {'w', 'i', 0},
		"no magic":   make([]byte, FullSignature),
		"off by two": append([]byte{0, 0}, full...),
	} {
		if s, _, ok := GetSignature(b); ok {
			t.Errorf("%s: found %+v", name, s)
		}
	}
}

func TestExtend(t *testing.T) {
	for _, c := range []struct {
		expected uint64
		low      uint32
		want     uint64
	}{
		{0, 0, 0},
		{0, 5, 5},
		{10, 8, 8},
		{1<<32 - 1, 1, 1<<32 + 1},
		{1<<32 + 2, 0xffffffff, 1<<32 - 1},
		{7<<32 + 100, 90, 7<<32 + 90},
	} {
		if got := Extend(c.expected, c.low); got != c.want {
			t.Errorf("Extend(%#x, %#x) = %#x, want %#x", c.expected, c.low, got, c.want)
		}
	}
}
