//go:build linux

package xdp

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

const (
	verdictDrop     = 1
	verdictPass     = 2
	verdictRedirect = 4
)

// forever is a time that no test reaches.
const forever = 1 << 62

// traffic is every combination of headers that the generator can send.
func traffics() []weir.Traffic {
	var all []weir.Traffic
	vlans := []weir.VLAN{{TPID: 0x88a8, ID: 100, PCP: 5}, {TPID: 0x8100, ID: 4094}}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			for tags := range 3 {
				small := frame.SmallestSize(family, protocol, tags)
				for _, of := range []struct {
					sizes []weir.Size
					flows int
				}{
					{[]weir.Size{max(small, 64)}, 1}, {[]weir.Size{128}, 1}, {[]weir.Size{128}, 3},
					{[]weir.Size{small + 5, 1518, 594}, 1}, {[]weir.Size{small + 5, 1518, 594}, 5},
				} {
					t := weir.Traffic{Sizes: of.sizes, Family: family, Protocol: protocol, VLANs: vlans[:tags], Flows: of.flows, Seed: 7}
					t.Sizes[0] = max(t.Sizes[0], 64)
					t.Forward, t.Reverse = frame.DefaultStreams(family)
					t.Name = fmt.Sprintf("%s %s %d tags %v %d flows", family, protocol, tags, of.sizes, of.flows)
					all = append(all, t)
				}
			}
		}
	}
	return all
}

func builder(t testing.TB, tr weir.Traffic, s weir.Stream) *frame.Builder {
	t.Helper()
	b, err := frame.NewBuilder(tr, s, net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The program's frames are those of the reference builder, to the octet, for
// every combination of headers and in both directions, whatever was left in
// the page before.
func TestGeneratorBuildsFrames(t *testing.T) {
	testenv.NeedRoot(t)
	for _, tr := range traffics() {
		for _, bidirectional := range []bool{false, true} {
			t.Run(fmt.Sprint(tr.Name, " both ", bidirectional), func(t *testing.T) {
				t.Parallel()
				streams := []weir.Stream{tr.Forward}
				if bidirectional {
					streams = append(streams, tr.Reverse)
				}
				var sides []Side
				for _, s := range streams {
					sides = append(sides, Side{Frames: builder(t, tr, s), Port: 1})
				}
				checkGenerator(t, sides)
			})
		}
	}
}

func checkGenerator(t *testing.T, sides []Side) {
	g, err := NewGenerator(sides, GeneratorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	everything := schedule{end: forever, count: math.MaxUint64, until: uint32(len(sides))}
	if err := g.put(Now(), 3, []schedule{everything}); err != nil {
		t.Fatal(err)
	}
	for i := range sides {
		g.sides[i].Stream = uint8(10 + i)
	}
	if err := g.objects.Templates.Set(g.sides); err != nil {
		t.Fatal(err)
	}
	const first = 0xabcd_1234_5678 // more than 32 bits
	if err := g.objects.Progress.Set(generatorProgress{Sequence: [MaxSides]uint64{first, first}}); err != nil {
		t.Fatal(err)
	}
	page := g.initial
	headers := sides[0].Frames.Kinds()[0].SignatureEnd() // of any side: pages go from one to the other
	for n := range 40 {
		side := n % len(sides)
		i := uint64(n / len(sides))
		dirty := bytes.Clone(page)
		for k := range headers {
			dirty[k] ^= 0xa5
		}
		verdict, out, err := g.objects.Generate.Test(dirty)
		if err != nil {
			t.Fatal(err)
		}
		if verdict != verdictRedirect {
			t.Fatalf("frame %d: verdict %d", n, verdict)
		}
		layout := sides[side].Frames.Template().Layout
		short := layout.Short
		sig, gotShort, ok := frame.GetSignature(out[layout.Payload:])
		if !ok || gotShort != short {
			t.Fatalf("frame %d: no signature, or of the wrong form", n)
		}
		wantSequence := uint64(first + i)
		if short {
			wantSequence &= math.MaxUint32
		}
		if sig.Sequence != wantSequence || sig.Stream != uint8(10+side) || sig.Trial != 3 {
			t.Fatalf("frame %d: signature %+v, want sequence %d of stream %d", n, sig, wantSequence, 10+side)
		}
		if want := sides[side].Frames.Frame(nil, i, sig); !bytes.Equal(out, want) {
			t.Fatalf("frame %d differs\n got %x\nwant %x", n, out, want)
		}
	}
}

func TestGeneratorKeepsToItsOrder(t *testing.T) {
	testenv.NeedRoot(t)
	tr := traffics()[0]
	for _, c := range []struct {
		name    string
		paced   bool
		start   time.Duration
		window  schedule
		verdict uint32
		frames  uint64
		done    uint8
	}{
		{"before the start", false, forever, schedule{end: forever, count: 5}, verdictDrop, 0, 0},
		{"after the end", false, Now(), schedule{count: 5}, verdictDrop, 0, 1},
		{"all sent", false, Now(), schedule{end: forever}, verdictDrop, 0, 1},
		{"due", false, Now(), schedule{end: forever, count: 5}, verdictRedirect, 1, 0},
		{"paced and due", true, Now(), schedule{end: forever, count: 5, burst: 1, period: 1000, quick: 900}, verdictRedirect, 1, 0},
		{"not yet due", true, Now(), schedule{first: forever, end: forever, count: 5, burst: 1, period: 1000, quick: 900}, verdictDrop, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := NewGenerator([]Side{{Frames: builder(t, tr, tr.Forward), Port: 1}}, GeneratorOptions{Paced: c.paced})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			c.window.until = 1
			if err := g.put(c.start, 0, []schedule{c.window}); err != nil {
				t.Fatal(err)
			}
			verdict, _, err := g.objects.Generate.Test(g.initial)
			if err != nil {
				t.Fatal(err)
			}
			var p generatorProgress
			if err := g.objects.Progress.Get(&p); err != nil {
				t.Fatal(err)
			}
			if verdict != c.verdict || p.Sequence[0] != c.frames || p.Done != c.done {
				t.Errorf("verdict %d, %d frames, done %d; want %d, %d, %d", verdict, p.Sequence[0], p.Done, c.verdict, c.frames, c.done)
			}
		})
	}
}

// After a stall the frames that are due do not leave in one burst.
func TestGeneratorDoesNotCatchUpInABurst(t *testing.T) {
	testenv.NeedRoot(t)
	tr := traffics()[0]
	g, err := NewGenerator([]Side{{Frames: builder(t, tr, tr.Forward), Port: 1}}, GeneratorOptions{Paced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	// A schedule of 10 frames/s that is 1000 frames behind.
	const period = uint64(100e6)
	now := uint64(Now())
	late := schedule{first: now - 1000*period, end: forever, count: math.MaxUint64, burst: 1, period: period, quick: period, ahead: 4 * period, until: 1}
	if err := g.put(time.Duration(now), 0, []schedule{late}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.objects.Generate.Run(&ebpf.RunOptions{Data: g.initial, Repeat: 5000}); err != nil {
		t.Fatal(err)
	}
	var p generatorProgress
	if err := g.objects.Progress.Get(&p); err != nil {
		t.Fatal(err)
	}
	most := 5 + (uint64(Now())-now)/period // with those that came due meanwhile: none, but on a machine that stood still
	if p.Sequence[0] < 5 || p.Sequence[0] > most {
		t.Errorf("%d frames left at once, want the burst of 5", p.Sequence[0])
	}
	if p.Stalls < 5 || p.Stalls > most || p.Longest < 990*period {
		t.Errorf("%d stalls, longest %d ns; want 5 of about %d", p.Stalls, p.Longest, 1000*period)
	}
}

func TestGeneratorRefusesFramesThatAreTooLarge(t *testing.T) {
	testenv.NeedRoot(t)
	tr := traffics()[0]
	tr.Sizes = []weir.Size{9018}
	if _, err := NewGenerator([]Side{{Frames: builder(t, tr, tr.Forward), Port: 1}}, GeneratorOptions{Paced: true}); err == nil {
		t.Error("frames of 9018 octets were accepted")
	}
}
