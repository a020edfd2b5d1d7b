package tester

import (
	"net"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
	"weir/internal/xdp"
)

// pair is a side that sends to a socket of this process in place of a port.
func pair(t *testing.T, sizes ...weir.Size) (*packetSide, *far) {
	t.Helper()
	tr := traffic(func(t *weir.Traffic) { t.Sizes = sizes })
	b, err := frame.NewBuilder(tr, tr.Forward, make(net.HardwareAddr, 6), make(net.HardwareAddr, 6))
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &far{socket: fds[1], buffer: make([]byte, 10000), payload: b.Template().Layout.Payload}
	t.Cleanup(func() {
		unix.Close(fds[0])
		unix.Close(f.socket)
	})
	return newPacketSide("the pair", b, fds[0], false), f
}

// far is the other end of a pair.
type far struct {
	socket  int
	buffer  []byte
	payload int
}

// take receives one frame, if there is one.
func (f *far) take() []byte {
	n, err := unix.Read(f.socket, f.buffer)
	if err != nil {
		return nil
	}
	return f.buffer[:n]
}

// sequences receives all frames that are there.
func (f *far) sequences(t *testing.T) (all []uint64) {
	t.Helper()
	for got := f.take(); got != nil; got = f.take() {
		s, _, ok := frame.GetSignature(got[f.payload:])
		if !ok {
			t.Fatalf("no test frame: %x", got)
		}
		all = append(all, s.Sequence)
	}
	return all
}

func never() bool  { return false }
func always() bool { return true }

func TestPacketSideHandsOverItsBatch(t *testing.T) {
	side, far := pair(t, 64, 9018)
	side.begin(frame.Signature{Stream: 3, Trial: 7})
	for round := range uint64(3) {
		for i := range 4 {
			side.add(time.Duration(100*round) + time.Duration(i))
		}
		times, err := side.flush(never)
		at := time.Duration(100 * round)
		if err != nil || !slices.Equal(times, []time.Duration{at, at + 1, at + 2, at + 3}) {
			t.Fatalf("round %d: frames left at %v, %v", round, times, err)
		}
		for i := range uint64(4) {
			want := side.frames.Frame(nil, 4*round+i, frame.Signature{Stream: 3, Trial: 7, Sequence: 4*round + i, Time: 100*round + i})
			if got := far.take(); !slices.Equal(got, want) {
				t.Fatalf("round %d, frame %d\n got %x\nwant %x", round, i, got, want)
			}
		}
	}
}

// Frames that cannot leave until the trial is over were not sent: their
// sequences are those of the next ones.
func TestPacketSideForgetsWhatCannotLeave(t *testing.T) {
	side, far := pair(t, 64)
	side.begin(frame.Signature{Trial: 1})
	total := uint64(0)
	for round := range 20 {
		for range batchFrames {
			side.add(0)
		}
		times, err := side.flush(always)
		if err != nil {
			t.Fatal(err)
		}
		got := far.sequences(t)
		if len(got) != len(times) {
			t.Fatalf("round %d: %d frames were handed over, %d arrived", round, len(times), len(got))
		}
		for i, s := range got {
			if s != total+uint64(i) {
				t.Fatalf("round %d: sequence %d at place %d after %d frames", round, s, i, total)
			}
		}
		total += uint64(len(got))
	}
	if total == 0 {
		t.Error("no frame left")
	}
}

// A thread that gets to a CPU long after its load was to begin sends all of it.
func TestPacketSenderBeginsLate(t *testing.T) {
	for name, l := range map[string]xdp.Load{
		"at most 50 frames": {Frames: 50, Duration: time.Hour},
		"50 frames paced":   {Frames: 50, Rate: 1e6, Duration: 50 * time.Microsecond},
	} {
		side, far := pair(t, 64)
		s := packetSender{sides: []*packetSide{side}, paced: l.Rate > 0}
		sent, err := s.run(t.Context(), xdp.Order{Start: xdp.Now() - 10*time.Second, Load: l})
		if err != nil || sent.Frames == 0 || l.Rate == 0 && sent.Frames < l.Frames {
			t.Errorf("%s: %d left, %v", name, sent.Frames, err)
		}
		if came := far.sequences(t); len(came) != int(sent.Frames) {
			t.Errorf("%s: %d frames left, and %d came", name, sent.Frames, len(came))
		}
	}
}

func TestPacketSideSaysWhatIsWrong(t *testing.T) {
	side, far := pair(t, 64)
	unix.Close(far.socket)
	far.socket = -1
	side.begin(frame.Signature{Trial: 1})
	side.add(0)
	if times, err := side.flush(never); err == nil || len(times) != 0 {
		t.Errorf("%d frames were sent to nobody, %v", len(times), err)
	}
}

// A collection of garbage would stall the sender.
func TestPacketSideDoesNotAllocate(t *testing.T) {
	side, far := pair(t, 64, 1518)
	side.begin(frame.Signature{Trial: 1})
	allocations := testing.AllocsPerRun(100, func() {
		for range 4 {
			side.add(xdp.Now())
		}
		side.flush(never)
		for far.take() != nil {
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations for a batch", allocations)
	}
}

// The sides take turns, and the count is exact.
func TestPacketSenderTakesTurns(t *testing.T) {
	for _, rate := range []float64{0, 10e3} {
		forward, one := pair(t, 64)
		reverse, other := pair(t, 64)
		s := &packetSender{sides: []*packetSide{forward, reverse}, paced: rate > 0}
		for range 2 { // a run begins anew
			sent, err := s.run(t.Context(), xdp.Order{Streams: [xdp.MaxSides]uint8{1, 2}, Trial: 1, Start: xdp.Now(), Load: xdp.Load{Rate: rate, Duration: time.Hour, Frames: 7}})
			if err != nil {
				t.Fatal(err)
			}
			if sent.Frames != 7 || sent.Sides != [xdp.MaxSides]uint64{4, 3} || sent.First == 0 || sent.Last < sent.First {
				t.Errorf("rate %g: sent %+v", rate, sent)
			}
			if got := one.sequences(t); !slices.Equal(got, []uint64{0, 1, 2, 3}) {
				t.Errorf("rate %g: sequences %v forward", rate, got)
			}
			if got := other.sequences(t); !slices.Equal(got, []uint64{0, 1, 2}) {
				t.Errorf("rate %g: sequences %v back", rate, got)
			}
		}
	}
}

func TestPacketSenderEndsInTime(t *testing.T) {
	side, _ := pair(t, 64)
	s := &packetSender{sides: []*packetSide{side}, paced: true}
	for name, o := range map[string]xdp.Order{ // 0 is when the machine was started: nothing is before that
		"over":    {Start: 0, Load: xdp.Load{Rate: 1000, Duration: time.Second}},
		"not due": {Start: xdp.Now(), Load: xdp.Load{Rate: 1e-3, Phase: time.Hour, Duration: time.Millisecond}},
	} {
		if sent, err := s.run(t.Context(), o); err != nil || sent.Frames != 0 {
			t.Errorf("%s: sent %+v, %v", name, sent, err)
		}
	}
}
