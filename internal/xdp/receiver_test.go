//go:build linux

package xdp

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// feed runs the receiver's program on a frame, without a port. A test's frames
// are all seen by one CPU, as those of a queue are: duplicates and late frames
// are known within a CPU only.
func (r *Receiver) feed(t *testing.T, f []byte) uint32 {
	t.Helper()
	verdict, _ := r.run(t, f)
	return verdict
}

// run is feed, with the frame as the program leaves it.
func (r *Receiver) run(t *testing.T, f []byte) (verdict uint32, left []byte) {
	t.Helper()
	runtime.LockOSThread() // for as long as the test's goroutine is there
	cpus, err := netif.Affinity(0)
	if err == nil {
		err = netif.Pin(0, cpus[:1])
	}
	if err != nil {
		t.Fatal(err)
	}
	verdict, left, err = r.objects.Receive.Test(f)
	if err != nil {
		t.Fatal(err)
	}
	return verdict, left
}

func looseReceiver(t *testing.T, trial uint8) *Receiver { return looseReceiverOf(t, trial, false) }

func looseReceiverOf(t *testing.T, trial uint8, linear bool) *Receiver {
	t.Helper()
	r := &Receiver{}
	if err := r.load(ReceiverOptions{Verify: true}, linear); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.objects.Close() })
	reset(t, r, Expected{Trial: trial})
	return r
}

// Every combination of headers is recognised, checked and counted.
func TestReceiverKnowsFrames(t *testing.T) {
	testenv.NeedRoot(t)
	r := looseReceiver(t, 9)
	for _, tr := range traffics() {
		t.Run(tr.Name, func(t *testing.T) {
			reset(t, r, Expected{Trial: 9})
			b, began := builder(t, tr, tr.Forward), Now()
			const n = 30
			for i := range uint64(n) {
				f := b.Frame(nil, i, frame.Signature{Trial: 9, Stream: 4, Sequence: i, Time: uint64(Now())})
				if v := r.feed(t, f); v != verdictDrop {
					t.Fatalf("frame %d: verdict %d", i, v)
				}
			}
			damaged := b.Frame(nil, n, frame.Signature{Trial: 9, Stream: 4, Sequence: n, Time: uint64(Now())})
			damaged[len(damaged)-1] ^= 1
			r.feed(t, damaged)
			foreign := b.Frame(nil, n, frame.Signature{Trial: 8, Stream: 4, Sequence: n, Time: uint64(Now())})
			if v := r.feed(t, foreign); v != verdictDrop {
				t.Errorf("a frame of another trial: verdict %d", v)
			}
			seen, err := r.Seen()
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != 1 || seen[0].ID != 4 || seen[0].Received != n || seen[0].Corrupt != 1 || seen[0].Late+seen[0].Duplicate != 0 || seen[0].Lost() != 0 {
				t.Errorf("saw %+v", seen)
			}
			h, err := r.Latency()
			if err != nil {
				t.Fatal(err)
			}
			if h.N != n || h.Min == 0 || h.Max > uint64(Now()-began) {
				t.Errorf("latency of %d frames from %d to %d ns, within %v", h.N, h.Min, h.Max, Now()-began)
			}
			if _, others, _ := r.Others(); others != 1 {
				t.Errorf("%d frames of other trials, want 1", others)
			}
		})
	}
}

// A checksum that its sender left to the port is right where the link is virtual, and
// nowhere else; any other wrong one is wrong there too.
func TestReceiverKnowsChecksumsLeftToPorts(t *testing.T) {
	testenv.NeedRoot(t)
	for _, virtual := range []bool{false, true} {
		r := &Receiver{}
		if err := r.load(ReceiverOptions{Verify: true, Offloaded: virtual}, false); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.objects.Close() })
		for _, tr := range traffics() {
			t.Run(fmt.Sprintf("%s, virtual %v", tr.Name, virtual), func(t *testing.T) {
				reset(t, r, Expected{Trial: 9})
				b := builder(t, tr, tr.Forward)
				for i := range uint64(3) {
					f := b.Frame(nil, i, frame.Signature{Trial: 9, Sequence: i, Time: i}) // not now: the right sum would now and then be that of the pseudo header
					packet := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.Default)
					segment := slices.Concat(packet.TransportLayer().LayerContents(), packet.TransportLayer().LayerPayload())
					at := len(f) - len(segment) // of the L4 header
					check := at + map[weir.Protocol]int{weir.UDP: 6, weir.TCP: 16}[tr.Protocol]
					binary.BigEndian.PutUint16(f[check:], pseudoHeaderSum(t, packet.NetworkLayer().NetworkFlow(), tr.Protocol, len(segment))+uint16(i/2))
					r.feed(t, f)
				}
				seen, err := r.Seen()
				if err != nil {
					t.Fatal(err)
				}
				want := Stream{Received: 0, Corrupt: 3}
				if virtual {
					want = Stream{Received: 2, Corrupt: 1} // the last one is one more
				}
				if len(seen) != 1 || seen[0].Received != want.Received || seen[0].Corrupt != want.Corrupt {
					t.Errorf("saw %+v, want %+v", seen, want)
				}
			})
		}
	}
}

// pseudoHeaderSum is the sum of a pseudo header (RFC 9293 section 3.1, RFC 8200 section 8.1).
func pseudoHeaderSum(t *testing.T, flow gopacket.Flow, protocol weir.Protocol, length int) uint16 {
	t.Helper()
	sum := length + map[weir.Protocol]int{weir.UDP: 17, weir.TCP: 6}[protocol]
	for _, address := range [][]byte{flow.Src().Raw(), flow.Dst().Raw()} {
		for i := 0; i < len(address); i += 2 {
			sum += int(binary.BigEndian.Uint16(address[i:]))
		}
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}

// Of frames that are seldom verified one in 16 is, and the first.
func TestReceiverVerifiesSeldom(t *testing.T) {
	testenv.NeedRoot(t)
	tr := traffics()[0]
	b := builder(t, tr, tr.Forward)
	r := &Receiver{}
	if err := r.load(ReceiverOptions{Verify: true, Seldom: true}, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.objects.Close() })
	reset(t, r, Expected{})
	damaged := func(i uint64) []byte {
		f := b.Frame(nil, i, frame.Signature{Sequence: i, Time: uint64(Now())})
		f[len(f)-1] ^= 1
		return f
	}
	r.feed(t, damaged(0))
	for i := range uint64(seldom) {
		r.feed(t, b.Frame(nil, i, frame.Signature{Sequence: i, Time: uint64(Now())}))
	}
	r.feed(t, damaged(seldom))
	r.feed(t, b.Frame(nil, seldom, frame.Signature{Sequence: seldom, Time: uint64(Now())}))
	r.feed(t, damaged(seldom+1))
	seen, err := r.Seen()
	if err != nil || len(seen) != 1 || seen[0].Corrupt != 2 || seen[0].Received != seldom+2 {
		t.Errorf("saw %+v, %v", seen, err)
	}
}

// Frames of several pages are verified to their last octet.
func TestReceiverKnowsJumboFrames(t *testing.T) {
	testenv.NeedRoot(t)
	for _, size := range []weir.Size{3500, 4096, 9018, 9216, 16000} {
		tr := traffics()[0]
		tr.Sizes = []weir.Size{size}
		r, b := looseReceiver(t, 1), builder(t, tr, tr.Forward)
		whole := b.Frame(nil, 0, frame.Signature{Trial: 1, Sequence: 0, Time: uint64(Now())})
		damaged := b.Frame(nil, 1, frame.Signature{Trial: 1, Sequence: 1, Time: uint64(Now())})
		damaged[len(damaged)-1] ^= 1
		for _, f := range [][]byte{whole, damaged} {
			if v := r.feed(t, f); v != verdictDrop {
				t.Fatalf("size %d: verdict %d", size, v)
			}
		}
		seen, err := r.Seen()
		if err != nil || len(seen) != 1 {
			t.Fatalf("size %d: saw %v, %v", size, seen, err)
		}
		if s := seen[0]; s.Received != 1 || s.Corrupt != 1 || s.Octets != uint64(size)-frame.FCS {
			t.Errorf("size %d: saw %+v", size, s)
		}
	}
}

// The program for kernels without fragments knows the same frames. It checks
// no checksum.
func TestLinearReceiver(t *testing.T) {
	testenv.NeedRoot(t)
	r := looseReceiverOf(t, 1, true)
	for _, tr := range traffics() {
		reset(t, r, Expected{Trial: 1})
		b := builder(t, tr, tr.Forward)
		octets := uint64(0)
		for i := range uint64(3) {
			f := b.Frame(nil, i, frame.Signature{Trial: 1, Sequence: i, Time: uint64(Now())})
			octets += uint64(len(f))
			r.feed(t, f)
		}
		seen, err := r.Seen()
		if err != nil || len(seen) != 1 {
			t.Fatalf("%s: saw %v, %v", tr.Name, seen, err)
		}
		if s := seen[0]; s.Received != 3 || s.Octets != octets || s.Next != 3 {
			t.Errorf("%s: saw %+v", tr.Name, s)
		}
	}
}

func TestReceiverFollowsSequences(t *testing.T) {
	testenv.NeedRoot(t)
	r := looseReceiver(t, 0)
	for _, c := range []struct {
		name string
		in   []uint64
		want Stream
	}{
		{"in order", []uint64{0, 1, 2, 3}, Stream{Received: 4, Next: 4}},
		{"a gap", []uint64{0, 1, 5}, Stream{Received: 3, Next: 6}},
		{"a duplicate", []uint64{0, 1, 1, 2}, Stream{Received: 3, Duplicate: 1, Next: 3}},
		{"late", []uint64{0, 2, 1, 3}, Stream{Received: 4, Late: 1, Next: 4}},
		{"late and twice", []uint64{0, 2, 1, 1, 3}, Stream{Received: 4, Late: 1, Duplicate: 1, Next: 4}},
		{"later than the window", []uint64{0, 10000, 1}, Stream{Received: 3, Late: 1, Next: 10001}},
		{"beginning in the middle", []uint64{1000, 1001, 999}, Stream{Received: 3, Late: 1, Lowest: 999, Next: 1002}},
		{"beyond 32 bits", []uint64{1<<32 - 1, 1 << 32, 1<<32 + 1}, Stream{Received: 3, Lowest: 1<<32 - 1, Next: 1<<32 + 2}},
	} {
		for _, size := range []weir.Size{64, 60 + 20} { // the TCP frame has a short signature
			tr := traffics()[0]
			tr.Sizes = []weir.Size{size}
			if size != 64 {
				tr.Protocol = weir.TCP
				tr.Sizes[0] = frame.SmallestSize(weir.IPv4, weir.TCP, 0)
			}
			t.Run(c.name, func(t *testing.T) {
				reset(t, r, Expected{})
				b := builder(t, tr, tr.Forward)
				octets := uint64(0)
				for _, s := range c.in {
					f := b.Frame(nil, 0, frame.Signature{Trial: 1, Sequence: s, Time: uint64(Now())})
					octets += uint64(len(f))
					r.feed(t, f)
				}
				seen, err := r.Seen()
				if err != nil || len(seen) != 1 {
					t.Fatalf("saw %v, %v", seen, err)
				}
				got := seen[0]
				got.First, got.Last = 0, 0
				c.want.Octets, c.want.Trial = octets, 1
				if d := cmp.Diff(c.want, got); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// The program's buckets are those of weir.Histogram.
func TestReceiverHistogram(t *testing.T) {
	testenv.NeedRoot(t)
	r, b := looseReceiver(t, 0), builder(t, traffics()[0], traffics()[0].Forward)
	for _, delay := range []uint64{1, 1e3, 1e6, 1e9, 1e10, 1e12} {
		reset(t, r, Expected{})
		sent := uint64(Now())
		if delay > sent {
			t.Logf("the machine is up for less than %d ns", delay)
			continue
		}
		r.feed(t, b.Frame(nil, 0, frame.Signature{Trial: 1, Time: sent - delay}))
		h, err := r.Latency()
		if err != nil {
			t.Fatal(err)
		}
		if h.Min != h.Max || h.N != 1 || h.Min < delay || h.Counts[weir.HistogramBucket(h.Min)] != 1 {
			t.Errorf("delay %d: %+v, want it in bucket %d", delay, h, weir.HistogramBucket(h.Min))
		}
	}
}

func TestReceiverPassesOthers(t *testing.T) {
	testenv.NeedRoot(t)
	r := looseReceiver(t, 0)
	arp := make([]byte, 60)
	arp[12], arp[13] = 8, 6
	plain := builder(t, traffics()[0], traffics()[0].Forward).Frame(nil, 0, frame.Signature{})
	plain[42] = 0 // no longer our magic number
	for _, f := range [][]byte{arp, plain, make([]byte, 14)} {
		if v := r.feed(t, f); v != verdictPass {
			t.Errorf("verdict %d for %x", v, f)
		}
	}
	if passed, _, err := r.Others(); err != nil || passed != 3 {
		t.Errorf("%d frames passed, %v", passed, err)
	}
}

// One send after the other begins with the same sequence: their frames are no
// duplicates, and what each has lost is known. Of more streams than there is room for
// it is said how many frames they had.
func TestReceiverTellsSendsApart(t *testing.T) {
	testenv.NeedRoot(t)
	r, b := looseReceiver(t, 0), builder(t, traffics()[0], traffics()[0].Forward)
	feed := func(trial, stream uint8, sequence uint64) {
		r.feed(t, b.Frame(nil, sequence, frame.Signature{Trial: trial, Stream: stream, Sequence: sequence, Time: uint64(Now())}))
	}
	for _, trial := range []uint8{3, 255, 1} {
		for _, sequence := range []uint64{0, 1, 2, uint64(trial), uint64(trial)} { // what is between them did not come
			feed(trial, Streams-1, sequence)
		}
	}
	seen, err := r.Seen()
	if err != nil {
		t.Fatal(err)
	}
	want := []Stream{{Trial: 3, Received: 4, Next: 4, Duplicate: 1}, {Trial: 255, Received: 4, Next: 256, Duplicate: 1},
		{Trial: 1, Received: 3, Next: 3, Duplicate: 2}}
	for i := range seen {
		if seen[i].ID != Streams-1 {
			t.Errorf("stream %d", seen[i].ID)
		}
		seen[i].ID, seen[i].Octets, seen[i].First, seen[i].Last, seen[i].Late = 0, 0, 0, 0, 0
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	for stream := range uint8(Streams - 2) {
		feed(9, stream, 0)
	}
	if seen, err = r.Seen(); err != nil || len(seen) != Streams {
		t.Errorf("%d streams, %v", len(seen), err)
	}
	if _, untold, err := r.Others(); err != nil || untold != 1 {
		t.Errorf("%d frames had no place, %v", untold, err)
	}
}

// Resetting forgets everything.
func TestReceiverReset(t *testing.T) {
	testenv.NeedRoot(t)
	r := looseReceiver(t, 0)
	b := builder(t, traffics()[0], traffics()[0].Forward)
	r.feed(t, b.Frame(nil, 0, frame.Signature{Sequence: 5, Time: uint64(Now())}))
	if err := r.Reset(Expected{Trial: 2}); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Count(); n != 0 || err != nil {
		t.Errorf("%d frames after the reset, %v", n, err)
	}
	if h, _ := r.Latency(); h.N != 0 {
		t.Errorf("%d latencies after the reset", h.N)
	}
	r.feed(t, b.Frame(nil, 0, frame.Signature{Trial: 2, Sequence: 5, Time: uint64(Now())}))
	if seen, _ := r.Seen(); len(seen) != 1 || seen[0].Received != 1 || seen[0].Duplicate != 0 {
		t.Errorf("after the reset %+v", seen)
	}
}

// A receiver that is changed to what it was before has the program of then, and counts
// anew; so has the next one with the same options.
func TestReceiverChanges(t *testing.T) {
	testenv.NeedRoot(t)
	idle.all = nil
	tr := traffics()[0]
	b := builder(t, tr, tr.Forward)
	programs := map[ReceiverOptions]*ebpf.Program{}
	for round := range 2 {
		r, err := NewReceiver(1, ReceiverOptions{Windows: 9}) // the loopback interface of the sandbox
		if err != nil {
			t.Fatal(err)
		}
		for windows := range 3 {
			o := ReceiverOptions{Verify: true, Windows: windows}
			if err := r.Change(o); err != nil {
				t.Fatal(err)
			}
			if r.Options() != o || round > 0 && programs[o] != r.objects.Receive {
				t.Errorf("round %d: %+v has another program", round, o)
			}
			programs[o] = r.objects.Receive
			reset(t, r, Expected{Trial: 9})
			r.feed(t, b.Frame(nil, 0, frame.Signature{Trial: 9, Stream: 4, Time: uint64(Now())}))
			seen, err := r.Seen()
			if err != nil || len(seen) != 1 || seen[0].Received != 1 || seen[0].Duplicate != 0 {
				t.Errorf("round %d: %+v has counted %+v (%v)", round, o, seen, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(idle.all) != 4 {
		t.Errorf("%d programs are idle, want one for each of the options", len(idle.all))
	}
}

// Of programs that nobody uses so many are kept and no more, the newest.
func TestIdlePrograms(t *testing.T) {
	var some idlePrograms
	for windows := range mostIdle + 2 {
		if err := some.put(program{options: ReceiverOptions{Windows: windows}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := some.take(ReceiverOptions{Windows: 1}, false); found || len(some.all) != mostIdle {
		t.Errorf("%d are kept, want %d, and not the oldest", len(some.all), mostIdle)
	}
	if _, found := some.take(ReceiverOptions{Windows: 2}, true); found {
		t.Error("one for other frames was found")
	}
	if _, found := some.take(ReceiverOptions{Windows: 2}, false); !found || len(some.all) != mostIdle-1 {
		t.Errorf("it was not found, or is still there: %d", len(some.all))
	}
}
