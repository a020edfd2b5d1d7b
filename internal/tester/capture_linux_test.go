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

// captureSlack is the capture's own error: its time stamp is taken a little
// later than the receiver's, on the frame's way up the stack.
const captureSlack = 50 * time.Microsecond

// The receiver's histogram and a packet capture with the kernel's time stamps
// see the same frames with the same latencies; a frame may be kept from its time
// stamp, as threads are from their CPUs. Of a capture that has not all frames,
// which the kernel says, the number alone is compared. A shaper in the DUT spreads
// these over tens of milliseconds, so that the histogram's error is larger than
// the capture's.
func TestLatencyAgreesWithACapture(t *testing.T) {
	bed := openLab(t, &dut.Policer{Kind: "tbf", Rate: 2000, Size: 128})
	port := bed.DUT().Ports[1].Tester
	var latencies []float64
	var result ReceiveResult
	errs := make(chan error, 2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	other := elsewhere(t, bed)
	go func() { // receives, and lets the stack have the frames too
		errs <- other.Do(func() (err error) {
			result, err = Receive(ctx, ReceiveConfig{Port: port, Duration: time.Minute, Verify: true, Keep: true})
			return err
		})
	}()
	h := captureAt(t, bed, port)
	until := testenv.Attend(t)
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
				latencies = append(latencies, (time.Duration(info.Timestamp.UnixNano()) - offset - time.Duration(p.Signature.Time)).Seconds())
			}
		}
	}()
	attached(t, bed, port)
	sendShaped(t, bed)
	time.Sleep(300 * time.Millisecond) // for the queue to drain
	stop()
	if err := <-errs; err != nil { // the receiver's
		t.Fatal(err)
	}
	missed := readAll(t, h, &read)
	h.Close()
	<-errs // the capture's
	if again, d := wallClock(); (again-offset).Abs() > captureSlack || max(d, doubt) > captureSlack {
		t.Fatal("the machine's clock was set, or it is too busy to read two clocks at once")
	}
	kept := until()
	if result.Latency == nil || result.Latency.N > uint64(len(latencies))+missed || result.Latency.N < uint64(len(latencies)) {
		t.Fatalf("the receiver saw %+v, the capture %d frames and missed %d", result, len(latencies), missed)
	}
	if missed > 0 {
		t.Logf("latencies are not compared: the capture missed %d frames", missed)
		return
	}
	compareLatencies(t, result, latencies, kept)
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

// sendShaped sends for a second a little more than the shaper lets through.
func sendShaped(t *testing.T, bed *testbed.Netns) {
	t.Helper()
	traffic := weir.Traffic{Name: "128", Sizes: []weir.Size{128}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	to, err := net.ParseMAC(bed.DUT().Ports[0].DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	err = bed.Tester.Do(func() error {
		_, err := Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
			Rate: 2200, Duration: time.Second, CPUs: bed.CPUs().Generator[:1]})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readAll waits until all that a capture has was read, and returns how many
// frames it missed.
func readAll(t *testing.T, h *pcapgo.EthernetHandle, read *atomic.Uint64) (missed uint64) {
	t.Helper()
	var seen uint64
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s, err := h.Stats() // since the last time
		if err != nil {
			t.Fatal(err)
		}
		seen, missed = seen+uint64(s.Packets), missed+uint64(s.Drops)
		if read.Load() >= seen-missed || time.Now().After(deadline) {
			return missed
		}
	}
}

// attached waits until a port of the tester has its XDP program.
func attached(t *testing.T, bed *testbed.Netns, port string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		said, err := bed.TesterHost().Run(t.Context(), "", "ip", "link", "show", "dev", port)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said, "xdp") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the receiver did not attach: %s", said)
		}
	}
}

// compareLatencies compares those of the receiver with the captured ones, of
// which a few may have their time stamp later by a stop.
func compareLatencies(t *testing.T, got ReceiveResult, captured []float64, kept testenv.Kept) {
	t.Helper()
	if len(captured) < 100 {
		t.Fatalf("%d frames arrived, too few to compare", len(captured))
	}
	slices.Sort(captured)
	quantile := func(q float64) float64 { return captured[int(math.Ceil(q*float64(len(captured))))-1] }
	sum := 0.0
	for _, l := range captured {
		sum += l
	}
	for _, c := range []struct {
		name           string
		got, want, err float64
	}{
		{"min", got.Latency.Min, captured[0], 0},
		{"p50", got.Latency.P50, quantile(.5), weir.HistogramError},
		{"p90", got.Latency.P90, quantile(.9), weir.HistogramError},
		{"p99", got.Latency.P99, quantile(.99), weir.HistogramError},
		{"p99.9", got.Latency.P999, quantile(.999), weir.HistogramError},
		{"max", got.Latency.Max, captured[len(captured)-1], 0},
		{"mean", got.Latency.Mean, sum / float64(len(captured)), 0},
	} {
		t.Logf("%-5s receiver %.3f ms, capture %.3f ms", c.name, c.got*1e3, c.want*1e3)
		slack := c.err*c.want + captureSlack.Seconds()
		if c.got > c.want+slack || c.want > c.got+slack+kept.For.Seconds() {
			t.Errorf("%s: the receiver says %.6f s, the capture %.6f s", c.name, c.got, c.want)
		}
	}
	if got.Latency.P90 < kept.Least(t, 0.005) {
		t.Errorf("p90 is %.6f s: the shaper did not delay, so nothing was compared", got.Latency.P90)
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
	capture := exec.Command("dumpcap", "-q", "-i", bed.Self.DUT, "-f", "udp or tcp or vlan", "-w", file)
	var said bytes.Buffer
	capture.Stderr = &said
	if err := bed.Tester.Do(capture.Start); err != nil {
		t.Fatal(err)
	}
	defer capture.Process.Kill()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the capture does not begin: %s", said.String())
		}
	}
	time.Sleep(500 * time.Millisecond)
	sent := sendEveryKind(t, bed)
	time.Sleep(500 * time.Millisecond)
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
				for _, sizes := range [][]weir.Size{
					{max(64, frame.SmallestSize(family, protocol, tags))}, {1514}, {594, 129, 1001},
				} {
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
	}
	return sent
}

// What is asked is sent, to the frame, and all of it arrives.
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
		err = bed.Tester.Do(func() (err error) {
			r, err = Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
				Rate: rate, Duration: 500 * time.Millisecond, CPUs: bed.CPUs().Generator[:1]})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		sent, want := r.Sent+r.Errors, uint64(math.Floor(rate*0.5+0.5))
		switch {
		case r.Intended != want || sent > want:
			t.Errorf("at %g frames/s %d were intended and %d sent, want %d", rate, r.Intended, sent, want)
		case sent == want:
		case !r.Short || r.Stall == 0: // a stall at the very end cannot be made up for; then it is said
			t.Errorf("at %g frames/s %d of %d frames were sent, and that is not said: %+v", rate, sent, want, r)
		default:
			t.Logf("at %g frames/s %d of %d frames were sent: the sender was held up for %v s", rate, sent, want, r.Stall)
		}
	}
}
