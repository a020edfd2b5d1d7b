package frame

import (
	"bytes"
	"fmt"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

var (
	here  = net.HardwareAddr{2, 0, 0, 0, 0, 1}
	there = net.HardwareAddr{2, 0, 0, 0, 0, 2}
)

func newBuilder(t testing.TB, tr weir.Traffic) *Builder {
	t.Helper()
	b, err := NewBuilder(tr, tr.Forward, here, there)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every combination of headers and several sizes and flows, odd lengths among
// them, as an independent decoder sees them.
func TestFrame(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			for tags := range 3 {
				smallest := SmallestSize(family, protocol, tags)
				for _, sizes := range [][]weir.Size{
					{smallest}, {smallest + 5}, {smallest + 6}, {smallest + 7},
					{128, 1518, 129, 594, 1517}, {1518, smallest, 512, 127}, {9000},
				} {
					tr := traffic(family, protocol, tags, sizes...)
					tr.Flows = 7
					tr.Forward.Destination.Count, tr.Forward.Destination.Order = 5, weir.Increment
					t.Run(fmt.Sprint(family, protocol, tags, sizes), func(t *testing.T) { checkFrames(t, tr) })
				}
			}
		}
	}
}

func checkFrames(t *testing.T, tr weir.Traffic) {
	b := newBuilder(t, tr)
	flows, err := Flows(tr, tr.Forward)
	if err != nil {
		t.Fatal(err)
	}
	short := b.Template().Layout.Short
	for i := range uint64(len(tr.Sizes) * len(flows)) {
		size := tr.Sizes[i%uint64(len(tr.Sizes))]
		sig := Signature{Trial: 200, Stream: uint8(i), Sequence: 0xfedc_ba98_7654 + i, Time: 0xf123_4567_89ab_cdef * (i + 1)}
		f := b.Frame(nil, i, sig)
		if len(f) != int(size)-FCS {
			t.Fatalf("frame %d has %d octets, want %d less the FCS", i, len(f), size)
		}
		checkDecoded(t, tr, f)
		want := Parsed{
			Signature: sig, Short: short, Family: tr.Family, Protocol: tr.Protocol,
			Flow: flows[i%uint64(len(flows))], Payload: b.Template().Layout.Payload, Intact: true,
		}
		if short {
			want.Signature.Sequence &= 0xffffffff
			want.Signature.Time &= 0xffffffff
		}
		got, ok := Parse(f)
		if diff := cmp.Diff(want, got, addresses); !ok || diff != "" {
			t.Fatalf("frame %d: ok %v (-want +got):\n%s", i, ok, diff)
		}
	}
}

// A checksum that comes to 0 is sent as 0xffff with UDP, as it is with TCP.
func TestChecksumOfZero(t *testing.T) {
	for protocol, want := range map[weir.Protocol]uint16{weir.UDP: 0xffff, weir.TCP: 0} {
		b := newBuilder(t, traffic(weir.IPv4, protocol, 0, 128))
		at := b.Template().Layout.L4 + map[weir.Protocol]int{weir.UDP: udpChecksum, weir.TCP: tcpChecksum}[protocol]
		checksum := func(time uint64) uint16 {
			f := b.Frame(nil, 0, Signature{Time: time})
			if p, ok := Parse(f); !ok || !p.Intact {
				t.Errorf("%s: %+v", protocol, p)
			}
			return uint16(f[at])<<8 | uint16(f[at+1])
		}
		if got := checksum(uint64(checksum(0))); got != want {
			t.Errorf("%s: checksum %#04x, want %#04x", protocol, got, want)
		}
	}
}

// Another implementation finishes frames from the initial one and the entries;
// all it needs must be in them.
func TestInitial(t *testing.T) {
	tr := traffic(weir.IPv6, weir.UDP, 1, 128, 1518, 512)
	b := newBuilder(t, tr)
	initial, l := b.Initial(), b.Template().Layout
	if len(initial) != 1518-FCS {
		t.Errorf("%d octets, want those of the largest size", len(initial))
	}
	if !bytes.Equal(initial[:l.Payload], b.Template().Headers) {
		t.Error("it does not begin with the template's headers")
	}
	for i, size := range tr.Sizes {
		f := b.Frame(nil, uint64(i), Signature{})
		filler := l.Payload + FullSignature
		if !bytes.Equal(f[filler:], initial[filler:len(f)]) {
			t.Errorf("size %d: the filler is not that of the initial frame", size)
		}
	}
	initial[0] = 0xaa
	if b.Initial()[0] == 0xaa {
		t.Error("a caller can change it")
	}
}

func TestFrameReusesItsBuffer(t *testing.T) {
	b := newBuilder(t, traffic(weir.IPv4, weir.UDP, 0, 64, 1518))
	buffer := make([]byte, 0, 1514)
	i := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		buffer = b.Frame(buffer, i, Signature{Sequence: i})
		i++
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestNewBuilderRefuses(t *testing.T) {
	tr := traffic(weir.IPv4, weir.UDP, 0, 64)
	if _, err := NewBuilder(tr, tr.Forward, here, nil); err == nil {
		t.Error("no destination is accepted")
	}
	if _, err := NewBuilder(weir.Traffic{}, tr.Forward, here, there); err == nil {
		t.Error("empty traffic is accepted")
	}
	if _, err := NewBuilder(tr, weir.Stream{}, here, there); err == nil {
		t.Error("an empty stream is accepted")
	}
}

func TestPayload(t *testing.T) {
	long := Payload(1, 1500)
	for seed := range uint64(600) {
		if p := Payload(seed, 1); p[0] == 0 || p[0] == 0xff {
			t.Errorf("seed %d: one octet of %#x", seed, p[0])
		}
	}
	for n := range 1500 {
		if !bytes.HasPrefix(long, Payload(1, n)) || len(Payload(1, n)) != n {
			t.Fatalf("%d octets are not the first of more", n)
		}
	}
	if bytes.Equal(long, Payload(2, 1500)) {
		t.Error("another seed gives the same octets")
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, size := range []weir.Size{64, 1518} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			builder := newBuilder(b, traffic(weir.IPv4, weir.UDP, 0, size))
			buffer := make([]byte, 0, size)
			i := uint64(0)
			for b.Loop() {
				buffer = builder.Frame(buffer, i, Signature{Sequence: i, Time: i})
				i++
			}
		})
	}
}
