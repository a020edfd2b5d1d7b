package tester

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/xdp"
)

// openLab is a lab that forwards, with an optional policer.
func openLab(t *testing.T, policer *dut.Policer) *testbed.Netns {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	bed, err := testbed.OpenNetns(t.Context(), testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bed.Close() })
	platform, err := dut.ByName("linux")
	if err != nil {
		t.Fatal(err)
	}
	setup := router(2)
	setup.Policer = policer
	if _, err := platform.Forward(t.Context(), bed.DUT(), setup); err != nil {
		t.Fatal(err)
	}
	return bed
}

// elsewhere is a second thread in the tester's namespace, for what runs beside.
func elsewhere(t *testing.T, bed *testbed.Netns) *netif.Namespace {
	t.Helper()
	ns, err := netif.OpenNamespace(bed.Tester.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	return ns
}

// wallClock is what has to be added to the packet path's clock to get the time
// of day, and how far it may be off: the clocks are read one after the other.
func wallClock() (offset, doubt time.Duration) {
	doubt = time.Hour
	for range 100 {
		before := xdp.Now()
		var wall unix.Timespec
		unix.ClockGettime(unix.CLOCK_REALTIME, &wall)
		after := xdp.Now()
		if d := (after - before) / 2; d < doubt {
			offset, doubt = time.Duration(wall.Nano())-before-d, d
		}
	}
	return offset, doubt
}

// shaped is a frame that a capture has seen behind the shaper, and when it was sent, by the
// packet path's clock.
type shaped struct{ sent, seen time.Duration }

// shaping lets this many frames/s through, and so many at once before.
const shaping, shapedAtOnce = 2000, 5

// No frame comes through a shaper before there is room for it, and a capture stamps it
// after the receiver has had it: the latencies that the receiver says are between those
// that the shaper leaves no frame without and those of the capture. Of a capture that has
// not all frames, which the kernel says, the number alone is compared.
func TestLatencyAgreesWithACapture(t *testing.T) {
	policer := &dut.Policer{Kind: "tbf", Rate: shaping, Size: 128}
	bed := openLab(t, policer)
	port := bed.DUT().Ports[1].Tester
	var frames []shaped
	var result ReceiveResult
	errs := make(chan error, 2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	other := elsewhere(t, bed)
	go func() { // receives, and lets the stack have the frames too
		errs <- other.Do(func() (err error) {
			result, err = Receive(ctx, ReceiveConfig{Port: port, Duration: time.Hour, Verify: true, Keep: true})
			return err
		})
	}()
	h := captureAt(t, bed, port)
	offset, doubt := wallClock()
	var read atomic.Uint64
	go func() {
		for {
			data, info, err := h.ReadPacketData()
			if err != nil {
				errs <- nil // closed
				return
			}
			read.Add(1)
			if p, ok := frame.Parse(data); ok {
				frames = append(frames, shaped{time.Duration(p.Signature.Time), time.Duration(info.Timestamp.UnixNano()) - offset})
			}
		}
	}()
	attached(t, bed, port)
	sendShaped(t, bed, policer)
	stop()
	if err := <-errs; err != nil { // the receiver's
		t.Fatal(err)
	}
	missed := readAll(t, h, &read)
	h.Close()
	<-errs // the capture's
	again, d := wallClock()
	if result.Latency == nil || result.Latency.N > uint64(len(frames))+missed || result.Latency.N < uint64(len(frames)) {
		t.Fatalf("the receiver saw %+v, the capture %d frames and missed %d", result, len(frames), missed)
	}
	if missed > 0 {
		t.Logf("latencies are not compared: the capture missed %d frames", missed)
		return
	}
	compareLatencies(t, result, frames, max(d, doubt)+(again-offset).Abs())
}

// captureAt captures the frames that a port of the tester passes to the stack.
func captureAt(t *testing.T, bed *testbed.Netns, port string) (h *pcapgo.EthernetHandle) {
	t.Helper()
	err := bed.Tester.Do(func() (err error) {
		h, err = pcapgo.NewEthernetHandle(port)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SetCaptureLength(256); err != nil {
		t.Fatal(err)
	}
	return h
}

// sendShaped sends twice as much as the shaper lets through, until all of it has arrived
// or was dropped.
func sendShaped(t *testing.T, bed *testbed.Netns, policer *dut.Policer) {
	t.Helper()
	traffic := weir.Traffic{Name: "128", Sizes: []weir.Size{128}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	to, err := net.ParseMAC(bed.DUT().Ports[0].DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{lab: bed, setup: router(2)}
	p.setup.Policer = policer
	if p.dut, err = dut.ByName("linux"); err != nil {
		t.Fatal(err)
	}
	p.before = p.counters(t)
	before := arrivedAt(t, bed, bed.DUT().Ports[1].Tester)
	var sent SendResult
	err = bed.Tester.Do(func() (err error) {
		sent, err = Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
			Rate: 2 * shaping, Duration: 100 * time.Millisecond, CPUs: bed.CPUs().Generator[:1]})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "all frames arrive or are dropped", func() bool {
		gone := arrivedAt(t, bed, bed.DUT().Ports[1].Tester) - before
		for _, d := range dut.Since(p.before, p.counters(t)) {
			gone += d.Count
		}
		return gone >= sent.Sent
	})
}

// readAll waits until all that a capture has was read, and returns how many
// frames it missed.
func readAll(t *testing.T, h *pcapgo.EthernetHandle, read *atomic.Uint64) (missed uint64) {
	t.Helper()
	var seen uint64
	testenv.Await(t, "all that was captured is read", func() bool {
		s, err := h.Stats() // since the last time
		if err != nil {
			t.Fatal(err)
		}
		seen, missed = seen+uint64(s.Packets), missed+uint64(s.Drops)
		return read.Load() >= seen-missed
	})
	return missed
}

// attached waits until a port of the tester has its XDP program.
func attached(t *testing.T, bed *testbed.Netns, port string) {
	t.Helper()
	testenv.Await(t, "the receiver is attached", func() bool {
		said, err := bed.TesterHost().Run(t.Context(), "", "ip", "link", "show", "dev", port)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(said, "xdp")
	})
}

// compareLatencies compares those of the receiver with those of the captured frames, in the
// order in which they came, whose clock is known with some doubt.
func compareLatencies(t *testing.T, got ReceiveResult, frames []shaped, doubt time.Duration) {
	t.Helper()
	if len(frames) == 0 {
		t.Fatal("no frame arrived")
	}
	var least, most []float64 // s
	for i, f := range frames {
		room := time.Duration(float64(i-shapedAtOnce) / (1.01 * shaping) * float64(time.Second)) // 1 %: the kernel rounds
		least = append(least, max(0, (frames[0].sent+room-f.sent).Seconds()))
		most = append(most, (f.seen - f.sent).Seconds())
	}
	slices.Sort(least)
	slices.Sort(most)
	n := len(frames)
	at := func(q float64) int { return int(math.Ceil(q*float64(n))) - 1 }
	mean := func(all []float64) (sum float64) {
		for _, l := range all {
			sum += l / float64(n)
		}
		return sum
	}
	for _, c := range []struct {
		name                  string
		got, least, most, err float64
	}{
		{"min", got.Latency.Min, least[0], most[0], 0},
		{"p50", got.Latency.P50, least[at(.5)], most[at(.5)], weir.HistogramError},
		{"p90", got.Latency.P90, least[at(.9)], most[at(.9)], weir.HistogramError},
		{"p99", got.Latency.P99, least[at(.99)], most[at(.99)], weir.HistogramError},
		{"p99.9", got.Latency.P999, least[at(.999)], most[at(.999)], weir.HistogramError},
		{"max", got.Latency.Max, least[n-1], most[n-1], 0},
		{"mean", got.Latency.Mean, mean(least), mean(most), 0},
	} {
		t.Logf("%-5s receiver %.3f ms, by the shaper %.3f ms and more, capture %.3f ms", c.name, c.got*1e3, c.least*1e3, c.most*1e3)
		if c.got < c.least*(1-c.err) || c.got > c.most*(1+c.err)+doubt.Seconds() {
			t.Errorf("%s: the receiver says %.6f s, the shaper %.6f s and more, the capture %.6f s", c.name, c.got, c.least, c.most)
		}
	}
}

// An independent dissector finds nothing wrong with any kind of frame.
func TestFramesInTheEyesOfADissector(t *testing.T) {
	testenv.NeedTool(t, "tshark", "dumpcap")
	bed := openLab(t, nil)
	var pass *xdp.Pass
	err := bed.Tester.Do(func() (err error) {
		if err := netif.SetFeature(bed.Self.DUT, "rx-gro", false); err != nil {
			return err
		}
		pass, err = xdp.NewPassOn(bed.Self.DUT) // instead of GRO, which would change what is captured
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pass.Close()
	file := filepath.Join(t.TempDir(), "all.pcapng")
	capture := exec.Command("dumpcap", "-q", "-B", "64", "-i", bed.Self.DUT, "-f", "udp or tcp or vlan", "-w", file)
	var said bytes.Buffer
	capture.Stderr = &said
	if err := bed.Tester.Do(capture.Start); err != nil {
		t.Fatal(err)
	}
	defer capture.Process.Kill()
	testenv.Await(t, "the capture has made its file, after it has opened the port", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	sent := sendEveryKind(t, bed)
	testenv.Await(t, "all frames are in the file", func() bool { return captureHas(t, file) >= sent })
	capture.Process.Signal(os.Interrupt)
	if err := capture.Wait(); err != nil {
		t.Fatalf("capture: %v: %s", err, said.String())
	}
	dissect := func(filter string) []string {
		out, err := exec.Command("tshark", "-n", "-r", file, "-Y", filter,
			"-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE").Output()
		if err != nil {
			t.Fatalf("tshark: %v", err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	good := dissect(`udp.checksum.status == "Good" || tcp.checksum.status == "Good"`)
	if uint64(len(good)) != sent {
		t.Errorf("%d of %d frames have a good transport checksum", len(good), sent)
	}
	bad := dissect(`_ws.malformed || ip.checksum.status == "Bad" || udp.checksum.status == "Bad" || tcp.checksum.status == "Bad"` +
		` || udp.length.bad || ip.bogus_ip_length`)
	if bad[0] != "" {
		t.Errorf("%d frames are malformed, have a bad checksum or a bad length, the first is %s", len(bad), bad[0])
	}
}

// captureHas is how many frames a capture file has so far.
func captureHas(t *testing.T, file string) (n uint64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	for err == nil {
		if _, _, err = r.ReadPacketData(); err == nil {
			n++
		}
	}
	return n
}

// sendEveryKind sends some frames of every combination of headers over the
// tester's own link, and returns how many.
func sendEveryKind(t *testing.T, bed *testbed.Netns) (sent uint64) {
	t.Helper()
	to, err := net.ParseMAC(bed.Self.DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	vlans := []weir.VLAN{{TPID: 0x8100, ID: 100, PCP: 5}, {TPID: 0x8100, ID: 4094}}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			for tags := range 3 {
				sizes := []weir.Size{max(64, frame.SmallestSize(family, protocol, tags)), 1514, 594, 129, 1001}
				traffic := weir.Traffic{Name: fmt.Sprint(sizes), Sizes: sizes, Family: family, Protocol: protocol, VLANs: vlans[:tags], Flows: 5, Seed: 5}
				traffic.Forward, traffic.Reverse = frame.DefaultStreams(family)
				err := bed.Tester.Do(func() error {
					r, err := Send(t.Context(), SendConfig{Port: bed.Self.Tester, To: to, Traffic: traffic,
						Rate: 2000, Duration: 20 * time.Millisecond, CPUs: bed.CPUs().Generator[:1]})
					sent += r.Sent
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return sent
}

// What is asked is sent, to the frame, or it is said why it is not.
func TestSentEqualsIntended(t *testing.T) {
	bed := openLab(t, nil)
	to, err := net.ParseMAC(bed.DUT().Ports[0].DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	traffic := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	for _, rate := range []float64{1000, 9999.5, 33333} {
		var r SendResult
		var want uint64
		for times := range testenv.Longer {
			length := times * 100 * time.Millisecond
			want = uint64(math.Floor(rate*length.Seconds() + 0.5))
			err = bed.Tester.Do(func() (err error) {
				r, err = Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
					Rate: rate, Duration: length, CPUs: bed.CPUs().Generator[:1]})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Sent > 0 {
				break
			}
		}
		if r.Sent == 0 || r.Intended != want || r.Sent+unsent(r) != want {
			t.Errorf("at %g frames/s %d were intended and %d sent, want %d: %+v", rate, r.Intended, r.Sent, want, r)
		}
	}
}
