//go:build linux

package xdp

import (
	"bytes"
	"math"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

// captureOf writes frames to a pcap file.
func captureOf(t *testing.T, frames ...[]byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some.pcap")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := pcapgo.NewWriter(f)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(frame), Length: len(frame)}, frame); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// replay is a traffic of a capture with frames of every kind in it.
func replay(t *testing.T) weir.Traffic {
	t.Helper()
	var frames [][]byte
	for _, tr := range traffics() {
		b := builder(t, tr, tr.Forward)
		for i := range uint64(len(tr.Sizes)) {
			frames = append(frames, b.Frame(nil, i, frame.Signature{}))
		}
	}
	c, err := frame.ReadCapture(captureOf(t, frames...))
	if err != nil {
		t.Fatal(err)
	}
	if c.Frames() < len(frames)/2 {
		t.Fatalf("%d of %d frames can be sent: %v", c.Frames(), len(frames), c.Left)
	}
	return weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay(), Seed: 3}
}

// assortments are traffics of frames that differ in more than size and flow.
func assortments(t *testing.T) map[string]weir.Traffic {
	t.Helper()
	of := func(family weir.Family, change func(*weir.Traffic)) weir.Traffic {
		tr := weir.Traffic{Sizes: []weir.Size{160, 1518, 594}, Family: family, Protocol: weir.UDP, Flows: 5, Seed: 7}
		tr.Forward, tr.Reverse = frame.DefaultStreams(family)
		change(&tr)
		return tr
	}
	blend := func(other weir.Family, share float64) *weir.Blend {
		b := &weir.Blend{Share: share}
		b.Forward, b.Reverse = frame.DefaultStreams(other)
		return b
	}
	chain := []weir.Extension{weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader, weir.DestinationOptions}
	replayed := replay(t)
	noisy := replayed
	noisy.Broadcast = 0.25
	return map[string]weir.Traffic{
		"blend":      of(weir.IPv4, func(t *weir.Traffic) { t.Blend = blend(weir.IPv6, 0.1) }),
		"other way":  of(weir.IPv6, func(t *weir.Traffic) { t.Blend = blend(weir.IPv4, 0.5); t.Protocol = weir.TCP }),
		"extensions": of(weir.IPv6, func(t *weir.Traffic) { t.Extensions, t.Extended = chain, 0.5 }),
		"all have":   of(weir.IPv6, func(t *weir.Traffic) { t.Extensions, t.Extended = chain[2:], 1; t.Pairs = 2 }),
		"broadcast":  of(weir.IPv4, func(t *weir.Traffic) { t.Broadcast = 0.1 }),
		"small":      of(weir.IPv6, func(t *weir.Traffic) { t.Sizes, t.Broadcast, t.Blend = []weir.Size{78}, 0.5, blend(weir.IPv4, 0.5) }),
		"pairs":      of(weir.IPv4, func(t *weir.Traffic) { t.Pairs = 8 }),
		"all at once": of(weir.IPv4, func(t *weir.Traffic) {
			t.VLANs = []weir.VLAN{{TPID: 0x88a8, ID: 100, PCP: 5}, {TPID: 0x8100, ID: 4094}}
			t.Blend, t.Extensions, t.Extended, t.Broadcast, t.Pairs = blend(weir.IPv6, 0.5), chain[1:], 0.3, 0.03, 3
		}),
		"replay":       replayed,
		"noisy replay": noisy,
	}
}

// assortedSides are the sides of a traffic, as many as one thread can send
// through.
func assortedSides(t *testing.T, tr weir.Traffic) []Side {
	t.Helper()
	var sides []Side
	for port := range min(2*max(tr.Pairs, 1), MaxSides) {
		b, err := frame.NewPortBuilder(tr, port, net.HardwareAddr{2, 0, 0, 0, 1, byte(port)}, net.HardwareAddr{2, 0, 0, 0, 2, byte(port)})
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, Side{Frames: b, Port: 1})
	}
	return sides
}

// The program's frames are those of the reference builder, to the octet, for
// every kind of frame, in their order, with the broadcast frames between them,
// whatever frames of other kinds and a router have left in the page.
func TestAssortedBuildsFrames(t *testing.T) {
	testenv.NeedRoot(t)
	for name, tr := range assortments(t) {
		t.Run(name, func(t *testing.T) { checkAssorted(t, assortedSides(t, tr)) })
	}
}

func checkAssorted(t *testing.T, sides []Side) {
	g, err := NewAssorted(sides, GeneratorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var o Order
	for i := range sides {
		o.Streams[i] = uint8(10 + i)
	}
	if err := g.begin(o); err != nil {
		t.Fatal(err)
	}
	everything := schedule{end: forever, count: math.MaxUint64, until: uint32(len(sides))}
	if err := g.put(Now(), 3, []schedule{everything}); err != nil {
		t.Fatal(err)
	}
	page := bytes.Clone(g.initial)
	reach := len(sides[0].Frames.Kinds()[0].Octets)
	build := func(what string, i uint64) []byte {
		t.Helper()
		for k := range min(reach, len(page)) {
			page[k] ^= 0xa5
		}
		verdict, out, err := g.objects.Assort.Test(page)
		if err != nil {
			t.Fatal(err)
		}
		if verdict != verdictRedirect {
			t.Fatalf("%s %d: verdict %d", what, i, verdict)
		}
		copy(page, out)
		return out
	}
	for i := range uint64(60) {
		for side, s := range sides {
			got := build("frame", i)
			p, ok := frame.Parse(got)
			if !ok || !p.Intact {
				t.Fatalf("frame %d of side %d is not a test frame: ok %v, %x", i, side, ok, got)
			}
			if p.Signature.Sequence != i || p.Signature.Stream != uint8(10+side) || p.Signature.Trial != 3 {
				t.Fatalf("frame %d of side %d: signature %+v", i, side, p.Signature)
			}
			if want := s.Frames.Frame(nil, i, p.Signature); !bytes.Equal(got, want) {
				t.Fatalf("frame %d of side %d differs\n got %x\nwant %x", i, side, got, want)
			}
			for k := s.Frames.Broadcasts(i); k < s.Frames.Broadcasts(i+1); k++ {
				if got, want := build("broadcast frame", k), s.Frames.BroadcastFrame(nil, k); !bytes.Equal(got, want) {
					t.Fatalf("broadcast frame %d of side %d differs\n got %x\nwant %x", k, side, got, want)
				}
			}
		}
	}
	var next assortedNext
	if err := g.objects.Next.Get(&next); err != nil {
		t.Fatal(err)
	}
	for side, s := range sides {
		if want := s.Frames.Broadcasts(60); next.Broadcasts[side] != want {
			t.Errorf("side %d counts %d broadcast frames, want %d", side, next.Broadcasts[side], want)
		}
	}
}

// Thousands of sizes fit into both programs.
func TestManySizes(t *testing.T) {
	testenv.NeedRoot(t)
	sizes, err := frame.RandomSizes(350, 550, 4000, 1)
	if err != nil {
		t.Fatal(err)
	}
	tr := traffics()[0]
	tr.Sizes = sizes
	checkGenerator(t, []Side{{Frames: builder(t, tr, tr.Forward), Port: 1}})
	tr.Broadcast = 0.01
	checkAssorted(t, assortedSides(t, tr))
}

func TestAssortedRefuses(t *testing.T) {
	testenv.NeedRoot(t)
	tr := traffics()[0]
	tr.Sizes, tr.Broadcast = []weir.Size{9018}, 0.01
	if _, err := NewAssorted([]Side{{Frames: builder(t, tr, tr.Forward), Port: 1}}, GeneratorOptions{}); err == nil {
		t.Error("frames of 9018 octets were accepted")
	}
	tr = traffics()[0]
	b := builder(t, tr, tr.Forward)
	many := make([]Side, MaxSides+1)
	for i := range many {
		many[i] = Side{Frames: b, Port: 1}
	}
	if _, err := NewAssorted(many, GeneratorOptions{}); err == nil {
		t.Errorf("%d ports were accepted", len(many))
	}
}

func TestReplayedFramesFit(t *testing.T) {
	if frame.MaxReplaySize > MaxFrame {
		t.Errorf("frames of %d octets are replayed, and live frames carry %d", frame.MaxReplaySize, MaxFrame)
	}
}
