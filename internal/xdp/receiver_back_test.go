//go:build linux

package xdp

import (
	"testing"
	"time"

	"weir/frame"
	"weir/internal/testenv"
)

// One of so many frames is sent back, with all headers, and whoever sent it times it and
// counts it nowhere else. A damaged one is not timed.
func TestReceiverSendsBack(t *testing.T) {
	testenv.NeedRoot(t)
	const every, n = 4, 12
	r, origin := looseReceiver(t, 9), &Receiver{}
	if err := origin.load(ReceiverOptions{Verify: true, RoundTrip: true}, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { origin.objects.Close() })
	for _, tr := range traffics() {
		t.Run(tr.Name, func(t *testing.T) {
			for at, e := range map[*Receiver]Expected{r: {Trial: 9, Back: every}, origin: {Trial: 9}} {
				if err := at.Reset(e); err != nil {
					t.Fatal(err)
				}
			}
			if trips, err := origin.RoundTrip(); trips.N != 0 || err != nil {
				t.Errorf("%d round trips after the reset, %v", trips.N, err)
			}
			b, began := builder(t, tr, tr.Forward), Now()
			var back [][]byte
			for i := range uint64(n) {
				verdict, out := r.run(t, b.Frame(nil, i, frame.Signature{Trial: 9, Stream: 4, Sequence: i, Time: uint64(Now())}))
				switch verdict {
				case verdictRedirect:
					back = append(back, out)
				case verdictDrop:
				default:
					t.Fatalf("frame %d: verdict %d", i, verdict)
				}
			}
			counted, err := r.Back()
			if seen, _ := r.Count(); err != nil || len(back) != n/every || counted != n/every || seen != n {
				t.Fatalf("%d frames were sent back, %d of them counted, of %d; %v", len(back), counted, seen, err)
			}
			back[0][len(back[0])-1] ^= 1
			for _, f := range back {
				if v := origin.feed(t, f); v != verdictDrop {
					t.Errorf("one that came back: verdict %d", v)
				}
			}
			trips, err := origin.RoundTrip()
			if err != nil || trips.N != n/every-1 || trips.Min == 0 || trips.Max > uint64(Now()-began) {
				t.Errorf("round trips %+v within %v, %v", trips, Now()-began, err)
			}
			seen, err := origin.Seen()
			if l, _ := origin.Latency(); err != nil || len(seen) != 0 || l.N != 0 {
				t.Errorf("where they came back they count as %+v, %v", seen, err)
			}
		})
	}
}

// The time of a frame is on the clock of who sent it, which may be far from this one.
func TestReceiverOfAnotherClock(t *testing.T) {
	testenv.NeedRoot(t)
	for name, tr := range both() {
		r, b := looseReceiver(t, 1), builder(t, tr, tr.Forward)
		for _, ahead := range []time.Duration{-time.Hour, 10 * time.Minute} {
			if Now()-time.Second < ahead {
				t.Logf("the machine is up for less than %v", ahead)
				continue
			}
			var sent time.Duration // by the clock here
			promptly(t, wraps, func() {
				reset(t, r, Expected{Trial: 1, Ahead: ahead})
				sent = Now() - time.Second
				r.feed(t, b.Frame(nil, 0, frame.Signature{Trial: 1, Time: uint64(sent - ahead)}))
			})
			if h, err := r.Latency(); err != nil || h.N != 1 || h.Min < 1e9 || h.Max > uint64(Now()-sent) {
				t.Errorf("%s, %v ahead: %+v, %v", name, ahead, h, err)
			}
		}
	}
}
