package tester

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/xdp"
)

// arrivedAt is how many frames have arrived at a port in the tester's namespace.
func arrivedAt(t *testing.T, bed *testbed.Netns, port string) (n uint64) {
	t.Helper()
	text, err := bed.TesterHost().ReadFile(t.Context(), "/sys/class/net/"+port+"/statistics/rx_packets")
	if err == nil {
		_, err = fmt.Sscan(text, &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Two CPUs send one load: together as many frames as one would, none of them
// twice, and each a stream of its own.
func TestSeveralCPUsSendOneLoad(t *testing.T) {
	bed := openLab(t, nil)
	to, err := net.ParseMAC(bed.Self.DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	traffic := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 10, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	traffic.Forward.Source.Count, traffic.Forward.Source.Order = 10, weir.Increment
	c := SendConfig{Port: bed.Self.Tester, To: to, Traffic: traffic, Rate: 20005, Duration: time.Second / 5,
		CPUs: []int{0, runtime.NumCPU() - 1}, Stream: 5}
	other := elsewhere(t, bed)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var got ReceiveResult
	received := make(chan error, 1)
	go func() {
		received <- other.Do(func() (err error) {
			got, err = Receive(ctx, ReceiveConfig{Port: bed.Self.DUT, Duration: time.Hour, Verify: true})
			return err
		})
	}()
	attached(t, bed, bed.Self.DUT)
	before := arrivedAt(t, bed, bed.Self.DUT)
	var r SendResult
	if err := bed.Tester.Do(func() (err error) {
		r, err = Send(t.Context(), c)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "all frames arrive", func() bool { return arrivedAt(t, bed, bed.Self.DUT)-before >= r.Sent })
	stop()
	if err := <-received; err != nil {
		t.Fatal(err)
	}
	if r.Intended != 4001 || r.Sent+unsent(r) != r.Intended || r.Flows != 10 {
		t.Errorf("%d frames of %d flows intended, %d sent; want 4001 of 10, and the reasons for what is missing: %+v", r.Intended, r.Flows, r.Sent, r.Missing)
	}
	streams := map[int]uint64{}
	for _, s := range got.Streams {
		if s.Received > 0 {
			streams[s.ID] = s.Received
		}
	}
	if all := streams[5] + streams[6]; all != got.Received || streams[5] > 2001 || streams[6] > 2000 {
		t.Errorf("frames by stream: %v; want up to 2001 of stream 5 and 2000 of stream 6", streams)
	}
	if got.Duplicate+got.Late+got.Corrupt > 0 || got.Received+unsent(r) != r.Intended {
		t.Errorf("received %+v", got)
	}
}

// Streams that there are not are refused before anything is touched.
func TestSendKnowsItsStreams(t *testing.T) {
	for _, c := range []SendConfig{{Stream: 63, CPUs: []int{0, 1}}, {Stream: 0}} {
		if _, err := Send(t.Context(), c); err == nil || !strings.Contains(err.Error(), "streams 0 to 63") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Every frame that is missing has a reason, and their sum is what is missing.
func TestMissingFramesHaveReasons(t *testing.T) {
	order := func(cpu int) xdp.Order {
		return xdp.Order{CPU: cpu, Load: xdp.Load{Rate: 1000, Frames: 1000, Duration: time.Second}}
	}
	two := []xdp.Order{order(0), order(1)}
	whole := xdp.Sent{Frames: 1000, Last: time.Second}
	slow := xdp.Sent{Frames: 600, Stalls: 599, Longest: 400 * time.Millisecond, Last: time.Second}
	stalled := xdp.Sent{Frames: 960, Stalls: 30, Longest: 60 * time.Millisecond, Last: time.Second}
	for name, c := range map[string]struct {
		shortfall
		want []Missing
	}{
		"too slow": {shortfall{orders: two, sent: []xdp.Sent{slow, slow}, left: netif.Sent{Sent: 1200}, used: 1990 * time.Millisecond, spins: true},
			[]Missing{{800, "CPU 0 and 1 cannot send more than 1200 frames/s; ask for less, or name more CPUs"}}},
		"as late, but without the CPU": {shortfall{orders: two[:1], sent: []xdp.Sent{slow}, left: netif.Sent{Sent: 600}, used: 590 * time.Millisecond, spins: true},
			[]Missing{{400, "the generator stood still for 410.0 ms in all, and frames were up to 400.0 ms late; other work held up CPU 0"}}},
		"stalled": {shortfall{orders: two, sent: []xdp.Sent{whole, stalled}, left: netif.Sent{Sent: 1960}, used: 1930 * time.Millisecond, spins: true},
			[]Missing{{40, "the generator stood still for 70.0 ms in all, and frames were up to 60.0 ms late; other work held up CPU 1"}}},
		"stood still until the end": {shortfall{orders: two[:1], sent: []xdp.Sent{{Frames: 500, Last: time.Second / 2}}, left: netif.Sent{Sent: 500}},
			[]Missing{{500, "the generator stood still for 500.0 ms in all, and frames were up to 500.0 ms late; other work held up CPU 0"}}},
		"full ring": {shortfall{orders: two, sent: []xdp.Sent{whole, whole}, left: netif.Sent{Sent: 1538, Refused: 462}, virtual: true},
			[]Missing{{462, "the ring of the other end was full: 462 frames were refused"}}},
		"card": {shortfall{orders: two, sent: []xdp.Sent{whole, whole}, left: netif.Sent{Sent: 1990, Refused: 3}},
			[]Missing{{3, "the driver refused 3 frames: its ring was full, or the link was down"},
				{7, "the driver took these frames and counted them neither as sent nor as refused"}}},
		"interrupted": {shortfall{orders: two, sent: []xdp.Sent{{Frames: 1}, {Frames: 2}}, left: netif.Sent{Sent: 3}, interrupted: true},
			[]Missing{{1997, "sending was interrupted"}}},
	} {
		got := c.missing()
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		var sum, asked uint64
		for i := range got {
			sum += got[i].Frames
			if got[i] != c.want[i] {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, got[i], c.want[i])
			}
		}
		for _, o := range c.orders {
			asked += o.Frames
		}
		if sum+c.left.Sent != asked {
			t.Errorf("%s: %d frames have a reason, %d were asked and %d sent", name, sum, asked, c.left.Sent)
		}
	}
}
